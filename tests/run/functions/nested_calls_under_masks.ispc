// claim: masks narrow through several levels of calls, and every level restores its own
// where:
//   def inner(v): return v * 2 if v > 3 else v + 100
//   def middle(v): return inner(v - 1) if v % 2 else -v
//   def outer(v): return middle(v) + 1 if v > 0 else 0
// expect: [outer(int(v)) for v in i]
static noinline int inner(int v) {
    if (v > 3)
        return v * 2;
    return v + 100;
}
static noinline int middle(int v) {
    int r = -v;
    if (v % 2 != 0)
        r = inner(v - 1);
    return r;
}
static noinline int outer(int v) {
    if (v > 0)
        return middle(v) + 1;
    return 0;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = outer(i[k]);
}
