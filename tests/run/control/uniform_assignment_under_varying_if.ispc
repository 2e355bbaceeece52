// claim: an assignment to a uniform variable happens once on every branch that some lane takes
// widths: 4 8 16 32 64
// expect: [11, 11, 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int lane = programIndex;
    uniform int who = 0;
    if (lane < 2)
        who = who + 1;
    else
        who = who + 10;
    out[0] = who;
    if (lane < 0)
        who = 99;
    out[1] = who;
    uniform int skipped = 1;
    if (lane >= 0)
        ;
    else
        skipped = 2;
    out[2] = skipped;
}
