// claim: a reference to a struct is cast to one to a struct of its first members, which names the same memory
// where:
//   x = f.astype(np.float64)
//   grown = np.where(i > 0, x + 10, x)
// expect: [2, 7, 9, 6, 4, 3, 1, 12, 21, 5, 40], [0] * 53, grown, grown * 2 + i, np.where(f > 0, 3, i), np.where(f > 0, 5, 4)
struct V2 { float x, y; };
struct V3 { float x, y, z; };
struct Header { int kind; V2 box; };
struct Record { int kind; V2 box; double weights[2]; int8 tail; };
struct Narrow { int8 a; int64 b; bool c; };
struct Wide { int8 a; int64 b; bool c; int16 d; float<3> e; };
struct Fixed { uniform int first; varying float second; };
struct Longer { uniform int first; varying float second; int third; };
struct Of { uniform V3 &whole; };
struct E { };

static inline uniform V2 &first_two(uniform V3 &v) { return (uniform V2 &)v; }
static inline varying V2 &first_two(varying V3 &v) { return (V2 &)v; }
static inline const uniform V2 &first_two(const uniform V3 &v) { return (const uniform V2 &)v; }
static inline const V2 &first_two(const V3 &v) { return (const V2 &)v; }
static noinline uniform float sum(const uniform V2 &v) { return v.x + v.y; }
static noinline float sum(const varying V2 &v) { return v.x + v.y; }
static noinline void grow(varying V2 &v, float by) { v.x += by; }
static noinline uniform int kind_of(const uniform Header &h) { return h.kind; }
static noinline void exchange(varying Narrow &v, int8 a) { v.a = a; v.c = !v.c; }

static uniform V3 global = { 4, 5, 6 };
static uniform V3 row[4];

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform V3 u = { 1, 2, 3 };
    out[0] = first_two(u).y;
    first_two(u).x = 5;
    out[1] = sum((uniform V2 &)u);
    uniform V2 &r = (V2 &)u;
    u.y = 4;
    out[2] = r.x + r.y;
    const uniform V3 c = u;
    out[3] = (((const uniform V2 &)c).x + ((const V2 &)u).x) * 0.5f + 1;
    out[4] = ((uniform V2 &)global).x;
    row[2].x = 3;
    out[5] = ((uniform V2 &)row[2]).x;
    uniform Record record = { 1, { 2, 3 }, { 4, 5 }, 6 };
    out[6] = kind_of((uniform Header &)record);
    ((uniform Header &)record).box.y = 8;
    out[7] = record.weights[0] + record.box.y;
    uniform Record many[3];
    many[1].kind = 21;
    uniform Record * uniform p = many;
    out[8] = kind_of((const uniform Header &)p[1]);
    uniform Of of = { u };
    out[9] = ((uniform V2 &)of.whole).x;
    Longer longer;
    longer.first = 40;
    ((Fixed &)longer).second = 1;
    out[10] = ((Fixed &)longer).first;
    uniform E &none = (uniform E &)u;
    foreach (k = 0 ... n) {
        V3 v;
        v.x = f[k]; v.y = i[k]; v.z = 0;
        if (i[k] > 0)
            grow((V2 &)v, 10);
        out[64 + k] = v.x;
        if (i[k] > 0) {
            first_two(v) = (varying V2 &)v;
            V2 both = (V2 &)v;
            both.x *= 2;
            ((V2 &)v) = both;
        } else
            first_two(v).x *= 2;
        out[128 + k] = sum((const V2 &)v);
        Wide w;
        w.a = 4; w.b = i[k]; w.c = true; w.d = 7;
        if (f[k] > 0) {
            exchange((Narrow &)w, 5);
            ((varying Narrow &)w).b = 3;
        }
        out[192 + k] = w.b + (w.d - 7);
        out[256 + k] = w.a + (w.c == (f[k] <= 0) ? 0 : 100);
    }
    row[2].x = 0;
}
