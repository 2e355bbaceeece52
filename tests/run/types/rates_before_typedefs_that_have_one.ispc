// claim: in sizeof, casts, new and template arguments a rate written before a typedef that has one counts
// expect: [W * P, P, 4, 4 * W, 12, 12 * W, 4 * W, 8 * W, W * P, 4, 7, 8, 2, W * P], [0] * 50, i + 1, f * 2
struct It { int x; };
struct Pair { float a, b; };
typedef uniform It * uniform ItP;
typedef uniform int U;
typedef varying int V;
typedef uniform float Three[3];
typedef uniform Pair UP;
enum E { A, B };
typedef uniform E UE;
typedef uniform int (* uniform F)(uniform int);
typedef U UU;
static uniform int next(uniform int k) { return k + 1; }
template <typename T> static inline uniform int size() { return sizeof(T); }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = sizeof(varying ItP);
    out[1] = sizeof(ItP);
    out[2] = sizeof(uniform V);
    out[3] = sizeof(varying U);
    out[4] = sizeof(Three);
    out[5] = sizeof(varying Three);
    out[6] = sizeof(varying const UE);
    out[7] = sizeof(varying UP);
    out[8] = sizeof(varying F);
    out[9] = size<uniform V>();
    V * uniform p = uniform new varying U;
    *p = programIndex + 7;
    out[10] = reduce_min(*p);
    delete p;
    U * uniform q = uniform new uniform V(8);
    out[11] = *q;
    delete q;
    out[12] = size<varying UU>() / programCount / 2;
    out[13] = sizeof(const varying ItP);
    foreach (k = 0 ... n) {
        U one = 1;
        V v = (varying U)one + i[k];
        out[64 + k] = v;
        out[128 + k] = f[k] * (varying UU)2;
    }
}
