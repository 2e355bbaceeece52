// claim: a varying while loop iterates until every lane is done
// where:
//   def steps(v):
//       count = 0
//       while v != 1:
//           v = v // 2 if v % 2 == 0 else 3 * v + 1
//           count += 1
//       return count
// expect: [steps(k + 1) for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int v = k + 1, count = 0;
        while (v != 1) {
            if (v % 2 == 0)
                v /= 2;
            else
                v = 3 * v + 1;
            ++count;
        }
        out[k] = count;
    }
}
