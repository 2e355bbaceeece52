#include "common.isph"
uniform int shared_counter = 5;
uniform float table[16];
export { Particle, Kind };
static int hidden(int x) { return x + 100; }
export void run(uniform Particle particles[], uniform int n, uniform Settings &settings, uniform float result[]) {
    foreach (k = 0 ... n) {
        Particle p = particles[k];
        if (!p.alive) continue;
        accumulate(p, settings, result);
        p.mass = helper(p.mass, 3) + hidden(1);
        if (p.kind == SQUARE) p.position.y = -p.position.y;
        particles[k] = p;
    }
    shared_counter += helper(n);
    table[3] = host_callback(shared_counter, 2.5);
    host_array(table, 16);
}
export uniform Node * uniform find(uniform Node * uniform root, uniform int key) {
    while (root != NULL && root->key != key) root = key < root->key ? root->left : root->right;
    return root;
}
export uniform bool flip(uniform bool b) { return host_flag(!b); }
export uniform int8 narrow(uniform int8 a, uniform uint8 b, uniform int16 c, uniform uint16 d) { return a + (uniform int8)b + (uniform int8)c + (uniform int8)d; }
export uniform int64 wide(uniform int64 a, uniform uint64 b) { return a - (uniform int64)b; }
export uniform double mix(uniform float a, uniform double b, uniform Kind k) { return a + b + k; }
struct Two { float a, b; };
struct Three { double a; int b; float c; };
struct Big { double v[5]; };
export uniform Two two(uniform float a) { uniform Two t = { a, a * 2 }; return t; }
export uniform Three three(uniform int a) { uniform Three t = { a, a * 2, a * 3 }; return t; }
export uniform Big big(uniform double a) { uniform Big t; for (uniform int k = 0; k < 5; k++) t.v[k] = a * k; return t; }
export void vec(uniform float<3> v[], uniform int n) { for (uniform int k = 0; k < n; k++) v[k] = v[k].zyx * 2; }
export void matrix(uniform float m[][4], uniform int rows) { foreach (r = 0 ... rows, c = 0 ... 4) m[r][c] += r * 10 + c; }
export void masked_call(uniform float out[]) {
    float v = programIndex;
    if (programIndex & 1) v = host_vector(v, lanemask());
    out[programIndex] = v + helper_unmasked(programIndex);
}
export void apply(uniform int (* uniform fp)(uniform int), uniform int x) { }
