// claim: an empty or reversed range executes nothing, and the bounds are evaluated once
// expect: [0, 0, 5, 2]
static uniform int calls = 0;
static uniform int bound(uniform int v) {
    calls++;
    return v;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 5 ... 5)
        out[0] = 1;
    foreach (k = 9 ... -3)
        out[1] = 1;
    uniform int total = 0;
    foreach (k = bound(7) ... bound(12))
        total += popcnt(k >= 0);
    out[2] = total;
    out[3] = calls;
}
