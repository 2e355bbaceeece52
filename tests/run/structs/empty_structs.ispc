// claim: an empty struct has the size 1 at both rates, in arrays and as a member
// expect: [1, 1, 3, 3, 8, 8 * W, 2, 4, 3 * W, 7]
struct Empty { };
struct Holder { Empty e; int k; };
struct Pair { Empty both[2]; };
static uniform Holder kept;
Holder holder(Empty unused, int k) { Holder h; h.e = unused; h.k = k; return h; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Empty one, three[3];
    Empty other, others[3];
    out[0] = sizeof(one);
    out[1] = sizeof(other);
    out[2] = sizeof(three);
    out[3] = sizeof(others);
    out[4] = sizeof(uniform Holder);
    out[5] = sizeof(varying Holder) ;
    three[1] = one;
    others[2] = three[1];
    other = others[2];
    out[6] = &three[2] - &three[0];
    kept.k = 4;
    out[7] = kept.k;
    out[8] = reduce_add(holder(other, 3).k);
    uniform Pair pairs[2];
    out[9] = sizeof(pairs) + sizeof(varying Pair) + (&others[1] - &others[0]);
}
