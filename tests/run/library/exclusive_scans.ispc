// claim: exclusive scans fold the active lanes below
// expect: [sum(range(1, l + 1)) for l in range(W)], [sum(m + 1 for m in range(1, l, 2)) if l & 1 else -9 for l in range(W)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int v = programIndex + 1;
    out[programIndex] = exclusive_scan_add(v);
    int r = -9;
    if (programIndex & 1)
        r = exclusive_scan_add(v);
    out[programCount + programIndex] = r;
}
