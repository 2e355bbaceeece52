// claim: && guards an access that would be out of bounds in other lanes
// expect: [1 if k - 32 >= 0 and k < 64 and i[k - 32] > 0 else 0 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int j = k - 32;
        int far = j < 0 ? 1000000000 : j;
        bool b = j >= 0 && i[far] > 0;
        out[k] = b ? 1 : 0;
    }
}
