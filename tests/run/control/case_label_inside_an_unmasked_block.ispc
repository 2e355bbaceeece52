// claim: an unmasked block that lanes enter at a case label runs from there with all lanes on; the mask behind it has those that joined
// widths: 4 8 16
// where:
//   def gang(values):
//       # case 0: a; unmasked { b; case 1: c; } d; break; default: e
//       falls, joins = [v == 0 for v in values], [v == 1 for v in values]
//       r = []
//       for v in values:
//           one = (1 if v == 0 else 0) + (10 if any(falls) else 0) + (100 if any(falls) or any(joins) else 0)
//           r.append(one + (1000 if v in (0, 1) else 0) + (5 if v > 1 else 0))
//       return r
// expect: gang(L % 3), gang(L % 3 + 1), gang(L + 2), gang(0 * L)
int one(int v) {
    int r = 0;
    switch (v) {
    case 0:
        r += 1;
        unmasked {
            r += 10;
    case 1:
            r += 100;
        }
        r += 1000;
        break;
    default:
        r += 5;
    }
    return r;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int lane = programIndex;
    out[lane] = one(lane % 3);
    out[programCount + lane] = one(lane % 3 + 1);
    out[2 * programCount + lane] = one(lane + 2);
    out[3 * programCount + lane] = one(0 * lane);
}
