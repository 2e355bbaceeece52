#define SCALE 3
#include "common.isph"
float helper(float x, uniform int n) {
    float r = x;
    for (uniform int k = 0; k < n; k++) r = scaled(r);
    return r;
}
uniform int helper(uniform int x) { return x * 7; }
unmasked int helper_unmasked(int x) { return popcnt((varying bool)true) == programCount ? 1000 : 0; }
void accumulate(varying Particle &p, uniform Settings &s, uniform float a[]) {
    float sum = p.position.x + p.position.y + p.position.z;
    foreach_active (l) { a[0] += extract(sum, (uniform int)l) * s.gains[1]; }
    p.position += (float)s.dt;
    a[1] = s.level; a[2] = s.big; a[3] = s.half;
}
