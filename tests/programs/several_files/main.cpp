#include <cstdio>
#include <cstring>
#include <cmath>
#include <cstdlib>
#include "particles.h"
using namespace ispc;
extern "C" { extern int shared_counter; extern float table[16];
int host_callback(int x, float y) { return x * 2 + (int)y; }
void host_array(float *d, int n) { for (int k = 0; k < n; k++) d[k] += k; }
bool host_flag(bool b) { return b; }
typedef float vf __attribute__((vector_size(4 * LANES)));
vf host_vector(vf v, unsigned long mask) { for (int k = 0; k < LANES; k++) if (mask >> k & 1) v[k] = v[k] * 10; return v; }
}
#define CHECK(c) do { if (!(c)) { printf("FAILED %s:%d %s\n", __FILE__, __LINE__, #c); bad++; } } while (0)
int main() {
    int bad = 0;
    static Particle p[21];
    for (int k = 0; k < 21; k++) { p[k].position.v[0] = k; p[k].position.v[1] = 2; p[k].position.v[2] = 3; p[k].mass = k; p[k].id = k; p[k].kind = k % 2 ? SQUARE : LINE; p[k].alive = k % 3 != 0; }
    Settings s; memset(&s, 0, sizeof s); s.dt = 0.5; s.level = -3; s.big = 77; unsigned short h = 0x3c00; memcpy((void*)&s.half, &h, 2); s.gains[1] = 2;
    float result[4] = {0};
    run(p, 21, s, result);
    float sum = 0;
    for (int k = 0; k < 21; k++) if (k % 3) sum += (k + 5) * 2;
    CHECK(result[0] == sum); CHECK(result[1] == -3); CHECK(result[2] == 77); CHECK(result[3] == 1);
    for (int k = 0; k < 21; k++) {
        if (k % 3 == 0) { CHECK(p[k].mass == k); continue; }
        CHECK(p[k].mass == k * 27 + 101);
        CHECK(p[k].position.v[0] == k + 0.5f);
        CHECK(p[k].position.v[1] == (k % 2 ? -2.5f : 2.5f));
    }
    CHECK(shared_counter == 5 + 147);
    CHECK(table[3] == (5 + 147) * 2 + 2 + 3); CHECK(table[15] == 15);
    Node a{3, nullptr, nullptr}, b{9, nullptr, nullptr}, r{5, &a, &b};
    CHECK(find(&r, 9) == &b); CHECK(find(&r, 4) == nullptr); CHECK(find(&r, 3) == &a);
    CHECK(flip(true) == false); CHECK(flip(false) == true);
    CHECK(narrow(-100, 20, 30, 7) == -43); CHECK(narrow(100, 100, 0, 0) == -56);
    CHECK(wide(5, 7) == -2); CHECK(mix(1.5f, 2.25, SQUARE) == 8.75);
    CHECK(two(3).a == 3 && two(3).b == 6); Three t = three(4); CHECK(t.a == 4 && t.b == 8 && t.c == 12);
    CHECK(big(2).v[4] == 8);
    float3 v[3]; for (int k = 0; k < 3; k++) for (int j = 0; j < 3; j++) v[k].v[j] = k * 3 + j;
    vec(v, 3); CHECK(v[2].v[0] == 16 && v[2].v[2] == 12 && v[1].v[1] == 8);
    float m[5][4] = {{0}}; matrix(m, 5); CHECK(m[4][3] == 43); CHECK(m[2][1] == 21);
    float out[64]; masked_call(out);
    for (int k = 0; k < LANES; k++) CHECK(out[k] == 1000 + (k & 1 ? 10 * k : k));
    if (!bad) printf("all right\n");
    return bad;
}
