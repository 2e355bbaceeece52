// claim: elements of a short vector are assigned under the mask and by varying index
// expect: [10 * (k % 3) + (5 if k & 1 else 0) * (k % 3 == 1) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int<3> v = { 0, 10, 20 };
        if (k & 1)
            v.y += 5;
        out[k] = v[k % 3];
    }
}
