// claim: print writes every scalar type in its form
// widths: 4
// prints: -5 250 -300 65000 -1 7 0.500000 0.250000 false\n[-5,-5,-5,-5] [250,250,250,250] [-9000000000,-9000000000,-9000000000,-9000000000]\n[0.000000,0.500000,1.000000,1.500000] [true,false,false,false]\n
// expect: [0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int8 a = -5;
    uniform uint8 b = 250;
    uniform int16 c = -300;
    uniform uint16 d = 65000;
    uniform int e = -1;
    uniform uint64 g = 7;
    uniform float16 h = 0.5f16;
    print("% % % % % % % % %\n", a, b, c, d, e, g, h, 0.25d, n < 0);
    int8 va = a;
    uint8 vb = b;
    int64 vc = -9000000000;
    print("% % %\n", va, vb, vc);
    print("% %\n", programIndex * 0.5, programIndex < 1);
}
