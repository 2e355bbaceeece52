// claim: PI is a float and built-in headers are found
// expect: [float(np.float32(3.1415926535))]
#include <short_vec.isph>
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform double p = PI;
    out[0] = p;
}
