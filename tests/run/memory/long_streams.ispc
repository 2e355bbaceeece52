// claim: loops over more elements than a gang has lanes many times give each element its number, in every type
// expect: (np.arange(n) * 13 + 1) * 3.0 + 0.5, (np.arange(n) * 13 + 3) * 2, (np.arange(n) * 13 * 7 + 250) % 256, np.arange(n) * 13 * 2**33 - 1
static noinline void scaled(uniform float to[], const uniform float from[], uniform int first, uniform int last) {
    foreach (i = first ... last)
        to[i] = from[i + 1] * 3 + 0.5;
}
static noinline void added(uniform int to[], const uniform int from[], uniform int last) {
    foreach (i = 0 ... last)
        to[i] += from[i];
}
static noinline void bytes(uniform uint8 to[], const uniform uint8 from[], uniform int last) {
    foreach (i = 0 ... last)
        to[i] = from[i] + (uint8)250;
}
static noinline void wide(uniform int64 to[], const uniform int from[], uniform int last) {
    foreach (i = 0 ... last)
        to[i] = ((int64)from[i] << 33) - 1;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float a[900], b[900];
    uniform int c[900], d[900];
    uniform uint8 e[900], g[900];
    uniform int64 h[900];
    foreach (k = 0 ... 900) {
        b[k] = k;
        d[k] = k;
        c[k] = k + 6;
        g[k] = (uint8)(k * 7);
    }
    scaled(a, b, 0, 899);
    wide(h, d, 897);
    added(c, d, 893);
    bytes(e, g, 899);
    foreach (k = 0 ... n) {
        out[k] = a[k * 13];
        out[64 + k] = c[k * 13];
        out[128 + k] = e[k * 13];
        out[192 + k] = h[k * 13];
    }
}
