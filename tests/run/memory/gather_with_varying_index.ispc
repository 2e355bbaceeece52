// claim: an index that varies reads one element for each lane
// expect: [f[(int(v) * 5) & 63] for v in i]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = f[(i[k] * 5) & 63];
}
