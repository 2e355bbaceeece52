// claim: an array of structs that is a member of soa data is indexed within the block
// expect: [i + 1 + (100 if i % 3 == 2 else 0) for i in range(24)], [-10 * i for i in range(24)], [i + 24 * (i & 1) for i in range(24)]
struct Part {
    uint8 tag;
    int16 pair[2];
};
struct Whole {
    Part parts[2];
    double weight;
};
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    soa<16> Whole x[24];
    soa<4> Whole y[24];
    for (uniform int k = 0; k < 24; k++) {
        x[k].weight = k;
        for (uniform int j = 0; j < 2; j++) {
            x[k].parts[j].tag = k + j;
            x[k].parts[j].pair[j] = k * (j == 0 ? 1 : -10);
        }
    }
    foreach (k = 0 ... 24) {
        y[23 - k] = x[k];
        if (k % 3 == 2)
            y[23 - k].parts[1].tag += 100;
        y[23 - k].parts[0].pair[0] += 24 * (k & 1);
    }
    foreach (k = 0 ... 24) {
        Whole w = y[23 - k];
        out[k] = w.parts[1].tag;
        out[24 + k] = y[23 - k].parts[k >= 0 ? 1 : 0].pair[1];
        out[48 + k] = w.parts[0].pair[0];
    }
}
