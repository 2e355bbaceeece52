// claim: every compound assignment computes its operation
// where:
//   def one(v):
//       v = v + 7; v = v - 3; v = v * 5
//       v = abs(v) // 3 * (1 if v >= 0 else -1)
//       v = abs(v) % 50 * (1 if v >= 0 else -1)
//       v = (v << 2) >> 1
//       return ((v & 0x7f) | 0x100) ^ 0x33
// expect: [one(int(v)) for v in i]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int v = i[k];
        v += 7;
        v -= 3;
        v *= 5;
        v /= 3;
        v %= 50;
        v <<= 2;
        v >>= 1;
        v &= 0x7f;
        v |= 0x100;
        v ^= 0x33;
        out[k] = v;
    }
}
