// claim: members that are pointers and members that are integers of the same size are read and written side by side
// expect: f + i, np.where(np.arange(64) % 3 == 0, 3 * f, f) + i
struct Entry { uniform float * uniform at; int64 wide; int32 count; float weight; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Entry entries[64];
    foreach (k = 0 ... n) {
        entries[k].at = &f[0] + k;
        entries[k].wide = i[k];
        entries[k].count = i[k];
        entries[k].weight = 2 * f[k];
    }
    foreach (k = 0 ... n) {
        int order = (k * 5) & 63;
        out[order] = (double)*entries[order].at + entries[order].wide;
        double sum = *entries[order].at + entries[order].count;
        if (order % 3 == 0)
            sum += entries[order].weight;
        out[64 + order] = sum;
    }
}
