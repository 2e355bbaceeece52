// claim: a typedef leaves the rate open and may name pointers, arrays and functions
// expect: 3 * i, [12, 9]
typedef int Number;
typedef uniform int Fixed;
typedef Number Row[3];
typedef uniform double * uniform Output;
static void put(Output where, Fixed v) {
    *where = v;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        Number v = i[k];
        Row r = { v, v, v };
        out[k] = r[0] + r[1] + r[2];
    }
    uniform Number u = 12;
    put(&out[64], u);
    uniform Row r = { 2, 3, 4 };
    put(&out[65], r[0] + r[1] + r[2]);
}
