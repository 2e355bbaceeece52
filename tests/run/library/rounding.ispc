// claim: round goes to the nearest even, floor, ceil and trunc as their names say
// expect: np.rint(f * 2), np.floor(f), np.ceil(f), np.trunc(f)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = round(f[k] * 2);
        out[64 + k] = floor(f[k]);
        out[128 + k] = ceil(f[k]);
        out[192 + k] = trunc(f[k]);
    }
}
