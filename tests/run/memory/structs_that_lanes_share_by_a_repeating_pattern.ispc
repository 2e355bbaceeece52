// claim: members of the same four structs again and again reach every lane, also of gangs whose members fill several registers
// expect: [int(i[k % 4]) * 3 + k % 4 + 10 * (int(i[k % 4]) - 7) for k in range(n)]
struct Four {
    int64 x, y, z, w;
};

static uniform Four table[4];

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (uniform int j = 0; j < 4; j++) {
        table[j].x = i[j] * (uniform int64)3;
        table[j].y = j;
        table[j].z = i[j] - (uniform int64)7;
        table[j].w = 0;
    }
    foreach (k = 0 ... n) {
        int64 x = table[k % 4].x, y = table[k % 4].y, z = table[k % 4].z;
        out[k] = x + y + 10 * z;
    }
}
