// claim: at a case label behind a uniform condition lanes of a varying switch join whatever the condition says
// where:
//   def one(v, w, u):
//       r, at = 0, v
//       if at == 0: r += 1
//       if at == 1 or (at == 0 and u):
//           if at == 0: r += 10
//           r += 100
//       elif at == 0:
//           r += 20
//       if at in (0, 1, 2): 
//           # for (uniform j = 0; j < w; j++) { r += 1000; case 2: r += 10000; }
//           j = 0
//           entered = at == 2
//           while entered or j < w:
//               if not entered: r += 1000
//               entered = False
//               r += 10000
//               j += 1
//       return r + 100000 if at < 3 else -1
//   def gang(u, w):
//       # the uniform counter: lanes that join at 2 take it on from where it stands, in the first round
//       return [one(k % 4, w, u) for k in range(16)]
// expect: gang(True, 1), gang(False, 2), gang(True, 2), gang(False, 0)
int one(int v, uniform int w, uniform bool u) {
    int r = 0;
    uniform int j = 0;
    switch (v) {
    case 0:
        r += 1;
        if (u) {
            r += 10;
    case 1:
            r += 100;
        } else {
            r += 20;
        }
        for (; j < w; j++) {
            r += 1000;
    case 2:
            r += 10000;
        }
        r += 100000;
        break;
    default:
        r = -1;
    }
    return r;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 16) {
        out[k] = one(k % 4, 1, true);
        out[16 + k] = one(k % 4, 2, false);
        out[32 + k] = one(k % 4, 2, true);
        out[48 + k] = one(k % 4, 0, false);
    }
}
