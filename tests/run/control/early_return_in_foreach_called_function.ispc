// claim: varying returns at several depths leave exactly their lanes
// where:
//   def one(v):
//       if v < 0:
//           for j in range(5):
//               if v + j == -2: return 100 + j
//           return 200
//       for j in range(v):
//           if j * 3 > v: return 300 + j
//           if j == 7: break
//       return v
// expect: [one(int(v)) for v in i]
static int search(int v) {
    if (v < 0) {
        for (int j = 0; j < 5; j++) {
            if (v + j == -2)
                return 100 + j;
        }
        return 200;
    }
    for (int j = 0; j < v; j++) {
        if (j * 3 > v)
            return 300 + j;
        if (j == 7)
            break;
    }
    return v;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = search(i[k]);
}
