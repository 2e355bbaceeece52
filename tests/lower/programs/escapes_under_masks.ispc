// break, continue, return, switch and goto under masks in every nesting; sums of what the lanes did.
int f1(int x, uniform int n) { int r = 0; for (uniform int i = 0; i < n; i++) { if (x == i) continue; if (x == i + 3) break; uniform int k = 0; while (k < 3) { k++; if (x < k) continue; r += k; if (r > 40) return r; } if (n == 7) break; r++; } return r + 1000; }
int f2(int x) { int r = 0; switch (x & 7) { case 0: r = 1; if (x > 8) break; r += 2; case 3: { r += 10; for (int j = 0; j < x; j++) { if (j == 4) break; if (j == 2) continue; r += j; } } case 4: r += 100; break; default: r += 5; if (x & 8) return r; r += 7; case 6: r += 1000; } return -r; }
int f3(int x, uniform int m) { int r = x; do { r += 2; if (r & 4) continue; r++; if (r > 30) return r; } while (r < x * 2 && m > 0); uniform int q = 0; do { q++; if (x > q) continue; r += q; } while (q < m); return r; }
uniform int f4(int x, uniform int m) { uniform int total = 0; for (int i = 0; i < x; i++) { total += 1; if (total > 50) break; cif (i > 3) { if (x > 6) { total += 100; return total; } } else { total += 2; } } return total; }
int f5(int x, uniform int m) { int r = 0; switch (m) { case 1: r += 1; case 2: if (x > 3) { r += 2; break; } r += 4; case 5: r += 8; if (x & 1) return r; r += 16; break; case 9: for (uniform int i = 0; i < 3; i++) { if (x == i) break; r += 32; } default: r += 64; } r += 128; return r; }
int f6(int x, uniform int m) { int r = 0; uniform int i = 0; again: i++; r += x; if (i < m) goto again; if (m == 3) goto out; r += 1000; out: return r; }
int f7(int x) { int r = 0; foreach_active (l) { r += l; if (l & 1) continue; r += 100; } foreach_unique (v in x & 3) { r += v * 1000; if (v == 2) continue; r += 7; } return r; }
int f8(int x, uniform int m) { int r = 0; cfor (int i = 0; i < x; i++) { if (i == m) continue; cwhile (r < i * 3) { r += 2; if (r == 8) break; } cif (r > 20) break; r++; } cdo { r--; if (r < x) break; } while (r > 3); return r; }
int f9(int x, uniform int m) { int r = x; if (x > 2) { if (m > 2) { if (x > 5) return 77; r += 1; } else { r += 3; } r += 10; if (x == 4) { unmasked { r += 100; } } } r += 1000; return r; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
  uniform int p = 0;
  for (uniform int m = 0; m < 10; m++) {
    int x = programIndex + m - 2;
    int z = 0;
    z = z * 31 + f1(x, m) % 1009; z = z * 31 + f2(x) % 1009; z = z * 31 + f3(x, m) % 1009; z = z % 10007;
    z = z * 31 + f4(x, m); z = z * 31 + f5(x, m); z = z % 10007; z = z * 31 + f6(x, m); z = z * 31 + f7(x); z = z % 10007; z = z * 31 + f8(x, m); z = z * 31 + f9(x, m);
    out[p + programIndex] = z; p += programCount;
    if (x & 1) { out[p + programIndex] = f1(x, m) + f2(x) * 3 + f5(x, m) * 5 + f8(x, m) * 7 + f7(x) + f3(x,m); }
    if (p > 200) break;
    p += programCount;
    if (p + 2 * programCount > 256) break;
  }
}
