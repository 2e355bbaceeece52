// claim: each lane leaves a varying for loop when its own condition fails
// expect: [sum(range(int(v) & 15)) for v in i], (i & 15)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int limit = i[k] & 15, r = 0, steps = 0;
        for (int j = 0; j < limit; j++) {
            r += j;
            steps++;
        }
        out[k] = r;
        out[n + k] = steps;
    }
}
