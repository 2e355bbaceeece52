// claim: what an operand of &&, || and ?: assigns changes in the lanes that evaluate it
// where:
//   lane = lambda off, on: np.where(L % 2 == 1, on, off)
// expect: lane(50, L), lane(L, L + 1), lane(L - 1, 7), lane(3, L * 2.5), lane(40, 41), lane(40, 42), lane(1, 2), lane(5, L), lane(L + 1, L)
struct Pair { int a; float b; };
static int raised(int &place, int by) { place += by; return place; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int even = 50;
    bool first = (programIndex & 1) && (even = programIndex) > 0;
    out[programIndex] = even;
    int counted = programIndex;
    if ((programIndex & 1) && counted++ >= 0)
        ;
    out[programCount + programIndex] = counted;
    int less = 7;
    bool second = (programIndex & 1) || (less = programIndex - 1) > 3;
    out[2 * programCount + programIndex] = less;
    float real = 3;
    float chosen = (programIndex & 1) ? (real = programIndex * 2.5) : 0.5;
    out[3 * programCount + programIndex] = real;
    Pair one = { 40, 1 }, other = { 41, 2 };
    Pair copied = one;
    Pair result = (programIndex & 1) ? (copied = other) : one;
    out[4 * programCount + programIndex] = copied.a;
    int called = 40;
    bool third = (programIndex & 1) && raised(called, 2) > i[programIndex];
    out[5 * programCount + programIndex] = called;
    int<2> vector = 1;
    bool fourth = (programIndex & 1) && (vector.y = 2) > 1;
    out[6 * programCount + programIndex] = vector.y;
    for (uniform int k = 0; k < 2; k++) {
        int within = 5;
        bool fifth = (programIndex & 1) && (within = programIndex) >= 0;
        out[7 * programCount + programIndex] = within;
    }
    int both = -1;
    int sixth = (programIndex & 1) ? (both = programIndex) : (both = programIndex + 1);
    out[8 * programCount + programIndex] = both;
}
