// claim: saturating products and quotients are exact or the limit of their type
// where:
//   def clip(x, bits, signed): return max(-2**(bits - 1) if signed else 0, min(2**(bits - 1) - 1 if signed else 2**bits - 1, x))
//   big = [int(x) * 2**58 for x in i]
// expect: [clip(int(x) * 7, 8, True) for x in i], [clip(int(x) * 50000000, 32, True) for x in i], [float(clip((int(x) << 58) * -3, 64, True)) if abs(int(x)) < 32 else 0 for x in i], [127 if x == 3 else math.trunc(-128 / (int(x) - 4)) if x != 4 else 0 for x in i]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = saturating_mul((int8)i[k], (int8)7);
        out[n + k] = saturating_mul(i[k], 50000000 + 0 * i[k]);
        if (abs(i[k]) < 32) {
            int64 wide = (int64)i[k] * 288230376151711744ll, factor = -3;
            out[2 * n + k] = saturating_mul(wide, factor);
        }
        if (i[k] != 4) {
            int8 low = -128, by = i[k] - 4;
            out[3 * n + k] = saturating_div(low, by);
        }
    }
}
