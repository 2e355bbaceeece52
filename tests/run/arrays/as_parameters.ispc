// claim: array parameters are pointers to their first element
// expect: [30, 30, 2 * W], L * 2
static uniform int sum(uniform int a[], uniform int count) {
    uniform int s = 0;
    for (uniform int k = 0; k < count; k++)
        s += a[k];
    return s;
}
static uniform int second(uniform int a[][3], uniform int row) {
    return a[row][0] + a[row][1] + a[row][2];
}
static uniform int rows(int a[4]) {
    a[1] = 2 * programIndex;
    return popcnt(programIndex >= 0) * 2;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int v[4] = { 3, 6, 9, 12 };
    out[0] = sum(v, 4);
    uniform int m[2][3] = { { 1, 2, 3 }, { 9, 10, 11 } };
    out[1] = second(m, 1);
    int lanes[4];
    out[2] = rows(lanes);
    out[3 + programIndex] = lanes[1];
}
