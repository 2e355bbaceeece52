// claim: foreach_active runs its body once for each active lane, in increasing order, with only that lane active
// expect: [3 * l if l % 3 == 0 else 0 for l in range(W)], [-(-W // 3), sum(l * pow(3, k, 1009) for k, l in enumerate(range(0, W, 3)))]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int count = 0, order = 0, weight = 1;
    if (programIndex % 3 == 0) {
        foreach_active (lane) {
            out[programIndex] += 3 * (uniform int)lane;
            count++;
            order += (uniform int)lane * weight;
            weight = weight * 3 % 1009;
        }
    }
    out[programCount] = count;
    out[programCount + 1] = order;
}
