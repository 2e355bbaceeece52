// claim: the tile of a three-dimensional foreach_tiled follows the rule of spans
// where:
//   def spans(width, dimensions):
//       left, found = width, []
//       for d in range(dimensions):
//           r = dimensions - 1 - d
//           s = left if r == 0 else 1 if r >= left.bit_length() - 1 else 4 if left >= 16 and r == 1 else 2
//           found.append(s)
//           left //= s
//       return found
//   s = spans(W, 3)
//   def lane(a, b, c): return (a % s[0]) * s[1] * s[2] + (b % s[1]) * s[2] + c % s[2]
// expect: [lane(a, b, c) for a in range(4) for b in range(4) for c in range(8)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach_tiled (a = 0 ... 4, b = 0 ... 4, c = 0 ... 8)
        out[(a * 4 + b) * 8 + c] = programIndex;
}
