// claim: members of an array of three-float structs are read and written by all lanes
// expect: [v for k in range(20) for v in (f[k] + 1, f[k + 20] * 2, f[k] - f[k + 40])]
struct Vec { float x, y, z; };
static noinline void change(uniform Vec v[], uniform int count) {
    foreach (k = 0 ... count) {
        float x = v[k].x;
        v[k].x = x + 1;
        v[k].y *= 2;
        v[k].z = x - v[k].z;
    }
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Vec v[20];
    foreach (k = 0 ... 20) {
        v[k].x = f[k];
        v[k].y = f[k + 20];
        v[k].z = f[k + 40];
    }
    change(v, 20);
    foreach (k = 0 ... 20) {
        out[3 * k] = v[k].x;
        out[3 * k + 1] = v[k].y;
        out[3 * k + 2] = v[k].z;
    }
}
