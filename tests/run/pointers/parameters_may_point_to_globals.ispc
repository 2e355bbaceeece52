// claim: a pointer parameter may point to a global of the module, or to what a pointer in memory points to
// expect: [5, 7, 2, 3, 6, 9]
uniform float table[64];
uniform float * uniform shared() { return &table[0]; }
struct View { uniform float * uniform data; };
static noinline uniform float stored(uniform float * uniform p) {
    *p = 1;
    table[3] = 5;
    return *p;
}
static noinline uniform float loaded(uniform float * uniform p) {
    table[3] = 1;
    *p = 7;
    return table[3];
}
static noinline uniform float viewed(uniform View &v, uniform float a[]) {
    a[0] = 1;
    v.data[0] = 2;
    return a[0];
}
static noinline uniform float returned(uniform float a[]) {
    uniform float * uniform t = shared();
    a[1] = 1;
    t[1] = 3;
    return a[1];
}
static noinline void set() { table[2] = 6; }
static noinline uniform float called(uniform float &r) {
    r = 1;
    set();
    return r;
}
static noinline float gang(uniform float a[]) {
    a[programIndex] = 1;
    table[programIndex] += 8;
    return a[programIndex];
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform float * uniform t = shared();
    out[0] = stored(t + 3);
    out[1] = loaded(t + 3);
    uniform View v = { t };
    out[2] = viewed(v, t);
    out[3] = returned(t);
    out[4] = called(t[2]);
    out[5] = reduce_max(gang(t));
}
