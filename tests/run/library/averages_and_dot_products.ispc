// claim: averages do not overflow, dot products of packed numbers are exact, saturated or wrapped
// where:
//   def part(x, k, bits, signed):
//       v = (x >> (bits * k)) & ((1 << bits) - 1)
//       return v - (1 << bits) if signed and v >> (bits - 1) else v
//   def dot(a, b, bits, sa, sb):
//       return sum(part(a, k, bits, sa) * part(b, k, bits, sb) for k in range(32 // bits))
//   A = [(int(x) * 0x9E3779B1) & 0xFFFFFFFF for x in i]
//   B = [(int(x) * 0x85EBCA6B + 77) & 0xFFFFFFFF for x in i]
//   def wrap(x): return (x + 2**31) % 2**32 - 2**31
// expect: [math.trunc((part(a, 0, 8, True) + part(b, 0, 8, True) + 1) / 2) + 1000 * ((part(a, 0, 16, False) + part(b, 0, 16, False)) // 2) for a, b in zip(A, B)], [wrap(dot(a, b, 8, False, True) + 7) for a, b in zip(A, B)], [min(2**31 - 1, dot(a, b, 16, True, True) + 2**31 - 5) for a, b in zip(A, B)], [(dot(a, b, 16, False, False) + 2**31) % 2**32 for a, b in zip(A, B)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        uint32 a = (uint32)i[k] * 0x9E3779B1, b = (uint32)i[k] * 0x85EBCA6B + 77;
        out[k] = avg_up((int8)a, (int8)b) + 1000.0d * avg_down((uint16)a, (uint16)b);
        out[n + k] = dot4add_u8i8packed(a, b, 7);
        out[2 * n + k] = dot2add_i16i16packed_sat(a, b, 2147483643);
        out[3 * n + k] = dot2add_u16u16packed(a, b, 0x80000000);
    }
}
