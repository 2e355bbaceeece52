// claim: foreach_unique runs once for each distinct value, by first occurrence, with the lanes that hold it
// expect: [10 * (l // 3) for l in range(W)], [-(-W // 3), sum((l // 3) * pow(7, l // 3, 1009) for l in range(0, W, 3))]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int count = 0, order = 0, weight = 1;
    foreach_unique (v in programIndex / 3) {
        out[programIndex] = 10 * v;
        count++;
        order += v * weight;
        weight = weight * 7 % 1009;
    }
    out[programCount] = count;
    out[programCount + 1] = order;
}
