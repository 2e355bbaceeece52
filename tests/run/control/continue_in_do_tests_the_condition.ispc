// claim: continue in a do loop goes to the test, not to the start of the body
// expect: np.minimum(np.arange(n) % 6 + 1, 5)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int count = 0;
        do {
            count++;
            if (count > 2)
                continue;
            count += 0;
        } while (count < 5 && count <= k % 6);
        out[k] = count;
    }
}
