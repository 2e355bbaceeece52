// claim: a loop whose counter is the same in all lanes that are on does for each of them what it says
// where:
//   row = [sum(k * i[(l + k) % 64] for k in range(8) if i[(l + k) % 64] > 0) for l in range(W)]
//   odd = [0 if l % 2 == 0 else 5 + 4 + 3 for l in range(W)]
//   grid = [sum((l + j) * k for j in range(4) for k in range(j + 1)) for l in range(W)]
//   left = [min(l, 6) for l in range(W)]
//   skips = [sum(k for k in range(2, 20, 3) if (k + l) % 2) for l in range(W)]
// expect: row, odd, grid, left, skips, [3 if W > 1 else 0, 250 + 253, 9 * 20], [7 if l == 3 else 0 for l in range(W)]
struct Pair {
    float x[3];
    int y[3];
};

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int v[8];
    for (int k = 0; k < 8; k++)
        v[k] = i[(programIndex + k) % n];
    int sum = 0;
    for (int k = 0; k < 8; ++k)
        if (v[k] > 0)
            sum += k * v[k];
    out[programIndex] = sum;
    // Some lanes are off.
    int odd = 0;
    if ((programIndex & 1) != 0) {
        for (int k = 5; k >= 3; k--)
            odd += k;
    }
    out[programCount + programIndex] = odd;
    // One in the other, and members of structs.
    Pair pair;
    int grid = 0;
    for (int j = 0; j < 4; j++)
        for (int k = 0; k <= j; k++) {
            pair.y[k % 3] = (programIndex + j) * k;
            grid += pair.y[k % 3];
        }
    out[2 * programCount + programIndex] = grid;
    // Lanes leave at places of their own.
    int left = 6;
    for (uniform int k = 0; k < 6; k++)
        if (k == programIndex) {
            left = k;
            break;
        }
    out[3 * programCount + programIndex] = left;
    int skips = 0;
    for (int k = 2; k < 20; k += 3) {
        if (((k + programIndex) & 1) == 0)
            continue;
        skips += k;
    }
    out[4 * programCount + programIndex] = skips;
    // What is one for the gang happens once an iteration.
    uniform int times = 0;
    if (programIndex > 0)
        for (int k = 0; k < 3; k++)
            times++;
    out[5 * programCount] = times;
    int wide = 0;
    for (uint8 k = 250; k != 0; k += 3)
        wide += k < 255 ? k : 0;
    out[5 * programCount + 1] = reduce_max(wide);
    int bound = 0;
    for (int k = 0; k < n - 44; k++)
        bound += 9;
    out[5 * programCount + 2] = reduce_max(bound);
    // Another lane's counter, of one that has left.
    int other = 0;
    for (int k = 0; k < 9; k++) {
        if (k > programIndex + 4)
            break;
        if (programIndex == 3)
            other = broadcast(k, 0) >= 4 ? 7 : 0;
    }
    out[5 * programCount + 3 + programIndex] = other;
}
