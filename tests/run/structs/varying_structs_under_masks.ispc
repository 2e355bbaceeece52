// claim: an assignment of a varying struct copies active lanes only
// expect: np.where(L & 1, 50 + L, L), np.where(L & 1, 1.5, 0.5)
struct Item { int key; float weight; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    Item a = { programIndex, 0.5 }, b = { 50 + programIndex, 1.5 };
    if (programIndex & 1)
        a = b;
    out[programIndex] = a.key;
    out[programCount + programIndex] = a.weight;
}
