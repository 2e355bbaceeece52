// claim: function pointers take functions that differ in const, and by a cast of their address functions of other structs
// where:
//   up = i * 2 + 1
// expect: [3, 33, 36, 136, 4, 8, 11, 6, 5, 9, 7, 7], [0] * 52, np.where(i > 0, up, -i), np.where(f > 0, f * 2, f + i)
struct A { int i; };
struct B { int i; int j; };
struct V { float x; };
typedef unmasked void (*Visit)(const A * uniform a, uniform int * uniform sum);
typedef uniform int (*Of)(const uniform A &a, const int k);
typedef int (*Step)(const int &k);
typedef float (*Mix)(void * uniform state, const V &v, int k);
struct Table { Visit visit; uniform Of of; uniform Mix mix; };

static unmasked void plain(uniform A * uniform a, uniform int * uniform sum) { *sum += a->i; }
static unmasked void exact(const A * uniform a, uniform int * uniform sum) { *sum += 10 * a->i; }
static unmasked void other(const B * uniform b, uniform int * uniform sum) { *sum += 100 * b->j; }
static unmasked void several(uniform A * uniform a, uniform int * uniform sum) { *sum += 1; }
static unmasked void several(const B * uniform a, uniform int * uniform sum) { *sum += 2; }
static unmasked void several(int a) { }
static uniform int of_a(uniform A &a, int k) { return a.i + 1; }
static uniform int of_b(const uniform B &b, const int k) { return b.i + b.j; }
static int up(int &k) { k = 2 * k; return k + 1; }
static int down(const int &k) { return -k; }
struct State { uniform float factor; };
static float scaled(State * uniform state, const V &v, int k) { return state->factor * v.x; }
static float shifted(const uniform int * uniform state, V &v, int k) { return v.x + *state * k; }
static uniform int through(uniform Of of, const uniform A &a) { return of(a, 3); }
static Visit visits[2] = { plain, exact };

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform A a = { 3 };
    uniform B b = { 3, 1 };
    uniform Table t;
    uniform Table * uniform p = &t;
    uniform int sum = 0;
    p->visit = plain;
    t.visit(&a, &sum);
    out[0] = sum;
    p->visit = (Visit)exact;
    t.visit(&a, &sum);
    out[1] = sum;
    p->visit = (Visit)plain;
    p->visit(&a, &sum);
    out[2] = sum;
    p->visit = (Visit)&other;
    p->visit((A * uniform)&b, &sum);
    out[3] = sum;
    p->of = &of_a;
    out[4] = p->of(a, 1);
    p->of = (Of)&of_b;
    out[5] = p->of((uniform A &)b, 1) + through(of_a, a);
    sum = 0;
    t.visit = several;
    t.visit(&a, &sum);
    uniform Visit local[2] = { several, (Visit)&exact };
    local[0](&a, &sum);
    out[6] = sum + 9;
    sum = 0;
    for (uniform int k = 0; k < 2; ++k)
        visits[k](&a, &sum);
    out[7] = sum == 33 ? 6 : 0;
    out[8] = p->of == (Of)&of_b ? 5 : 0;
    out[9] = through((Of)&of_b, (uniform A &)b) + 5;
    uniform Of chosen = n > 3 ? (uniform Of)&of_b : of_a;
    out[10] = through(chosen, (uniform A &)b) + 3;
    chosen = n > 3 ? of_a : of_a;
    out[11] = through(chosen, a) + 3;
    uniform State state = { 2 };
    uniform int one = 1;
    foreach (k = 0 ... n) {
        Step step = down;
        if (i[k] > 0)
            step = up;
        int value = i[k];
        out[64 + k] = step(value);
        V v;
        v.x = f[k];
        if (f[k] > 0) {
            p->mix = (Mix)&scaled;
            out[128 + k] = p->mix(&state, v, i[k]);
        } else {
            p->mix = (uniform Mix)&shifted;
            out[128 + k] = p->mix(&one, v, i[k]);
        }
    }
}
