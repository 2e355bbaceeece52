// claim: two doubles side by side, pointers beside numbers, and a store between two loads of one record
// where:
//   at = [abs(int(v)) % 32 for v in i]
//   m = [float(v) for v in f]
//   r = []
//   for j in at: r.append(m[2 * (j % 16)] * 2 + m[2 * (j % 16) + 1])
//   s = [k // 2 + 0.5 * (k % 2) for k in range(64)]
//   for k in range(16): r.append(s[2 * (k ^ 5)] + 100 + 1000 + s[2 * (k ^ 5) + 1])
// expect: r
struct Pair { double a, b; };
struct Link { uniform Pair * uniform to; int64 number; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform double copy[64], half[64];
    foreach (k = 0 ... 64) {
        copy[k] = f[k];
        half[k] = (k / 2) + 0.5d * (k % 2);
    }
    uniform Pair * uniform pairs = (uniform Pair * uniform)&copy[0];
    foreach (k = 0 ... n) {
        int j = abs(i[k]) % 32;
        out[k] = pairs[j % 16].a * 2 + pairs[j % 16].b;
    }
    uniform Pair * uniform halves = (uniform Pair * uniform)&half[0];
    uniform Link links[16];
    for (uniform int k = 0; k < 16; k++) {
        links[k].to = halves + (k ^ 5);
        links[k].number = 100;
    }
    foreach (k = 0 ... 16) {
        int j = k * k * 0 + k;
        uniform Pair * to = links[j ^ (k & 0)].to;
        double first = to->a;
        links[j].number += 1000;
        out[64 + k] = first + links[j].number + to->b;
    }
}
