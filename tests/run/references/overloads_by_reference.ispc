// claim: overloads tell values, references and const references apart by how the argument was declared
// where:
//   types = 9
// expect: [0, 1, 2, 5, 6, 7] * types, [1, 2, 1, 2, 0, 1, 2, 1, 2, 0, 3, 3, 4, 1, 2, 0, 2, 0, 5, 6], np.where(f > 0, f + 2, f + 1), i * 2 + (i > 3)
struct V { float x; };
#define OVERLOADS(T) \
    static inline uniform int g(varying T v) { return 0; } \
    static inline uniform int g(varying T &v) { return 1; } \
    static inline uniform int g(const varying T &v) { return 2; } \
    static inline uniform int g(uniform T v) { return 5; } \
    static inline uniform int g(uniform T &v) { return 6; } \
    static inline uniform int g(const uniform T &v) { return 7; }
typedef uniform int * uniform Pointer;
enum E { A, B };
OVERLOADS(V)
OVERLOADS(bool)
OVERLOADS(int8)
OVERLOADS(uint16)
OVERLOADS(int)
OVERLOADS(int64)
OVERLOADS(double)
OVERLOADS(E)
OVERLOADS(float<3>)

#define CALLS(T) { \
    varying T v; varying T &r = v; const varying T &c = v; \
    uniform T u; uniform T &ur = u; const uniform T &uc = u; \
    out[at++] = g(v); out[at++] = g(r); out[at++] = g(c); \
    out[at++] = g(u); out[at++] = g(ur); out[at++] = g(uc); }

static inline uniform int array(uniform int a[]) { return 0; }
static inline uniform int array(uniform int (&a)[3]) { return 1; }
static inline uniform int array(const uniform int (&a)[3]) { return 2; }
static inline uniform int pointer(Pointer p) { return 0; }
static inline uniform int pointer(Pointer &p) { return 1; }
static inline uniform int pointer(const Pointer &p) { return 2; }

static inline uniform int operator!(uniform V v) { return 0; }
static inline uniform int operator!(uniform V &v) { return 1; }
static inline uniform int operator!(const uniform V &v) { return 2; }
static inline uniform int operator+(const uniform V &a, const uniform V &b) { return 2; }
static inline uniform int operator+(uniform V &a, const uniform V &b) { return 1; }
static inline uniform int operator+(uniform V a, uniform V b) { return 0; }
static inline uniform int operator<(const uniform V a, const uniform V b) { return 3; }
static inline uniform int operator<(const uniform V &a, const uniform V &b) { return 4; }

static uniform V global = { 1 };
static uniform V &shared() { return global; }
static const uniform V &looked_at() { return global; }
struct Holder { uniform V &of; uniform V own; };

template <typename T> static inline uniform int t(T a) { return 5; }
template <typename T> static inline uniform int t(T &a) { return 6; }

static inline float step(float x) { return x + 1; }
static inline float step(float &x) { x = x + 2; return x; }
static inline int twice(const int &x) { return 2 * x + 1; }
static inline int twice(int x) { return 2 * x; }

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int at = 0;
    CALLS(V)
    CALLS(bool)
    CALLS(int8)
    CALLS(uint16)
    CALLS(int)
    CALLS(int64)
    CALLS(double)
    CALLS(E)
    CALLS(float<3>)

    uniform int a[3] = { 1, 2, 3 };
    uniform int (&ra)[3] = a;
    const uniform int (&rca)[3] = a;
    out[at++] = array(ra); out[at++] = array(rca);
    Pointer p = a;
    Pointer &rp = p;
    const Pointer &rcp = p;
    out[at++] = pointer(rp); out[at++] = pointer(rcp); out[at++] = pointer(p);

    uniform V &r = shared();
    const uniform V &c = r;
    out[at++] = !r; out[at++] = !c; out[at++] = r + c; out[at++] = c + r; out[at++] = !global;
    out[at++] = r < r; out[at++] = global < global; out[at++] = c < c;
    out[at++] = !shared(); out[at++] = !looked_at();
    uniform Holder h = { global };
    out[at++] = !h.own; out[at++] = looked_at() + h.of; out[at++] = h.of + h.own;
    out[at++] = t(at); out[at++] = t(r);

    foreach (k = 0 ... n) {
        float x = f[k];
        float &rx = x;
        const int y = i[k];
        const int &ry = y;
        float s;
        int z;
        if (x > 0) s = step(rx); else s = step(x);
        if (y > 3) z = twice(ry); else z = twice(y);
        out[74 + k] = s;
        out[138 + k] = z;
    }
}
