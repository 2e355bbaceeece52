// claim: operators overloaded on structs are called for them, also compound and unary ones
// expect: f + f[::-1] * 2, i - 1.0, (-f), (f == f[::-1]) * 1
struct Complex { float re, im; };
static Complex operator+(Complex a, Complex b) {
    Complex r = { a.re + b.re, a.im + b.im };
    return r;
}
static Complex operator*(Complex a, float s) {
    Complex r = { a.re * s, a.im * s };
    return r;
}
static Complex operator-(Complex a) {
    Complex r = { -a.re, -a.im };
    return r;
}
static bool operator==(Complex a, Complex b) {
    return a.re == b.re;
}
static void operator-=(Complex &a, float s) {
    a.im -= s;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        Complex a = { f[k], i[k] }, b = { f[63 - k], 0 };
        Complex c = a + b * 2.0;
        out[k] = c.re;
        a -= 1;
        out[64 + k] = a.im;
        Complex d = -a;
        out[128 + k] = d.re;
        out[192 + k] = a == b ? 1 : 0;
    }
}
