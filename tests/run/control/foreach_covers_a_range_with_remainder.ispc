// claim: a foreach visits every index of its range once, also where W does not divide its length
// expect: [1 if 3 <= k < 61 else 0 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 3 ... 61)
        out[k] += 1;
}
