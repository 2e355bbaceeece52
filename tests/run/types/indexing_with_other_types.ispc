// claim: an index may be a float, a bool or an enum, converted to an integer
// expect: [f[3], f[1], f[2]], [f[int(k / 2)] for k in range(n)]
enum Place { ZERO, ONE, TWO };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float x = 3.75;
    uniform bool b = n > 3;
    out[0] = f[x];
    out[1] = f[b];
    out[2] = f[TWO];
    foreach (k = 0 ... n) {
        float h = k * 0.5;
        out[3 + k] = f[h];
    }
}
