// claim: a sum under a mask leaves the other lanes as they are
// expect: [float(np.sum(f[f > 0].astype(np.float64))), float(np.sum(f > 0))]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    double sum = 0;
    int count = 0;
    foreach (k = 0 ... n) {
        if (f[k] > 0) {
            sum += f[k];
            count++;
        }
    }
    out[0] = reduce_add(sum);
    out[1] = reduce_add(count);
}
