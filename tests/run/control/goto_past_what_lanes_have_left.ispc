// claim: a goto past returns and into loops finds the lanes that are still there
// where:
//   def past(v, a):
//       r = 1 if v > 2 else 0
//       if not a and v > 3: return 99
//       if v > 4: return 77
//       return r + 5
//   def into(v, a):
//       r, k, label = v, 0, a > 2
//       if not label: r += 100
//       while label or k < 3:
//           if not label: r += 10
//           label = False
//           r += 1
//           k += 1
//           if r == 4: break
//           if v == 5: continue
//           r += 1000
//       return r if a == 1 else r * 2
// expect: [past(k, 0) for k in range(8)], [past(k, 1) for k in range(8)], [into(k % 8, k // 8) for k in range(32)]
int past(int v, uniform int a) {
    int r = 0;
    if (v > 2) r += 1;
    if (a) goto skip;
    if (v > 3) return 99;
skip:
    if (v > 4) return 77;
    r += 5;
    return r;
}

int into(int v, uniform int a) {
    int r = v;
    uniform int k = 0;
    if (a > 2) goto middle;
    r += 100;
    while (k < 3) {
        r += 10;
middle:
        r++;
        k++;
        if (r == 4) break;
        if (v == 5) continue;
        r += 1000;
    }
    if (a == 1) goto end;
    { int twice = r * 2; r = twice; }
end: ;
    return r;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (uniform int a = 0; a < 2; a++)
        foreach (k = 0 ... 8)
            out[8 * a + k] = past(k, a);
    for (uniform int a = 0; a < 4; a++)
        foreach (k = 0 ... 8)
            out[16 + 8 * a + k] = into(k, a);
}
