// claim: 64-bit elements are read and written with strides and offsets
// where:
//   v = [k * 1000000007 for k in range(64)]
// expect: v[1:64:2], [v[k // 2] * 0.5 for k in range(64)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int64 a[64];
    uniform double b[64];
    foreach (k = 0 ... 64) {
        a[k] = k * (int64)1000000007;
        b[k] = (k / 2) * (double)1000000007 * 0.5;
    }
    foreach (k = 0 ... 32)
        out[k] = a[2 * k + 1];
    foreach (k = 0 ... 64)
        out[32 + k] = b[k];
}
