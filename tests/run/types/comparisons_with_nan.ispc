// claim: comparisons with NaN are false, inequality is true
// expect: [0, 0, 0, 0, 0, 1], [1, 0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float zero = f[0] - f[0];
    float nan = zero / zero;
    float one = 1.0;
    out[0] = any(nan < one);
    out[1] = any(nan > one);
    out[2] = any(nan <= one);
    out[3] = any(nan >= nan);
    out[4] = any(nan == nan);
    out[5] = all(nan != nan);
    bool truth = nan;
    out[6] = all(truth);
    out[7] = any(!nan);
}
