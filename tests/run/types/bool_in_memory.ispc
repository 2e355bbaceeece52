// claim: a bool in memory is one byte holding 0 or 1, one a lane when varying
// widths: 4 8 16 32 64
// expect: (i > 3) * 1, [3, 1, 1]
static bool table[4];
static uniform bool flags[8];
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform bool row[64];
    foreach (k = 0 ... n)
        row[k] = i[k] > 3;
    uniform int8 * uniform bytes = (uniform int8 * uniform)&row[0];
    foreach (k = 0 ... n)
        out[k] = bytes[k];
    table[2] = programIndex < 3;
    flags[5] = true;
    out[64] = popcnt(table[2]) + popcnt(table[1]);
    out[65] = flags[5];
    out[66] = sizeof(uniform bool);
}
