// claim: globals are initialised by constants: aggregates, addresses, lanes and expressions of other constants
// expect: [3, 7, 30, 2, 21], L * 2 + 1, [5]
enum { THREE = 3 };
struct Entry { int key; const uniform int * uniform where; };
static const uniform int numbers[4] = { 10, 20, 30 };
static uniform Entry table[2] = { { THREE, &numbers[1] }, { 3 + 4, &numbers[2] } };
static const varying int lanes = 2 * programIndex + 1;
static const uniform int sum = sizeof(uniform double) * 2 + (THREE << 1) - 1;
static uniform float<3> v = { 1.5, 2, 2.5 };
static const uniform double weight = 2 * 2.5;
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = table[0].key;
    out[1] = table[1].key;
    out[2] = *table[1].where;
    out[3] = v.y;
    out[4] = sum;
    out[5 + programIndex] = lanes;
    out[5 + programCount] = weight;
}
