// claim: globals may hold varying function pointers, one for all lanes at first
// expect: np.where(i > 0, i + 1, i * 2), np.where(i > 0, i * 2, i + 1)
typedef int (*F)(int);
struct Pair { F first; int at; F second[2]; };
static noinline int more(int v) { return v + 1; }
static noinline int twice(int v) { return v * 2; }
static F both[2] = { more, twice };
static Pair pair = { twice, 1, { twice, more } };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        F f1 = both[i[k] > 0 ? 0 : 1];
        out[k] = f1(i[k]);
        F f2 = pair.second[i[k] > 0 ? 0 : 1];
        out[64 + k] = f2(i[k]);
        both[0] = more;
    }
}
