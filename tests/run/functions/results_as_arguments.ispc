// claim: varying bools and halves that functions give are arguments of others, through pointers and of the library too, under masks and without
// where:
//   odd, big = i % 2 != 0, i > 5
// expect: np.where(odd, 1, 2), np.where(big, np.where(odd, 1, 2), 0), [int(odd[:W].any()), int(odd[:W].all()), int((odd & big)[:W].sum())], np.where(~odd, 1, 2), 4 * odd + 2 * big + (i > 20), 3 * i
typedef bool (*Test)(int);
noinline bool is_odd(int v) { return v % 2 != 0; }
noinline bool inverted(bool b) { return !b; }
noinline int one_or_two(bool b) { return b ? 1 : 2; }
noinline bool<3> three(int v) { bool<3> r = { v > 20, v > 5, is_odd(v) }; return r; }
noinline int number(bool<3> b) { return (b.x ? 1 : 0) + (b.y ? 2 : 0) + (b.z ? 4 : 0); }
noinline float16 half_of(int v) { return v; }
noinline int thrice(float16 v) { return 3 * (int)v; }
noinline uniform int how_many(bool b) { return popcnt(b); }

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = one_or_two(is_odd(i[k]));
    foreach (k = 0 ... n) {
        if (i[k] > 5)
            out[n + k] = one_or_two(is_odd(i[k]));
    }
    uniform Test test = is_odd;
    int v = i[programIndex];
    out[2 * n] = any(test(v)) ? 1 : 0;
    out[2 * n + 1] = all(is_odd(v)) ? 1 : 0;
    if (v > 5)
        out[2 * n + 2] = how_many(test(v));
    foreach (k = 0 ... n)
        out[2 * n + 3 + k] = one_or_two(inverted(is_odd(i[k])));
    foreach (k = 0 ... n)
        out[3 * n + 3 + k] = number(three(i[k]));
    foreach (k = 0 ... n)
        out[4 * n + 3 + k] = thrice(half_of(i[k]));
}
