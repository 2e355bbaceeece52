// claim: local and global atomics process the active lanes in increasing order
// expect: [sum(l for l in range(4, W) if l % 2 == 0), sum(l for l in range(4, W) if l % 2)], [sum(m for m in range(4, l) if m % 2 == l % 2) if l > 3 else -1 for l in range(W)], [W]
// widths: 8 16
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int a[2] = { 0, 0 };
    int old = -1;
    if (programIndex > 3)
        old = atomic_add_local(&a[programIndex & 1], programIndex);
    out[0] = a[0];
    out[1] = a[1];
    out[2 + programIndex] = old;
    uniform int counter = 0;
    int one = 1;
    atomic_add_global(&counter, one);
    out[2 + programCount] = counter;
}
