// claim: a loop that steps from gang to gang by programCount runs what it says, whatever its bounds and its body do
// where:
//   a = np.zeros(64); a[3:60] = 1; a[3:60:2] += f[3:60:2]
//   b = np.zeros(64); b[[k for k in range(51) if i[k] % 3 != 0]] = 2
// expect: a, b, 1225, 600, 6 * W, sum(range(3 * W)), 2 * W, 12 * W, sum(W * 3 for k in range(21)), sum(range(0, 2 * W)) * 3
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (int k = 3 + programIndex; k < n - 4; k += programCount) {
        out[k] = 1;
        if ((k & 1) != 0)
            out[k] += f[k];
    }
    for (int k = programIndex; k <= 50; k += programCount) {
        if (i[k] % 3 == 0)
            continue;
        out[64 + k] = 2;
    }
    int sum = 0;
    for (int k = programIndex; k < 50; k += programCount)
        sum += k;
    out[128] = reduce_add(sum);
    // Some lanes do not come to it.
    int even = 0;
    if ((programIndex & 1) == 0)
        for (int k = programIndex; k < 50; k += programCount)
            even += (k & 1) == 0 ? k : 0;
    out[129] = reduce_add(even);
    // The bound moves.
    uniform int last = 4 * programCount;
    int count = 0;
    for (int k = programIndex; k < last; k += programCount) {
        if (last < 6 * programCount)
            last += programCount;
        count++;
    }
    out[130] = reduce_add(count);
    // All leave early.
    int left = 0;
    for (int k = programIndex; k < 6 * programCount; k += programCount) {
        if (k >= 3 * programCount)
            break;
        left += k;
    }
    out[131] = reduce_add(left);
    // The body steps, too.
    int twice = 0;
    for (int k = programIndex; k < 4 * programCount; k += programCount) {
        twice++;
        k += programCount;
    }
    out[132] = reduce_add(twice);
    // One in the other, and a foreach in one.
    int inner = 0;
    for (int k = programIndex; k < 2 * programCount; k += programCount) {
        for (int m = programIndex; m < 3 * programCount; m += programCount)
            inner++;
        foreach (m = 0 ... 3 * programCount)
            inner++;
    }
    out[133] = reduce_add(inner);
    // Once where all lanes are on, and once more where some are.
    int all = 0;
    foreach (m = 0 ... 21)
        for (int k = programIndex; k < 3 * programCount; k += programCount)
            all += programCount;
    out[134] = reduce_add(all);
    int some = 0;
    cif (n > programIndex)
        for (int k = programIndex; k < 2 * programCount; k += programCount)
            some += 3 * k;
    out[135] = reduce_add(some);
}
