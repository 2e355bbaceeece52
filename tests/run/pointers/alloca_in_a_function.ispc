// claim: alloca gives memory that lives until the function returns
// expect: np.arange(20) * 3
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int * uniform p = (uniform int * uniform)alloca(20 * sizeof(uniform int));
    foreach (k = 0 ... 20)
        p[k] = 3 * k;
    foreach (k = 0 ... 20)
        out[k] = p[k];
}
