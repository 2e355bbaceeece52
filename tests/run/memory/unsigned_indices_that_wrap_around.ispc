// claim: sums of unsigned numbers are indices of consecutive elements, and of those at the other end where they wrap around
// expect: f[3:43], i[:12], np.arange(40) + 1, np.where(np.arange(40) % 4 == 3, -1, i[(np.arange(40) + 40) % 64]), f[(250 + np.arange(24)) % 256 % 64], f[63 - np.arange(20)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform unsigned int base = n / 20;
    uniform unsigned int back = 0xfffffffc;
    foreach (t = 0 ... 40)
        out[t] = f[base + t];
    foreach (t = 0 ... 16) {
        unsigned int k = back + t;
        if (k < 64)
            out[40 + k] = i[k];
    }
    uniform unsigned int rows = n / 16, columns = 10;
    uniform float table[40];
    for (uniform unsigned int row = 0; row < rows; ++row)
        foreach (column = 0 ... columns)
            table[row * columns + column] = row * columns + column + 1;
    foreach (t = 0 ... 40)
        out[52 + t] = table[t];
    uniform unsigned int64 wide = 40;
    foreach (t = 0 ... 40) {
        unsigned int at = t - 24u;
        double value = -1;
        if ((t & 3) != 3)
            value = at < 16 ? i[at] : i[wide + t];
        out[92 + t] = value;
    }
    uniform float all[256];
    for (uniform int k = 0; k < 256; ++k) all[k] = f[k & 63];
    uniform unsigned int8 start = 250;
    foreach (t = 0 ... 24)
        out[132 + t] = all[(unsigned int8)(start + (unsigned int8)t)];
    uniform unsigned int last = n - 1;
    foreach (t = 0 ... 20)
        out[156 + t] = f[last - t];
}
