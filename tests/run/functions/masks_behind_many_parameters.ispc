// claim: the mask and bool parameters arrive where the registers are taken by the parameters before them
// where:
//   def one(k):
//     a, b, which, again, s = k + 1, 8 - k, k > 2, k in (1, 4), 0
//     for step in range(3):
//       s = s * 10 + (a if which else b) + (100 if again and step < 2 else 0)
//       which, again = not which, again and not which
//     return s
//   def first(k): return [3, 4, 1, 1, 2][k] + 100 * min(W, 5 - k // W * W)
// expect: [one(k) for k in range(5)], [first(k) for k in range(5)]
static noinline int pick(double d0, double d1, double d2, double d3, double d4, double d5, double d6, const uniform int8 * a,
                         const uniform int8 * b, bool which, bool again) {
    int s = 0;
    for (uniform int k = 0; k < 3; k++) {
        const uniform int8 * p = which ? a : b;
        s = s * 10 + *p;
        if (again && k < 2)
            s += 100;
        which = !which;
        again = again && which;
    }
    return s + (int)(d0 + d1 + d2 + d3 + d4 + d5 + d6);
}
static noinline int steps(double d0, double d1, double d2, double d3, double d4, double d5, double d6, const uniform int8 * a,
                          const uniform int8 * b, int limit) {
    int count = 0, lanes = 0;
    do {
        if (count == 0)
            lanes = 100 * popcnt(lanemask());
        count++;
        if (*a == *b || count == limit)
            return lanes + count;
        ++a;
    } while (*a != 0);
    return (int)(d0 + d1 + d2 + d3 + d4 + d5 + d6) - count;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int8 text[] = { 1, 2, 3, 4, 5, 6, 7, 8, 0 };
    uniform int place[] = { 2, 4, 2, 3, 5 };
    foreach (k = 0 ... 5) {
        out[k] = pick(0, 0, 0, 0, 0, 0, 0, text + k, text + 7 - k, k > 2, k == 1 || k == 4);
        out[5 + k] = steps(0, 0, 0, 0, 0, 0, 0, text + k, text + place[k], 4);
    }
}
