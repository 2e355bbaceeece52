// claim: references to locals, globals and array elements are names of the object, also as a result
// expect: [8, 13, 21, 3]
static uniform int total = 0;
static uniform int values[3] = { 1, 2, 3 };
static uniform int &pick(uniform int k) {
    return values[k];
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int a = 5;
    uniform int &r = a;
    r += 3;
    out[0] = a;
    uniform int &g = total;
    g = 13;
    out[1] = total;
    pick(1) = 21;
    out[2] = values[1];
    const uniform int &c = values[2];
    out[3] = c;
    values[1] = 2;
}
