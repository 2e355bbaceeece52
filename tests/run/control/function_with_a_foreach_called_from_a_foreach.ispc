// claim: a function called in a foreach may contain a foreach of its own
// expect: [sum(range(10))] * n, [sum(range(10)) * -(-n // W)]
static noinline uniform int sum_to(uniform int m, uniform double * uniform total) {
    int s = 0;
    foreach (k = 0 ... m)
        s += k;
    uniform int r = reduce_add(s);
    *total += r;
    return r;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = sum_to(10, &out[64]);
}
