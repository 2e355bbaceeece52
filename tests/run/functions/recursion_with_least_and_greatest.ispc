// claim: a recursive function gives the least or the greatest of what its calls gave, in each integer type
// where:
//   depth = lambda v: 0 if v <= 0 else 1 + max(depth(v // 2 - 1), depth(v - 3))
//   most = lambda v: 0 if v <= 0 else max(most(v - 2) * 3 % 101, v)
//   least = lambda v: 100 if v <= 0 else min(least(v - 3) * 2 % 97, v * 5 % 64)
// expect: [depth(k % 24) for k in range(n)], [most(k) for k in range(n)], [least(k) for k in range(n)]
static int depth(int v) {
    if (v <= 0)
        return 0;
    int left = depth((v >> 1) - 1);
    int right = depth(v - 3);
    return 1 + (left > right ? left : right);
}
static int64 most(int64 v) {
    if (v <= 0)
        return 0;
    return max(most(v - 2) * 3 % 101, v);
}
static uint16 least(int v) {
    if (v <= 0)
        return 100;
    return min((uint16)(least(v - 3) * 2 % 97), (uint16)(v * 5 % 64));
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = depth(k % 24);
        out[64 + k] = most(k);
        out[128 + k] = least(k);
    }
}
