// claim: arrays of uniform elements, one- and two-dimensional, row major
// expect: [0, 1, 10, 11, 20, 21], [11, 4]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int a[3][2];
    for (uniform int row = 0; row < 3; row++)
        for (uniform int column = 0; column < 2; column++)
            a[row][column] = 10 * row + column;
    uniform int * uniform flat = &a[0][0];
    foreach (k = 0 ... 6)
        out[k] = flat[k];
    uniform int index = n - 63;
    out[6] = a[index][index];
    uniform int b[] = { 4, 3, 2, 1 };
    out[7] = sizeof(b) / sizeof(uniform int);
}
