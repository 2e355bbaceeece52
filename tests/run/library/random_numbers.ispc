// claim: the pseudo-random sequence is exactly the reference's
// widths: 8
// expect: [4215230760, 4206289448, 4197872424, 4188898344, 4180481320, 4171540008, 4163122984, 4288364552], [3170861286, 1258164330, 419336238, 2801606962, 4110262646, 50082298, 1358737854, 2130658058], [667945768, 1310426035, 2805848953, 637111807]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    varying RNGState s;
    seed_rng(&s, programIndex + 1);
    out[programIndex] = random(&s);
    out[programCount + programIndex] = random(&s);
    uniform RNGState u;
    seed_rng(&u, 12345);
    for (uniform int k = 0; k < 4; k++)
        out[16 + k] = random(&u);
}
