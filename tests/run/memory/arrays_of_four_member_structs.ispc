// claim: members of structs of two and four floats are read and written in rows
// expect: [f[2 * k] * 10 + f[2 * k + 1] for k in range(32)], [(f[4 * k + 3], f[4 * k + 2], f[4 * k + 1], f[4 * k])[c] for k in range(16) for c in range(4)]
struct Two { float a, b; };
struct Four { float a, b, c, d; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Two * uniform two = (uniform Two * uniform)f;
    foreach (k = 0 ... 32)
        out[k] = two[k].a * 10 + two[k].b;
    uniform Four * uniform four = (uniform Four * uniform)f;
    uniform Four swapped[16];
    foreach (k = 0 ... 16) {
        swapped[k].a = four[k].d;
        swapped[k].b = four[k].c;
        swapped[k].c = four[k].b;
        swapped[k].d = four[k].a;
    }
    uniform float * uniform flat = (uniform float * uniform)&swapped[0];
    foreach (k = 0 ... 64)
        out[32 + k] = flat[k];
}
