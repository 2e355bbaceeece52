// claim: print writes 64-bit integers, unsigned ones and special floating-point values
// widths: 8
// prints: 18446744073709551615 -9000000000 4294967295 1000000015047466219876688855040.000000 inf\n(nil) 0xff\n
// expect: [0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform uint64 a = 0;
    a -= 1;
    uniform int64 b = -9000000000;
    uniform uint c = a;
    print("% % % % %\n", a, b, c, 1e30, 1.0 / 0.0);
    print("% %\n", (void * uniform)NULL, (void * uniform)(uniform int64)255);
}
