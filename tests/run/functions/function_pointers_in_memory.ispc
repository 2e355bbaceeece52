// claim: function pointers lie in arrays and structs
// expect: [(v + 1, v * v, -v)[k % 3] for k, v in enumerate(i.tolist())]
typedef int (*Function)(int);
struct Step { Function run; };
static int next(int v) { return v + 1; }
static int square(int v) { return v * v; }
static int negate(int v) { return -v; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Function table[3] = { next, square, negate };
    foreach (k = 0 ... n) {
        Function p = table[k % 3];
        out[k] = p(i[k]);
    }
}
