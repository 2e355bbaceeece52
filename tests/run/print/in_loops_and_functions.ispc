// claim: print runs once for the gang with the lanes that reach it
// widths: 4
// prints: [0,1,((2)),((3))]\n3 [((0.000000)),0.500000,((1.000000)),1.500000]\n[_________,true,_________,true]\n
// expect: [0]
static noinline void say(int v) {
    print("%\n", v);
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    if (programIndex < 2)
        say(programIndex);
    float h = programIndex * 0.5;
    if (programIndex & 1) {
        print("% %\n", 3, h);
        print("%\n", h > 0);
    }
}
