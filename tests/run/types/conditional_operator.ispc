// claim: a varying test selects by lane and each side is evaluated for its lanes only
// expect: np.where(i > 0, f, -i.astype(np.float32)), [3, 1.5]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = i[k] > 0 ? f[k] : -i[k];
    uniform int a = n > 10 ? 3 : 4;
    out[64] = a;
    out[65] = n < 10 ? 1 : 1.5;
}
