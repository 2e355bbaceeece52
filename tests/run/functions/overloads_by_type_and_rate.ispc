// claim: the overload with the cheapest conversions is called, the rate counts
// expect: [1, 2, 3, 4, 5, 3]
static uniform int which(uniform int v) { return 1; }
static uniform int which(int v) { return 2; }
static uniform int which(uniform float v) { return 3; }
static uniform int which(float v) { return 4; }
static uniform int which(uniform double v) { return 5; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float u = f[0];
    uniform float16 h = u;
    out[0] = which(n);
    out[1] = which(programIndex);
    out[2] = which(u);
    out[3] = which((float)programIndex);
    out[4] = which((uniform double)u);
    uniform int zero = n - 64;
    out[5] = which(u + zero);
}
