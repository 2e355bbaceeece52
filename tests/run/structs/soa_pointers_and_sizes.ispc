// claim: an soa array reserves whole blocks, a slice pointer steps element by element
// expect: [20 * 8 * 3 * 4, 7, 8, 14]
struct P { float x, y, z; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    soa<8> P p[20];
    out[0] = sizeof(p);
    foreach (k = 0 ... 20)
        p[k].y = k;
    soa<8> P * uniform q = &p[7];
    out[1] = q->y;
    q = q + 1;
    out[2] = q->y;
    q->y += 6;
    out[3] = p[8].y;
}
