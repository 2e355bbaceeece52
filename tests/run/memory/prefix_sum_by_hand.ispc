// claim: loops that pass values from lane to lane through memory see them in order
// expect: np.cumsum(i)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int running = 0;
    foreach (k = 0 ... n) {
        uniform int row[64];
        row[programIndex] = i[k];
        int sum = running;
        for (uniform int j = 0; j < programCount; j++)
            if (j <= programIndex)
                sum += row[j];
        out[k] = sum;
        running = extract(sum, programCount - 1);
    }
}
