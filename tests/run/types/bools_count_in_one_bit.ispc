// claim: + - and * with an assignment are done in the type of the left side, for a bool in one bit
// where:
//   a, b = i > 0, f > 0
// expect: (a ^ b) * 1 + (a ^ b) * 10 + (a & b) * 100, [1, 0, 12]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        bool a = i[k] > 0, b = f[k] > 0;
        bool sum = a, difference = a, product = a;
        sum += b;
        difference -= b;
        product *= b;
        out[k] = (int)sum + (int)difference * 10 + (int)product * 100;
    }
    for (uniform bool once = 0; once < 1; once += 1)
        out[64] += 1;
    for (uniform bool never = 1; never < (uniform bool)1; never += 1)
        out[65] += 1;
    uniform bool<2> both = {true, false};
    both += true;
    out[66] = (int)both.x + (int)both.y * 12;
}
