// claim: division and remainder of all integer types, signed and unsigned, by varying and constant divisors
// where:
//   def quotient(a, b): return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
//   a = [int(x) * 2 for x in i]
//   b = [k % 7 + 1 for k in range(n)]
//   u = [x & 0xffff for x in a]
// expect: [quotient(x, y) + quotient(x, 10) for x, y in zip(a, b)], [(x // y + x % 100) & 0xffff for x, y in zip(u, b)], [quotient(x, y) for x, y in zip(a, b)], [(x & 0xff) // y + (x & 0xff) % y for x, y in zip(a, b)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int16 a = i[k] * 2, b = k % 7 + 1;
        uint16 u = a, v = b;
        int64 c = a, d = b;
        uint8 e = a, g = b;
        out[k] = a / b + a / (int16)10;
        out[64 + k] = u / v + u % (uint16)100;
        out[128 + k] = c / d;
        out[192 + k] = e / g + e % g;
    }
}
