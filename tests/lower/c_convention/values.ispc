// Values that cross calls in both directions; values.c is the other side.
struct Two { float x, y; };
struct Four { double a, b, c, d; };
struct Three { double x, y, z; };
struct Mixed { int a; float b; double c; };
struct Twelve { int a, b, c; };
struct Short { int8 a; int16 b; };
struct Bytes { uint8 v[7]; };
struct Big { int64 v[5]; };
struct Halves { float16 a, b, c; };
struct Vec { float<4> v; int8 tag; };
static inline uniform Two make_two_here(uniform float a) { uniform Two r = {a, a + 1}; return r; }
export uniform Two two(uniform float a) { return make_two_here(a); }
static inline uniform Three make_three_here(uniform float a) { uniform Three r = {a, a + 1, a + 2}; return r; }
export uniform Three three(uniform float a) { return make_three_here(a); }
static inline uniform Four make_four_here(uniform float a) { uniform Four r = {a, a + 1, a + 2, a + 3}; return r; }
export uniform Four four(uniform float a) { return make_four_here(a); }
static inline uniform Mixed make_mixed_here(uniform float a) { uniform Mixed r = {a, a + 1, a + 2}; return r; }
export uniform Mixed mixed(uniform float a) { return make_mixed_here(a); }
static inline uniform Twelve make_twelve_here(uniform float a) { uniform Twelve r = {a, a + 1, a + 2}; return r; }
export uniform Twelve twelve(uniform float a) { return make_twelve_here(a); }
static inline uniform Short make_short_here(uniform float a) { uniform Short r = {a, a + 1}; return r; }
export uniform Short short_(uniform float a) { return make_short_here(a); }
static inline uniform Bytes make_bytes_here(uniform int a) { uniform Bytes r; for (uniform int k = 0; k < 7; k++) r.v[k] = a + k; return r; }
export uniform Bytes bytes(uniform int a) { return make_bytes_here(a); }
static inline uniform Big make_big_here(uniform int64 a) { uniform Big r; for (uniform int k = 0; k < 5; k++) r.v[k] = a * k; return r; }
export uniform Big big(uniform int64 a) { return make_big_here(a); }
#ifndef WITHOUT_HALVES
export uniform Halves halves(uniform float a) { uniform Halves r = {(float16)a, (float16)(a + 1), (float16)(a + 2)}; return r; }
#endif
export void vec(uniform Vec * uniform r, uniform float a) { r->v = a; r->v.y = 2 * a; r->tag = -1; }
export uniform bool less(uniform int8 a, uniform uint16 b, uniform bool flip) { return (a < b) != flip; }
export uniform int8 narrow(uniform int a) { return a; }
extern "C" uniform double sum_structs(uniform int8 n, uniform Two a, uniform Four b, uniform Three c, uniform Mixed d, uniform Twelve e, uniform Short f,
  uniform Bytes g, uniform Big h, uniform int64 i, uniform bool k, uniform Twelve l, uniform Two m, uniform Four o, uniform uint16 p);
export uniform double call_all(uniform float a) {
  uniform int8 n = -3; uniform uint16 p = 65530;
  return sum_structs(n, make_two_here(a), make_four_here(a), make_three_here(a), make_mixed_here(a), make_twelve_here(a),
                     make_short_here(a), make_bytes_here(a), make_big_here((uniform int64)a), 1LL << 40, a > 0,
                     make_twelve_here(a + 1), make_two_here(a + 10), make_four_here(a + 20), p);
}
#ifdef WITHOUT_HALVES
static inline uniform Halves make_halves(uniform float16 a) { uniform Halves r = {a, a * 2, a * 3}; return r; }
#else
extern "C" uniform Halves make_halves(uniform float16 a);
#endif
extern "C" uniform Twelve make_twelve(uniform Twelve a);
extern "C" uniform Big make_big(uniform Big a);
extern "C" uniform bool c_not(uniform bool a);
extern "C" uniform int8 c_narrow(uniform int16 a);
export uniform float back(uniform float a) {
  uniform Halves h = make_halves((uniform float16)a);
  return (float)h.a + (float)h.b + (float)h.c + make_twelve(make_twelve_here(a)).c + (uniform float)make_big(make_big_here((uniform int64)a)).v[4] + (c_not(a > 0) ? 1000 : 0) + c_narrow((uniform int16)a);
}

// A float beside an integer, and unsigned integers with their highest bit.
struct Blend { int8 a; float b; };
struct Long { float a; int64 b; };
struct Single { double a; };
extern "C" uniform Blend c_blend(uniform Blend a, uniform Long b, uniform Single c, uniform uint32 d);
extern "C" uniform Long blended(uniform Blend a, uniform Long b, uniform Single c, uniform uint32 d) {
  a = c_blend(a, b, c, d);
  uniform Long r = {a.b, a.a + b.b + d};
  return r;
}

// A function of the C convention written here.
extern "C" uniform double turn(uniform int8 n, uniform Two a, uniform Four b, uniform Twelve c, uniform Bytes d, uniform Big e, uniform Vec f) {
  a.x += n;
  b.d = 0;
  e.v[1] = 0;
  return a.x + 2 * a.y + b.a + 2 * b.b + 3 * b.c + c.a + 2 * c.b + 3 * c.c + d.v[6] + e.v[4] + f.v.y + f.tag;
}

struct Layout { int8 a; int64 b; int8 c; double d; int16 e; float f; int8 * g; int8 h; };
export uniform int sizes(uniform Layout * uniform l, uniform int k) {
  l->d = (double)l->b + l->f;
  uniform uint64 start = (uniform uint64)l;
  return k == 0 ? sizeof(uniform Layout) : k == 1 ? (uniform uint64)&l->b - start : k == 2 ? (uniform uint64)&l->d - start
       : k == 3 ? (uniform uint64)&l->g - start : (uniform uint64)&l->h - start;
}
export uniform int64 wide(uniform int64 a, uniform int8 b, uniform uint64 c, uniform int64 x[], uniform int n) {
  uniform int64 sum = 0;
  foreach (k = 0 ... n)
    x[k] = x[k] * a / b + c % (k + 1);
  for (uniform int k = 0; k < n; k++)
    sum += x[k];
  return sum;
}
