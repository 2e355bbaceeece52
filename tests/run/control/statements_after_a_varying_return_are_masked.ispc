// claim: after a return only the lanes that have not returned execute
// expect: np.where(np.arange(n) % 3 == 0, 1, 3), np.where(np.arange(n) % 3 == 0, 0, 1)
static void early(int k, uniform double out[]) {
    out[k] = 1;
    if (k % 3 == 0)
        return;
    out[k] += 2;
    out[64 + k] = 1;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        early(k, out);
}
