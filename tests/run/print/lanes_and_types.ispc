// claim: print writes uniform values, varying ones in brackets and inactive lanes in parentheses
// widths: 4
// prints: n = 64, true 0.500000 -3\n[0,1,2,3]\n[((0)),((1)),2,3] [_________,_________,true,false]\n
// expect: [0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    print("n = %, % % %\n", n, n > 3, 0.5, (uniform int8)-3);
    print("%\n", programIndex);
    if (programIndex > 1)
        print("% %\n", programIndex, programIndex == 2);
    if (programIndex > 100)
        print("never\n");
}
