// Structs, vectors, pointers, function pointers, short integers, halves, soa data, statics: values of every type under masks.
struct P { float x; int k[3]; bool on; };
struct Q { P a[2]; uniform float u; float<3> v; };
static noinline Q step(Q q, P &p, int i) { q.a[i & 1].x += p.x; q.a[0].k[i % 3] += i; q.v.y = q.a[1].x; q.u += 1; p.on = !p.on; if (i > 3) { q.a[1] = q.a[0]; return q; } q.v = q.v * 2; return q; }
float<3> cross3(float<3> a, float<3> b) { float<3> r = { a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; return r; }
typedef int (*FP)(int);
int inc(int x) { return x + 1; } int dbl(int x) { return x * 2; } int neg(int x) { return -x; }
bool test_b(bool a, bool b) { bool c = a; if (b) c = !c; bool d[3] = { a, b, c }; return d[(a ? 1 : 0) + (b ? 1 : 0)] != c; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
  Q q; P p = { programIndex, { 1, 2, 3 }, programIndex < 3 };
  q.a[0] = p; q.a[1] = p; q.u = 3; q.v = 1.5f;
  for (uniform int k = 0; k < 5; k++) { if (programIndex + k > 3) q = step(q, p, programIndex + k); }
  out[programIndex] = q.a[0].x + q.a[1].x * 2 + q.a[0].k[0] * 3 + q.a[0].k[1] * 5 + q.a[1].k[2] * 7 + q.u * 11 + q.v.x + q.v.y * 13 + (p.on ? 1000 : 0);
  float<3> c = cross3(q.v, p.x);
  out[programCount + programIndex] = c.x + c.y * 3 + c.z;
  FP fp = programIndex & 1 ? inc : dbl; if (programIndex > 2) fp = neg;
  int r = 0; if (programIndex != 1) r = fp(programIndex);
  out[2 * programCount + programIndex] = r + (test_b(programIndex & 1, programIndex & 2) ? 100 : 0);
  uniform P arr[5]; for (uniform int k = 0; k < 5; k++) { arr[k].x = k; arr[k].k[1] = k * k; arr[k].on = k & 1; arr[k].k[0] = 1; arr[k].k[2] = 2; }
  P g = arr[(programIndex * 3) % 5]; if (programIndex & 1) { g.x += 1; arr[programIndex % 5] = g; }
  out[3 * programCount + programIndex] = g.x + g.k[1] + (g.on ? 50 : 0) + arr[programIndex % 5].x;
  uniform P * varying vp = &arr[programIndex % 5]; vp->k[2] = programIndex; uniform P * uniform up = &arr[1]; up->x += 5;
  out[4 * programCount + programIndex] = vp->k[2] + up->x + arr[1].x;
  int8 small = programIndex * 40; uint8 us = programIndex * 40; int16 sh = small * us; int64 big = (int64)programIndex << 33; uint64 ub = big;
  out[5 * programCount + programIndex] = small / 7 + us % 9 + sh + (double)(big / 3) + (double)(ub % 1000) + (us >> 1) + (small >> 1);
  float16 h = programIndex * 0.3f; h = h * h + 1; double d = h;
  out[6 * programCount + programIndex] = d;
  varying int vi[4]; for (uniform int k = 0; k < 4; k++) vi[k] = k * 10 + programIndex; vi[programIndex & 3] += 1000;
  out[7 * programCount + programIndex] = vi[programIndex & 3] + vi[0] + vi[3];
  uniform float<5> w = { 1, 2, 3 }; w[4] = 9; uniform int ii = 3; w[ii] = w[4] * 2; float<5> vw = w; vw[programIndex & 3] = 7;
  out[8 * programCount + programIndex] = vw[0] + vw[1] * 2 + vw[2] * 3 + vw[3] * 5 + w[4];
  soa<4> P sp[3]; for (uniform int k = 0; k < 3; k++) { sp[k].x = k + 0.5f; sp[k].k[1] = k; }
  P sq = sp[programIndex % 3]; if (programIndex > 1) { sp[programIndex % 3].k[1] += programIndex; }
  out[9 * programCount + programIndex] = sq.x + sp[programIndex % 3].k[1];
  uniform P * uniform np = uniform new uniform P[3]; np[2].x = 4; int * vnp = new int(7); if (programIndex & 1) *vnp += 3;
  out[10 * programCount + programIndex] = np[2].x + *vnp; delete np; delete vnp;
  static int counter; if (programIndex & 2) counter += programIndex; 
  out[11 * programCount + programIndex] = counter;
  const P cp = { programIndex, { 5, 6, 7 }, true }; bool ok = programIndex > 1 && cp.k[programIndex % 3] > 5 || programIndex == 0; 
  out[12 * programCount + programIndex] = ok ? cp.x : -1;
  enum E { A = 3, B, C }; E e = programIndex & 1 ? B : C; e++; 
  out[13 * programCount + programIndex] = e == C ? 1 : (e == B ? 2 : 3);
  P t1 = programIndex & 1 ? q.a[0] : q.a[1]; P t2; t2 = n > 3 ? t1 : p;
  out[14 * programCount + programIndex] = t2.x + t2.k[2];
}
