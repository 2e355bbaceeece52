// claim: cfor, cwhile and cdo have the meaning of for, while and do
// expect: [sum(j * j for j in range(3 + k % 5)) for k in range(n)], np.arange(n) % 7 + 1, np.maximum(np.arange(n) % 4, 1)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int a = 0, b = 0, c = 0;
        cfor (int j = 0; j < 3 + k % 5; j++)
            a += j * j;
        int left = k % 7;
        cwhile (left >= 0) {
            b++;
            left--;
        }
        int again = k % 4;
        cdo {
            c++;
        } while (c < again);
        out[k] = a;
        out[64 + k] = b;
        out[128 + k] = c;
    }
}
