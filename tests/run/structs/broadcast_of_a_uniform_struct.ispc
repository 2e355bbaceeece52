// claim: a uniform struct converts to a varying one
// expect: np.where(L < 2, 5, 6), np.full(W, 2.5)
struct Item { int key; float weight; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Item u = { 5, 2.5 };
    Item v = u;
    if (programIndex >= 2)
        v.key++;
    out[programIndex] = v.key;
    out[programCount + programIndex] = v.weight;
}
