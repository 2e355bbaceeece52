// call: blend: Z(60*4,np.float32), F(60*4), F(60*4), 60
// call: bounds: Z(40*2*3,np.int32), I(40*9*3,-500,500), 40, 9
// call: skinning: Z(50*3,np.float32), F(50*3), F(4*12), I(50*4,0,4,np.uint8), F(50*4,0,1), 50
// call: blocks: Z(64*4,np.uint8), I(64*16*3,0,256,np.uint8), 64
// call: links: Z(90), I(90,-3,90), I(90,0,100,np.int16), 90
// call: tables: Z(8*8,np.int64), I(120,0,8,np.uint8), I(120,-1000,1000), 120
// call: statics: Z(100), I(100,-50,50), 100
// call: matrices: Z(30*16,np.float64), D(30*16), 30, 3
// call: fields: Z(200,np.int16), Z(200,np.uint8), I(200*4,-128,128,np.int8), 200
struct Vertex { float<4> position; uint8<3> color; int<2> cell; float weight; };
static inline float<4> lerp(float<4> a, float<4> b, float t) { return a + (b - a) * t; }
static inline float inner(const float<4> &a, const float<4> &b) {
    float sum = 0;
    for (uniform int k = 0; k < 4; k++) sum += a[k] * b[k];
    return sum;
}
export void blend(uniform float out[], uniform float a[], uniform float b[], uniform int n) {
    foreach (i = 0 ... n) {
        Vertex p, q;
        for (uniform int k = 0; k < 4; k++) { p.position[k] = a[i * 4 + k]; q.position[k] = b[i * 4 + k]; }
        p.weight = p.position.x > 0 ? 0.25f : 0.75f;
        q.weight = 1 - p.weight;
        p.cell.x = i & 3; p.cell.y = i >> 2;
        q.cell = p.cell * p.cell + p.cell;
        Vertex r = i % 3 == 0 ? p : q;
        r.position = lerp(p.position, q.position, r.weight);
        r.position.w += inner(p.position, q.position);
        if (r.cell.x > 5) { r.position.y = -r.position.y; r.position *= (float<4>)2.0f; }
        int k = r.cell.y & 3;
        r.position[k] += 1;
        for (uniform int j = 0; j < 4; j++) out[i * 4 + j] = r.position[j];
    }
}
export void bounds(uniform int out[], uniform int points[], uniform int n, uniform int each) {
    foreach (i = 0 ... n) {
        int<3> low = { 10000, 10000, 10000 }, high = { -10000, -10000, -10000 };
        for (uniform int k = 0; k < each; k++) {
            int<3> p;
            for (uniform int d = 0; d < 3; d++) p[d] = points[(i * each + k) * 3 + d];
            if (p.x > p.y && p.y > p.z) continue;
            for (uniform int d = 0; d < 3; d++) { low[d] = min(low[d], p[d]); high[d] = max(high[d], p[d]); }
        }
        int<3> size = high - low, middle = (low + high) / 2;
        for (uniform int d = 0; d < 3; d++) { out[i * 6 + d] = size[d]; out[i * 6 + 3 + d] = middle[d] ^ (size & 255)[d]; }
    }
}
export void skinning(uniform float out[], uniform float points[], uniform float bones[], uniform uint8 which[], uniform float weights[], uniform int n) {
    foreach (i = 0 ... n) {
        float<3> p, sum = { 0, 0, 0 };
        for (uniform int d = 0; d < 3; d++) p[d] = points[i * 3 + d];
        float total = 0;
        for (uniform int b = 0; b < 4; b++) {
            float w = weights[i * 4 + b];
            if (w < 0.2f) continue;
            uniform float * varying m = bones + which[i * 4 + b] * 12;
            float<3> moved;
            for (uniform int r = 0; r < 3; r++) moved[r] = m[r * 4] * p.x + m[r * 4 + 1] * p.y + m[r * 4 + 2] * p.z + m[r * 4 + 3];
            sum += moved * w;
            total += w;
        }
        if (total > 0) sum /= (float<3>)total; else sum = p;
        for (uniform int d = 0; d < 3; d++) out[i * 3 + d] = sum[d];
    }
}
static inline int distance(uint8<3> a, uint8<3> b) {
    int sum = 0;
    for (uniform int k = 0; k < 3; k++) { int d = (int)a[k] - b[k]; sum += d * d; }
    return sum;
}
export void blocks(uniform uint8 out[], uniform uint8 pixels[], uniform int n) {
    foreach (i = 0 ... n) {
        uint8<3> p[16];
        for (uniform int k = 0; k < 16; k++) for (uniform int c = 0; c < 3; c++) p[k][c] = pixels[(i * 16 + k) * 3 + c];
        int from = 0, to = 0, most = -1;
        for (uniform int a = 0; a < 16; a++)
            for (uniform int b = a + 1; b < 16; b++) {
                int d = distance(p[a], p[b]);
                if (d > most) { most = d; from = a; to = b; }
            }
        uint8<3> e0 = p[from], e1 = p[to];
        uint32 codes = 0;
        for (uniform int k = 0; k < 16; k++) {
            bool nearer = distance(p[k], e0) <= distance(p[k], e1);
            codes = codes * 2 + (nearer ? 0 : 1);
        }
        uint8<3> mixed_ = (e0 & e1) + ((e0 ^ e1) / (uint8)2);
        out[i * 4] = mixed_.x; out[i * 4 + 1] = mixed_.y ^ mixed_.z; out[i * 4 + 2] = (uint8)(codes & 255); out[i * 4 + 3] = (uint8)((codes >> 8) & 255);
    }
}
struct Link { uniform int next; uniform int16 value; uniform uint8 marks; };
export void links(uniform int out[], uniform int next[], uniform int16 values[], uniform int n) {
    uniform Link list[90];
    for (uniform int k = 0; k < n; k++) { list[k].next = next[k]; list[k].value = values[k]; list[k].marks = (uniform uint8)(k * 5); }
    foreach (i = 0 ... n) {
        uniform Link * varying at = &list[i];
        int sum = 0, steps = 0;
        for (;;) {
            sum += at->value * (at->marks & 3);
            if (at->next < 0 || ++steps > 12) break;
            at = list + at->next;
            if (at == &list[i]) { sum = -sum; break; }
        }
        out[i] = sum * 16 + steps;
    }
}
export void tables(uniform int64 out[], uniform uint8 keys[], uniform int values[], uniform int n) {
    uniform int64 cells[8][8];
    for (uniform int r = 0; r < 8; r++) for (uniform int c = 0; c < 8; c++) cells[r][c] = r - c;
    foreach (i = 0 ... n) {
        int key = keys[i];
        foreach_unique (k in key) {
            foreach_active (lane) {
                int column = (values[i] & 7);
                atomic_add_global(&cells[k][column], (int64)values[i]);
            }
            if (k == 3) atomic_max_global(&cells[7][7], (int64)values[i]);
        }
    }
    for (uniform int r = 0; r < 8; r++) for (uniform int c = 0; c < 8; c++) out[r * 8 + c] = cells[r][c];
}
template <typename T, int N> static inline T polynomial(const uniform T coefficients[N], T x) {
    T r = coefficients[N - 1];
    for (uniform int k = N - 2; k >= 0; k--) r = r * x + coefficients[k];
    return r;
}
static int counted(int v) {
    static uniform int calls = 0;
    calls += 1;
    return v * 2 + 1;
}
export void statics(uniform int out[], uniform int given[], uniform int n) {
    const uniform int five[5] = { 1, -2, 3, -4, 5 };
    const uniform int two[2] = { 7, 3 };
    foreach (i = 0 ... n) {
        int x = given[i] % 7;
        int a = polynomial<int, 5>(five, x), b = polynomial<int, 2>(two, x);
        int c = (x > 0 ? a : b), d = (a += 3, a + b);
        int e = x; e <<= 2; e |= 1; e ^= a & 15; e %= 13; e -= (e > 5) ? 5 : -5;
        bool any_ = a > b || (b > 0 && counted(x) > 3); bool both = !any_ != (x == 2);
        int f = (any_ ? 1 : 0) + 2 * (both ? 1 : 0);
        out[i] = c + d * 3 + e * 100 + f * 100000 + (int)sizeof(uniform Link) * 1000000;
    }
}
export void matrices(uniform double out[], uniform double given[], uniform int n, uniform int power) {
    foreach (i = 0 ... n) {
        double m[4][4], r[4][4];
        for (uniform int a = 0; a < 4; a++) for (uniform int b = 0; b < 4; b++) { m[a][b] = given[i * 16 + a * 4 + b]; r[a][b] = a == b ? 1 : 0; }
        int p = power + (i & 3);
        while (p != 0) {
            double t[4][4];
            if (p & 1) {
                for (uniform int a = 0; a < 4; a++) for (uniform int b = 0; b < 4; b++) { t[a][b] = 0; for (uniform int c = 0; c < 4; c++) t[a][b] += r[a][c] * m[c][b]; }
                for (uniform int a = 0; a < 4; a++) for (uniform int b = 0; b < 4; b++) r[a][b] = t[a][b];
            }
            for (uniform int a = 0; a < 4; a++) for (uniform int b = 0; b < 4; b++) { t[a][b] = 0; for (uniform int c = 0; c < 4; c++) t[a][b] += m[a][c] * m[c][b]; }
            for (uniform int a = 0; a < 4; a++) for (uniform int b = 0; b < 4; b++) m[a][b] = t[a][b];
            p >>= 1;
        }
        for (uniform int a = 0; a < 4; a++) for (uniform int b = 0; b < 4; b++) out[i * 16 + a * 4 + b] = r[a][b];
    }
}
export void fields(uniform int16 wide_[], uniform uint8 flags[], uniform int8 given[], uniform int n) {
    foreach (i = 0 ... n) {
        int8 a = given[i * 4], b = given[i * 4 + 1], c = given[i * 4 + 2], d = given[i * 4 + 3];
        bool set[8];
        for (uniform int k = 0; k < 8; k++) set[k] = ((a >> k) & 1) != 0;
        if (b < 0) for (uniform int k = 0; k < 4; k++) { bool t = set[k]; set[k] = set[7 - k]; set[7 - k] = t; }
        int which = c & 7;
        set[which] = !set[which];
        uint8 f = 0;
        for (uniform int k = 0; k < 8; k++) if (set[k]) f |= (uint8)(1 << k);
        flags[i] = f;
        int16 w = (int16)((int16)a * b);
        w = d > 0 ? (int16)(w >> (d & 7)) : (int16)(w ^ (int16)c);
        if (d == 1 || d == -1) w = (int16)(w / (int16)(b == 0 ? 1 : b));
        wide_[i] = w;
    }
}
