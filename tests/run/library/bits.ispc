// claim: popcnt, leading and trailing zeros and the bits of floats
// expect: [bin(int(v) & 0xffffffff).count("1") for v in i], [32 - (k * k).bit_length() for k in range(n)], f.view(np.uint32), [(k & -k).bit_length() - 1 if k else 32 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = popcnt(i[k]);
        out[64 + k] = count_leading_zeros(k * k);
        out[128 + k] = intbits(f[k]);
        out[192 + k] = count_trailing_zeros(k);
    }
}
