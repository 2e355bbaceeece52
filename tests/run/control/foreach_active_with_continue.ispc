// claim: continue in foreach_active goes on with the next lane
// expect: [l if l & 1 else 0 for l in range(W)], [W]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int count = 0;
    foreach_active (lane) {
        count++;
        if ((lane & 1) == 0)
            continue;
        out[programIndex] = lane;
    }
    out[programCount] = count;
}
