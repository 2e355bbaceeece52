// claim: doubles and 64-bit integers become float16 with one rounding, uniform and varying, in functions and loops
// expect: [float(np.float16(float(v) * 1.0001)) for v in f], [float(np.float16(1 + 2.0**-11 + 2.0**-40)), float(np.float16(2.25))], [float(np.float16(int(v) * 100)) for v in i]
static noinline float16 narrowed(double d) { return d; }
static noinline uniform float16 narrowed(uniform double d) { return d; }
static noinline float16 from_integer(int64 v) { return v; }

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        double d = f[k];
        out[k] = narrowed(d * 1.0001d);
        out[n + 2 + k] = (double)from_integer(i[k] * 100);
    }
    uniform double tiny = 1;
    for (uniform int k = 0; k < 40; k++) tiny *= 0.5;
    out[n] = narrowed(1 + 0.00048828125d + tiny);
    out[n + 1] = narrowed(2.25d * (n / 64));
}
