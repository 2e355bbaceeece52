// claim: a guarded read of the next element is not made where it would be outside
// expect: np.append(f[1:], 0) - f
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        float next = 0;
        if (k + 1 < n)
            next = f[k + 1];
        out[k] = next - f[k];
    }
}
