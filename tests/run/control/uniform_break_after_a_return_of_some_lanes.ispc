// claim: a uniform break of a switch or loop leaves it for the lanes that have not returned before
// where:
//   def one(v, m):
//       if v > 40: return 1
//       if m == 6:
//           if v % 3 == 0: return 2
//           v += 10
//       for j in range(10):
//           if v % 5 == j: return 100 + j
//           if j == m - 4: break
//           v += 1
//       return v
// expect: [one(k, 6) for k in range(n)], [one(k, 5) for k in range(n)]
static noinline int g(int v, uniform int m) {
    if (v > 40)
        return 1;
    switch (m) {
    case 6:
        if (v % 3 == 0)
            return 2;
        if (m > 60)
            return 5;
        v += 10;
        break;
    }
    for (uniform int j = 0; j < 10; j++) {
        if (v % 5 == j)
            return 100 + j;
        if (m > 70)
            return 6;
        if (j == m - 4)
            break;
        v += 1;
    }
    return v;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = g(k, 6);
        out[64 + k] = g(k, 5);
    }
}
