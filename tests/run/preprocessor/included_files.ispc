// claim: a quoted include is found beside the including file and taken once with #pragma once; PI is a float
// expect: [float(np.float32(3.1415926535)), 42, 21]
#include "shared_values.isph"
#include "shared_values.isph"
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform double p = PI;
    out[0] = p;
    out[1] = twice(SHARED);
    out[2] = SHARED;
}
