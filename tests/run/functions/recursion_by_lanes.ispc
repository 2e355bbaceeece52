// claim: a recursive function recurses for the lanes that need it
// where:
//   def fib(v): return v if v < 2 else fib(v - 1) + fib(v - 2)
// expect: [fib(k % 11) for k in range(n)], [math.factorial(8)]
static int fib(int v) {
    if (v < 2)
        return v;
    return fib(v - 1) + fib(v - 2);
}
static uniform int factorial(uniform int v) {
    return v <= 1 ? 1 : v * factorial(v - 1);
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = fib(k % 11);
    out[64] = factorial(8);
}
