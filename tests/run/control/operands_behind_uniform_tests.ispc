// claim: behind a uniform test only the operand that is evaluated assigns
// expect: [0] * W, [7] * W, [5] * W, [7] * W, [1] * W, [2] * W, 3, 9
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int x = 0, y = 0;
    int first = n > 1000 ? (x = 5) : (y = 7);
    out[programIndex] = x;
    out[programCount + programIndex] = y;
    int second = n > 3 ? (x = 5) : y++;
    out[2 * programCount + programIndex] = x;
    out[3 * programCount + programIndex] = y;
    int one = 1, two = 2;
    uniform bool third = n > 1000 && (one = 5, true);
    bool fourth = n > 3 || (two += 7) > 3;
    out[4 * programCount + programIndex] = one;
    out[5 * programCount + programIndex] = two;
    uniform int three = 3, nine = 8;
    uniform int fifth = n > 1000 ? three++ : nine++;
    out[6 * programCount] = three;
    out[6 * programCount + 1] = nine;
}
