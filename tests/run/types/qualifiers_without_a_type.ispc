// claim: qualifiers without a type declare an int32 wherever a declaration stands
// where:
//   halves = np.trunc(f).astype(np.int32)
//   calls = [6, 10, 5, 42, 4, 4 * W, 21, 13, 3, 1, 12, 3]
// expect: halves * 3 + 1, i + 2 * (i > 0), calls
static uniform three = 3;
const seven = 7;
uniform table[4] = { 1, 2, 3, 4 };
static uniform counted;
const static uniform last = sizeof(three);
typedef const Whole;
typedef uniform (*Function)(uniform, const uniform);
struct S { int a; };

static inline uniform next(uniform k) { return k + 1; }
static sum(const a, varying b, const uniform & c) { return a + b + c; }
static noinline unmasked uniform product(uniform a, const uniform b) { return a * b; }
static uniform difference(uniform a, const uniform b) { return a - b; }
uniform operator%(const uniform S &s, uniform k) { return s.a % k; }
template <typename T> static inline uniform wider(T a, const uniform b) { return sizeof(T) + b; }
static ends(uniform p[], uniform, const uniform * uniform q) { return p[0] + q[1]; }
extern noinline uniform outside(uniform k);
uniform outside(uniform k) { return k * 2; }

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform n) {
    foreach (k = 0 ... n) {
        varying v = f[k];
        const c = v * 3;
        out[k] = c + 1;
        static s = 2;
        v = i[k];
        if (v > 0)
            v += s;
        out[64 + k] = v;
    }
    uniform total = 0, steps;
    for (uniform j = 0; j < 4; ++j)
        total += j;
    uniform * uniform p = &counted;
    out[128] = total;
    for (uniform j = 0, end = 4; j < end; ++j)
        *p += table[j];
    out[129] = counted;
    out[130] = next(4);
    const uniform Function choose = total > 5 ? difference : difference;
    out[131] = choose(45, three);
    out[132] = last;
    const Whole w = 3;
    out[133] = sizeof(w);
    out[134] = product(outside(3) + 1, three);
    out[135] = reduce_max(sum(three, seven, three));
    uniform S remainder = { 7 };
    out[136] = remainder % 4;
    unsigned u = 3;
    u -= 2;
    out[137] = reduce_max((int)u);
    out[138] = wider((uniform int64)1, 4);
    out[139] = reduce_max(ends(table, 1, table));
}
