// claim: sizes of array parameters, inner ones too, are template parameters or made of them, and are deduced
// expect: [12, 6, 24, 21]
template <typename T, int N, int M> uniform T total(uniform T (&a)[N][M]) {
    uniform T s = 0;
    for (uniform int y = 0; y < N; y++)
        for (uniform int x = 0; x < M; x++) s += a[y][x];
    return s;
}
template <int N> uniform int rows(uniform int a[][N], uniform int count) {
    uniform int s = 0;
    for (uniform int y = 0; y < count; y++)
        for (uniform int x = 0; x < N; x++) s += a[y][x] * N / 1;
    return s * 2 / N;
}
template <int N> int wider(varying int a[N][N + 1]) {
    int s = 0;
    for (uniform int y = 0; y < N; y++)
        for (uniform int x = 0; x <= N; x++) s += a[y][x];
    return s;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int a[2][3] = { { 1, 2, 3 }, { 1, 2, 3 } };
    uniform float b[1][3] = { { 1, 2, 3 } };
    int c[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
    out[0] = total<int, 2, 3>(a);
    out[1] = total(b);
    out[2] = rows(a, 2);
    out[3] = extract(wider<2>(c), 1);
}
