// The C side of values.ispc: check() gives the line of the first check that fails, or 0.
#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>
struct Two { float x, y; };
struct Four { double a, b, c, d; };
struct Three { double x, y, z; };
struct Mixed { int a; float b; double c; };
struct Twelve { int a, b, c; };
struct Short { int8_t a; int16_t b; };
struct Bytes { uint8_t v[7]; };
struct Big { int64_t v[5]; };
struct Vec { struct { float v[4]; } __attribute__((aligned(16))) v; int8_t tag; };
struct Layout { int8_t a; int64_t b; int8_t c; double d; int16_t e; float f; int8_t *g; int8_t h; };
struct Two two(float); struct Three three(float); struct Four four(float); struct Mixed mixed(float); struct Twelve twelve(float); struct Short short_(float); struct Bytes bytes(int); struct Big big(int64_t); 
bool less(int8_t, uint16_t, bool); int8_t narrow(int); void vec(struct Vec *, float); double call_all(float);
double turn(int8_t n, struct Two a, struct Four b, struct Twelve c, struct Bytes d, struct Big e, struct Vec f);
int sizes(struct Layout *, int);
int64_t wide(int64_t, int8_t, uint64_t, int64_t *, int);
 float back(float);
double sum_structs(int8_t n, struct Two a, struct Four b, struct Three c, struct Mixed d, struct Twelve e, struct Short f, struct Bytes g, struct Big h, int64_t i, bool k, struct Twelve l, struct Two m, struct Four o, uint16_t p) {
  double s = n + a.x + 2*a.y + b.a + 2*b.b + 3*b.c + 4*b.d + c.x + 2*c.y + 3*c.z + d.a + 2*d.b + 3*d.c + e.a + 2*e.b + 3*e.c + f.a + 2 * f.b;
  for (int j = 0; j < 7; j++) s += (j + 1) * g.v[j];
  for (int j = 0; j < 5; j++) s += (j + 1) * h.v[j];
  h.v[0] = 77; g.v[1] = 3; b.a = 2;
  return s + i + k + l.a + 2*l.b + 3*l.c + m.x + 2*m.y + o.a+2*o.b+3*o.c+4*o.d + p;
}
#ifndef WITHOUT_HALVES
struct Halves { HALF a, b, c; };
struct Halves halves(float);
struct Halves make_halves(HALF a) { struct Halves h = {a, a * 2, a * 3}; return h; }
#endif
struct Blend { int8_t a; float b; };
struct Long { float a; int64_t b; };
struct Single { double a; };
struct Long blended(struct Blend a, struct Long b, struct Single c, uint32_t d);
struct Blend c_blend(struct Blend a, struct Long b, struct Single c, uint32_t d) {
  struct Blend r = {a.a + 1, a.b + b.a + c.a + (d > 4000000000u) + (b.b == 1LL << 40)};
  return r;
}
struct Twelve make_twelve(struct Twelve a) { a.c += a.a + a.b; return a; }
struct Big make_big(struct Big a) { for (int k = 0; k < 5; k++) a.v[k] += 7; return a; }
bool c_not(bool a) { return !a; }
int8_t c_narrow(int16_t a) { return (int8_t)(a * 3); }

#define CHECK(test) if (!(test)) return __LINE__;

static int check(void) {
  struct Two t = two(1.5f);
  CHECK(t.x == 1.5f && t.y == 2.5f)
  struct Three h = three(1.5f);
  CHECK(h.x == 1.5 && h.y == 2.5 && h.z == 3.5)
  struct Four f = four(1.5f);
  CHECK(f.a == 1.5 && f.b == 2.5 && f.c == 3.5 && f.d == 4.5)
  struct Mixed m = mixed(-3);
  CHECK(m.a == -3 && m.b == -2 && m.c == -1)
  struct Twelve w = twelve(-3);
  CHECK(w.a == -3 && w.b == -2 && w.c == -1)
  struct Short s = short_(-100);
  CHECK(s.a == -100 && s.b == -99)
  struct Bytes b = bytes(250);
  for (int k = 0; k < 7; k++)
    CHECK(b.v[k] == (uint8_t)(250 + k))
  struct Big g = big(1000000000000);
  for (int k = 0; k < 5; k++)
    CHECK(g.v[k] == 1000000000000 * k)
#ifndef WITHOUT_HALVES
  struct Halves l = halves(1.5f);
  CHECK((float)l.a == 1.5f && (float)l.b == 2.5f && (float)l.c == 3.5f)
#endif
  struct Long n = blended((struct Blend){-100, 0.5f}, (struct Long){2, 1LL << 40}, (struct Single){8}, 4294967295u);
  CHECK(n.a == 12.5f && n.b == -99 + (1LL << 40) + 4294967295LL)
  struct Vec v;
  vec(&v, 3);
  CHECK(v.v.v[0] == 3 && v.v.v[1] == 6 && v.v.v[3] == 3 && v.tag == -1)
  volatile int big_ = 259;
  volatile int64_t wide_ = 0x12340000ffffLL;
  CHECK(less((int8_t)big_, (uint16_t)wide_, false) == true)
  CHECK(less((int8_t)big_, 65535, true) == false)
  CHECK(narrow(200) == -56)
  CHECK(call_all(7) == 1099511694577.0)
  CHECK(back(2) == 42 && back(-2) == 978)
  vec(&v, 2);
  CHECK(turn(-3, two(7), four(7), twelve(7), bytes(7), big(7), v) == 4 + 16 + 7 + 16 + 27 + 7 + 16 + 27 + 13 + 28 + 4 - 1)
  struct Layout y = {0};
  y.b = 1LL << 33;
  y.f = 0.5f;
  CHECK(sizes(&y, 0) == (int)sizeof(struct Layout) && y.d == 8589934592.5)
  CHECK(sizes(&y, 1) == (int)offsetof(struct Layout, b) && sizes(&y, 2) == (int)offsetof(struct Layout, d))
  CHECK(sizes(&y, 3) == (int)offsetof(struct Layout, g) && sizes(&y, 4) == (int)offsetof(struct Layout, h))
  int64_t x[37], sum = 0;
  for (int k = 0; k < 37; k++) {
    x[k] = (k - 7) * 10000000000LL;
    sum += x[k] * -12345 / -7 + (int64_t)(0xfedcba9876543210ULL % (uint64_t)(k + 1));
  }
  CHECK(wide(-12345, -7, 0xfedcba9876543210ULL, x, 37) == sum)
  return 0;
}
