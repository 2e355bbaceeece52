// claim: types within functions may have one name, or none; instances of a template for them are different functions
// expect: [4, 16, 5, 21, 4, 8, 3, 9], [0] * 56, i * 2, i * 3
template <typename T> static noinline uniform int size(T a) { return sizeof(T); }
template <typename T> noinline uniform int value(T a) { return (uniform int)a + 1; }
template <typename T> noinline uniform int behind(T * uniform p) { return sizeof(*p); }
template <typename T> noinline int member(T a) { return a.x; }
static noinline uniform int one(uniform int n) { struct S { int a; }; uniform S s = { n }; return size(s); }
static noinline uniform int two(uniform int n) { struct S { double a, b; }; uniform S s = { n, 2 }; return size(s); }
static noinline uniform int three() { enum E { A = 4 }; uniform E e = A; return value(e); }
static noinline uniform int four() { enum E { A = 20 }; uniform E e = A; return value(e); }
static noinline int five(int a) { struct { int x; } s = { a * 2 }; return member(s); }
static noinline int six(int a) { struct { float y; int x; } s = { 0.5, a * 3 }; return member(s); }
enum { B = 2 } b;
enum { C = 8 } c;
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = one(n);
    out[1] = two(n);
    out[2] = three();
    out[3] = four();
    struct S { int8 small[4]; };
    uniform S s[3];
    out[4] = behind(s);
    {
        struct S { int8 small[8]; };
        uniform S s2[3];
        out[5] = behind(s2);
    }
    out[6] = value(B);
    out[7] = value(C);
    foreach (k = 0 ... n) {
        out[64 + k] = five(i[k]);
        out[128 + k] = six(i[k]);
    }
}
