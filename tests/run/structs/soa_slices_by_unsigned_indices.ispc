// claim: elements of a slice pointer are found by unsigned indices that lanes count on from a uniform one
// expect: f[:32] * 2 + 32 + np.arange(32)
struct Vec { float x, y; };
struct Part { float w; Vec v; };

static noinline void fill(soa<8> Part * uniform p, uniform float f[], uniform unsigned int first, uniform unsigned int n) {
    foreach (k = 0 ... n) {
        unsigned int at = first + k;
        soa<8> Part * q = &p[at];
        q->v.y = f[k] * 2;
        p[at].w = q->v.y + at;
    }
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    soa<8> Part * uniform p = uniform new soa<8> Part[8];
    fill(p, f, 32, 32);
    foreach (k = 0 ... 32)
        out[k] = p[k + 32].w;
    delete p;
}
