// call: encode_bc1: Z(9*7*2,np.uint32), I(28*36*4,0,256,np.uint8), 36, 28, 1
// call: encode_bc1: Z(9*7*2,np.uint32), I(28*36*4,90,130,np.uint8), 36, 28, 3
// call: decode_bc1: Z(28*36*4,np.uint8), I(9*7*2,-2**31,2**31-1,np.uint32), 36, 28
// call: encode_bc4: Z(9*7,np.uint64), I(28*36,0,256,np.uint8), 36, 28, 0
// call: encode_bc4: Z(9*7,np.uint64), I(28*36,0,256,np.uint8), 36, 28, 1
// call: decode_bc4: Z(28*36,np.int16), I(9*7*2,-2**31,2**31-1,np.uint32), 36, 28, 1
// call: encode_bc3: Z(9*7*4,np.uint32), I(28*36*4,0,256,np.uint8), 36, 28
// call: encode_partitions: Z(9*7*4,np.uint32), Z(9*7), I(28*36*4,20,256,np.uint8), 36, 28
// call: mipmaps: Z(1400*4,np.uint8), I(32*32*4,0,256,np.uint8), 32
// call: normals: Z(30*20*2,np.int8), I(30*20,0,65536,np.uint16), 30, 20
// call: dither: Z(24*40,np.uint16), I(24*40*4,0,256,np.uint8), 40, 24
// call: ycocg: Z(17*13*4,np.int16), Z(17*13*4,np.uint8), I(17*13*4,0,256,np.uint8), 221
// call: etc_like: Z(9*7*2,np.uint32), I(28*36*4,0,256,np.uint8), 36, 28
// call: quality: D(6), I(400,0,256,np.uint8), I(400,0,256,np.uint8), 400
#define BLOCK 4
#define PIXELS (BLOCK * BLOCK)
#define PACK565(r, g, b) ((uint32)(((r) >> 3) << 11 | ((g) >> 2) << 5 | ((b) >> 3)))
#define SQUARE(x) ((x) * (x))
#define FOR_EACH_BLOCK(w, h) foreach (by = 0 ... (h) / BLOCK, bx = 0 ... (w) / BLOCK)
struct Colour { float r, g, b; };
struct Block { float c[4][PIXELS]; int lo[4], hi[4]; };
struct Endpoints { Colour a, b; float error; uint32 bits; int mode; };
struct Profile { int refine; bool fast; float weights[3]; };

static inline Colour rgb(float r, float g, float b) { Colour c; c.r = r; c.g = g; c.b = b; return c; }
static inline Colour operator+(Colour a, Colour b) { return rgb(a.r + b.r, a.g + b.g, a.b + b.b); }
static inline Colour operator-(Colour a, Colour b) { return rgb(a.r - b.r, a.g - b.g, a.b - b.b); }
static inline Colour operator*(Colour a, float s) { return rgb(a.r * s, a.g * s, a.b * s); }
static inline float inner(Colour a, Colour b) { return a.r * b.r + a.g * b.g + a.b * b.b; }

static void load_block(uniform uint8 image[], uniform int width, int bx, int by, Block &out) {
    for (uniform int p = 0; p < 4; p++) { out.lo[p] = 255; out.hi[p] = 0; }
    for (uniform int y = 0; y < BLOCK; y++)
        for (uniform int x = 0; x < BLOCK; x++) {
            int at = ((by * BLOCK + y) * width + bx * BLOCK + x) * 4;
            for (uniform int p = 0; p < 4; p++) {
                int v = image[at + p];
                out.c[p][y * BLOCK + x] = v;
                out.lo[p] = min(out.lo[p], v);
                out.hi[p] = max(out.hi[p], v);
            }
        }
}

static Colour pixel(const Block &b, uniform int k) { return rgb(b.c[0][k], b.c[1][k], b.c[2][k]); }

static void covariance(const Block &b, Colour &mean, float cov[6]) {
    Colour sum = rgb(0, 0, 0);
    for (uniform int k = 0; k < PIXELS; k++) sum = sum + pixel(b, k);
    mean = sum * (1.0f / PIXELS);
    for (uniform int k = 0; k < 6; k++) cov[k] = 0;
    for (uniform int k = 0; k < PIXELS; k++) {
        Colour d = pixel(b, k) - mean;
        cov[0] += d.r * d.r; cov[1] += d.r * d.g; cov[2] += d.r * d.b;
        cov[3] += d.g * d.g; cov[4] += d.g * d.b; cov[5] += d.b * d.b;
    }
}

static Colour principal(const float cov[6], uniform int iterations) {
    Colour v = rgb(1, 1, 1);
    for (uniform int k = 0; k < iterations; k++) {
        Colour n;
        n.r = cov[0] * v.r + cov[1] * v.g + cov[2] * v.b;
        n.g = cov[1] * v.r + cov[3] * v.g + cov[4] * v.b;
        n.b = cov[2] * v.r + cov[4] * v.g + cov[5] * v.b;
        float m = max(max(abs(n.r), abs(n.g)), abs(n.b));
        if (m == 0) break;
        v = n * (1 / m);
    }
    return v;
}

static inline uint32 to565(Colour c) {
    int r = clamp((int)(c.r * (31.0f / 255) + 0.5f), 0, 31);
    int g = clamp((int)(c.g * (63.0f / 255) + 0.5f), 0, 63);
    int b = clamp((int)(c.b * (31.0f / 255) + 0.5f), 0, 31);
    return (uint32)(r << 11 | g << 5 | b);
}
static inline Colour from565(uint32 p) {
    int r = (p >> 11) & 31, g = (p >> 5) & 63, b = p & 31;
    return rgb((float)((r << 3) | (r >> 2)), (float)((g << 2) | (g >> 4)), (float)((b << 3) | (b >> 2)));
}

static void palette4(uint32 q0, uint32 q1, Colour p[4]) {
    p[0] = from565(q0);
    p[1] = from565(q1);
    if (q0 > q1) {
        p[2] = (p[0] * 2 + p[1]) * (1.0f / 3);
        p[3] = (p[0] + p[1] * 2) * (1.0f / 3);
    } else {
        p[2] = (p[0] + p[1]) * 0.5f;
        p[3] = rgb(0, 0, 0);
    }
}

static uint32 choose(const Block &b, uint32 q0, uint32 q1, float &error) {
    Colour p[4];
    palette4(q0, q1, p);
    uint32 bits = 0;
    error = 0;
    for (uniform int k = 0; k < PIXELS; k++) {
        float best = 1e30f;
        uint32 which = 0;
        for (uniform int j = 0; j < 4; j++) {
            Colour d = pixel(b, k) - p[j];
            float e = inner(d, d);
            if (e < best) { best = e; which = j; }
        }
        bits |= which << (2 * k);
        error += best;
    }
    return bits;
}

static bool refine(const Block &b, uint32 bits, uint32 &q0, uint32 &q1) {
    float aa = 0, ab = 0, bb = 0;
    Colour ax = rgb(0, 0, 0), bx = rgb(0, 0, 0);
    for (uniform int k = 0; k < PIXELS; k++) {
        uint32 j = (bits >> (2 * k)) & 3;
        float w;
        switch (j) {
        case 0: w = 1; break;
        case 1: w = 0; break;
        case 2: w = 2.0f / 3; break;
        default: w = 1.0f / 3;
        }
        float u = 1 - w;
        aa += w * w; ab += w * u; bb += u * u;
        ax = ax + pixel(b, k) * w;
        bx = bx + pixel(b, k) * u;
    }
    float det = aa * bb - ab * ab;
    if (abs(det) < 1e-6f) return false;
    float inv = 1 / det;
    uint32 n0 = to565((ax * bb - bx * ab) * inv), n1 = to565((bx * aa - ax * ab) * inv);
    if (n0 < n1) { uint32 t = n0; n0 = n1; n1 = t; }
    if (n0 == n1) return false;
    bool changed = n0 != q0 || n1 != q1;
    q0 = n0;
    q1 = n1;
    return changed;
}

static Endpoints encode_colours(const Block &b, uniform int steps) {
    Endpoints e;
    e.mode = 0;
    if (b.lo[0] == b.hi[0] && b.lo[1] == b.hi[1] && b.lo[2] == b.hi[2]) {
        e.a = e.b = pixel(b, 0);
        e.bits = 0x55555555;
        e.error = 0;
        e.mode = 1;
        return e;
    }
    Colour mean;
    float cov[6];
    covariance(b, mean, cov);
    Colour axis = principal(cov, 4);
    float low = 1e30f, high = -1e30f;
    float norm = inner(axis, axis);
    for (uniform int k = 0; k < PIXELS; k++) {
        float t = inner(pixel(b, k) - mean, axis) / norm;
        low = min(low, t);
        high = max(high, t);
    }
    uint32 q0 = to565(mean + axis * high), q1 = to565(mean + axis * low);
    if (q0 < q1) { uint32 t = q0; q0 = q1; q1 = t; }
    e.bits = choose(b, q0, q1, e.error);
    for (uniform int s = 1; s < steps; s++) {
        uint32 n0 = q0, n1 = q1;
        if (!refine(b, e.bits, n0, n1)) break;
        float better;
        uint32 bits = choose(b, n0, n1, better);
        if (better >= e.error) continue;
        e.bits = bits; e.error = better; q0 = n0; q1 = n1;
        e.mode += 2;
    }
    e.a = from565(q0);
    e.b = from565(q1);
    return e;
}

export void encode_bc1(uniform uint32 out[], uniform uint8 image[], uniform int width, uniform int height, uniform int steps) {
    FOR_EACH_BLOCK(width, height) {
        Block b;
        load_block(image, width, bx, by, b);
        Endpoints e = encode_colours(b, steps);
        int at = (by * (width / BLOCK) + bx) * 2;
        uint32 q0 = to565(e.a), q1 = to565(e.b);
        out[at] = q0 | q1 << 16;
        out[at + 1] = e.bits;
    }
}

export void decode_bc1(uniform uint8 image[], uniform uint32 blocks[], uniform int width, uniform int height) {
    FOR_EACH_BLOCK(width, height) {
        int at = (by * (width / BLOCK) + bx) * 2;
        uint32 ends = blocks[at], bits = blocks[at + 1];
        uint32 q0 = ends & 0xffff, q1 = ends >> 16;
        Colour p[4];
        palette4(q0, q1, p);
        for (uniform int k = 0; k < PIXELS; k++) {
            int j = (bits >> (2 * k)) & 3;
            Colour c = p[j];
            int to = ((by * BLOCK + k / BLOCK) * width + bx * BLOCK + k % BLOCK) * 4;
            image[to] = (uint8)(int)c.r;
            image[to + 1] = (uint8)(int)c.g;
            image[to + 2] = (uint8)(int)c.b;
            image[to + 3] = q0 <= q1 && j == 3 ? (uint8)0 : (uint8)255;
        }
    }
}

static void ramp8(int a, int b, bool with_sign, int p[8]) {
    p[0] = a;
    p[1] = b;
    if (a > b) {
        for (uniform int k = 1; k < 7; k++) p[k + 1] = ((7 - k) * a + k * b) / 7;
    } else {
        for (uniform int k = 1; k < 5; k++) p[k + 1] = ((5 - k) * a + k * b) / 5;
        p[6] = with_sign ? -127 : 0;
        p[7] = with_sign ? 127 : 255;
    }
}

static uint64 encode_channel(const int v[PIXELS], bool with_sign) {
    int lo = v[0], hi = v[0];
    for (uniform int k = 1; k < PIXELS; k++) { lo = min(lo, v[k]); hi = max(hi, v[k]); }
    uint64 best_bits = 0;
    int best = 0x7fffffff;
    for (uniform int order = 0; order < 2; order++) {
        int a = order ? lo : hi, b = order ? hi : lo;
        int p[8];
        ramp8(a, b, with_sign, p);
        uint64 bits = ((uint64)(uint8)a) | ((uint64)(uint8)b) << 8;
        int error = 0;
        for (uniform int k = 0; k < PIXELS && best > 0; k++) {
            int near = 0x7fffffff;
            uint64 which = 0;
            for (uniform int j = 0; j < 8; j++) {
                int d = SQUARE(p[j] - v[k]);
                if (d < near) { near = d; which = (uint64)j; }
            }
            error += near;
            bits |= which << (16 + 3 * k);
        }
        if (error < best) { best = error; best_bits = bits; }
    }
    return best_bits;
}

export void encode_bc4(uniform uint64 out[], uniform uint8 image[], uniform int width, uniform int height, uniform int with_sign) {
    FOR_EACH_BLOCK(width, height) {
        int v[PIXELS];
        for (uniform int k = 0; k < PIXELS; k++) {
            int at = (by * BLOCK + k / BLOCK) * width + bx * BLOCK + k % BLOCK;
            if (with_sign) v[k] = max((int)(int8)image[at], -127);
            else v[k] = image[at];
        }
        out[by * (width / BLOCK) + bx] = encode_channel(v, with_sign != 0);
    }
}

export void decode_bc4(uniform int16 image[], uniform uint32 words[], uniform int width, uniform int height, uniform int with_sign) {
    FOR_EACH_BLOCK(width, height) {
        int at = (by * (width / BLOCK) + bx) * 2;
        uint64 bits = (uint64)words[at] | (uint64)words[at + 1] << 32;
        int a = (int)(bits & 0xff), b = (int)((bits >> 8) & 0xff);
        if (with_sign) { a = (int8)a; b = (int8)b; }
        int p[8];
        ramp8(a, b, with_sign != 0, p);
        bits >>= 16;
        for (uniform int k = 0; k < PIXELS; k++, bits >>= 3) {
            int to = (by * BLOCK + k / BLOCK) * width + bx * BLOCK + k % BLOCK;
            image[to] = (int16)p[(int)(bits & 7)];
        }
    }
}

export void encode_bc3(uniform uint32 out[], uniform uint8 image[], uniform int width, uniform int height) {
    FOR_EACH_BLOCK(width, height) {
        Block b;
        load_block(image, width, bx, by, b);
        int alpha[PIXELS];
        for (uniform int k = 0; k < PIXELS; k++) alpha[k] = (int)b.c[3][k];
        uint64 a = encode_channel(alpha, false);
        Endpoints e = encode_colours(b, 2);
        int at = (by * (width / BLOCK) + bx) * 4;
        out[at] = (uint32)a;
        out[at + 1] = (uint32)(a >> 32);
        uint32 q0 = to565(e.a), q1 = to565(e.b);
        out[at + 2] = q1 << 16 | q0;
        out[at + 3] = e.bits;
    }
}

static const uniform uint16 shapes[8] = { 0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80 };

// Two subsets of pixels: the shape with the least error, four bits of an index each.
export void encode_partitions(uniform uint32 out[], uniform int which[], uniform uint8 image[], uniform int width, uniform int height) {
    FOR_EACH_BLOCK(width, height) {
        Block b;
        load_block(image, width, bx, by, b);
        float best = 1e30f;
        int shape = -1;
        for (uniform int s = 0; s < 8; s++) {
            uint32 mask = shapes[s];
            float error = 0;
            for (uniform int half = 0; half < 2; half++) {
                Colour sum = rgb(0, 0, 0);
                float squares = 0;
                int count = 0;
                for (uniform int k = 0; k < PIXELS; k++) {
                    if (((mask >> k) & 1) != half) continue;
                    Colour c = pixel(b, k);
                    sum = sum + c;
                    squares += inner(c, c);
                    count++;
                }
                error += squares - inner(sum, sum) / count;
                if (error > best) break;
            }
            if (error < best) { best = error; shape = s; }
        }
        int index = by * (width / BLOCK) + bx;
        which[index] = shape;
        uint32 chosen = shapes[shape], words[4];
        for (uniform int w = 0; w < 4; w++) words[w] = 0;
        int at = 0;
        int lo[2][3], hi[2][3];
        for (uniform int s = 0; s < 2; s++)
            for (uniform int c = 0; c < 3; c++) { lo[s][c] = 255; hi[s][c] = 0; }
        for (uniform int k = 0; k < PIXELS; k++) {
            int s = (chosen >> k) & 1;
            for (uniform int c = 0; c < 3; c++) {
                lo[s][c] = min(lo[s][c], (int)b.c[c][k]);
                hi[s][c] = max(hi[s][c], (int)b.c[c][k]);
            }
        }
        for (uniform int s = 0; s < 2; s++)
            for (uniform int c = 0; c < 3; c++) {
                uint32 field = (uint32)((lo[s][c] >> 4) | (hi[s][c] & 0xf0));
                words[at >> 5] |= field << (at & 31);
                at += 8;
            }
        for (uniform int k = 0; k < PIXELS; k++) {
            int s = (chosen >> k) & 1;
            int span = hi[s][1] - lo[s][1];
            uint32 index4 = span ? (uint32)(((int)b.c[1][k] - lo[s][1]) * 15 / span) : 0;
            words[at >> 5] |= index4 << (at & 31);
            at += 4;
        }
        words[3] |= (uint32)shape << 24;
        for (uniform int w = 0; w < 4; w++) out[index * 4 + w] = words[w];
    }
}

export void mipmaps(uniform uint8 out[], uniform uint8 image[], uniform int size) {
    uniform int from = 0, to = 0;
    foreach (k = 0 ... size * size * 4) out[k] = image[k];
    to = size * size;
    while (size > 1) {
        uniform int half = size / 2;
        uniform uint8 * uniform source = out + from * 4;
        uniform uint8 * uniform dest = &out[to * 4];
        foreach (y = 0 ... half, x = 0 ... half) {
            for (uniform int c = 0; c < 4; c++) {
                int sum = source[((2 * y) * size + 2 * x) * 4 + c] + (int)source[((2 * y) * size + 2 * x + 1) * 4 + c];
                sum += (int)source[((2 * y + 1) * size + 2 * x) * 4 + c] + source[((2 * y + 1) * size + 2 * x + 1) * 4 + c];
                dest[(y * half + x) * 4 + c] = (uint8)((sum + 2) >> 2);
            }
        }
        from = to;
        to += half * half;
        size = half;
    }
}

export void normals(uniform int8 out[], uniform uint16 heights[], uniform int width, uniform int height) {
    foreach (y = 0 ... height, x = 0 ... width) {
        int left = heights[y * width + max(x - 1, 0)], right = heights[y * width + min(x + 1, width - 1)];
        int up = heights[max(y - 1, 0) * width + x], down = heights[min(y + 1, height - 1) * width + x];
        float dx = (left - right) * (1.0f / 256), dy = (up - down) * (1.0f / 256);
        float scale = 127 / sqrt(dx * dx + dy * dy + 1);
        int at = 2 * (y * width + x);
        out[at] = (int8)(int)(dx * scale);
        out[at + 1] = (int8)(int)(dy * scale);
    }
}

export void dither(uniform uint16 out[], uniform uint8 image[], uniform int width, uniform int height) {
    foreach (y = 0 ... height) {
        int carry[3];
        for (uniform int c = 0; c < 3; c++) carry[c] = 0;
        for (uniform int x = 0; x < width; x++) {
            uint16 packed = 0;
            for (uniform int c = 0; c < 3; c++) {
                int want = image[(y * width + x) * 4 + c] + carry[c];
                int bits = c == 1 ? 6 : 5;
                int level = clamp((want * ((1 << bits) - 1) + 127) / 255, 0, (1 << bits) - 1);
                int got = level * 255 / ((1 << bits) - 1);
                carry[c] = (want - got) * 7 / 8;
                packed = (uint16)((packed << bits) | level);
            }
            out[y * width + x] = packed;
        }
    }
}

export void ycocg(uniform int16 out[], uniform uint8 back[], uniform uint8 image[], uniform int count) {
    foreach (k = 0 ... count) {
        int16 r = image[4 * k], g = image[4 * k + 1], b = image[4 * k + 2];
        int16 co = r - b;
        int16 t = b + (co >> 1);
        int16 cg = g - t;
        int16 luma = t + (cg >> 1);
        out[4 * k] = luma; out[4 * k + 1] = co; out[4 * k + 2] = cg; out[4 * k + 3] = image[4 * k + 3];
        t = luma - (cg >> 1);
        g = cg + t;
        b = t - (co >> 1);
        r = b + co;
        back[4 * k] = (uint8)r; back[4 * k + 1] = (uint8)g; back[4 * k + 2] = (uint8)b; back[4 * k + 3] = (uint8)~image[4 * k + 3];
    }
}

static const uniform uint8 modifiers[8][2] = { { 2, 8 }, { 5, 17 }, { 9, 29 }, { 13, 42 }, { 18, 60 }, { 24, 80 }, { 33, 106 }, { 47, 183 } };

export void etc_like(uniform uint32 out[], uniform uint8 image[], uniform int width, uniform int height) {
    FOR_EACH_BLOCK(width, height) {
        Block b;
        load_block(image, width, bx, by, b);
        uint32 high = 0, low = 0;
        for (uniform int half = 0; half < 2; half++) {
            int mean[3];
            for (uniform int c = 0; c < 3; c++) {
                int sum = 0;
                for (uniform int k = 8 * half; k < 8 * half + 8; k++) sum += (int)b.c[c][k];
                mean[c] = sum >> 7;
                high |= (uint32)mean[c] << (8 * c + 4 * half);
                mean[c] = mean[c] << 4 | mean[c];
            }
            int best_table = 0, best = 0x7fffffff;
            uint32 best_bits = 0;
            for (uniform int t = 0; t < 8; t++) {
                int error = 0;
                uint32 bits = 0;
                for (uniform int k = 8 * half; k < 8 * half + 8; k++) {
                    int near = 0x7fffffff;
                    uint32 at = 0;
                    for (uniform int m = 0; m < 4; m++) {
                        int e = 0;
                        uniform int step = modifiers[t][m & 1];
                        if (m > 1) step = -step;
                        for (uniform int c = 0; c < 3; c++) e += SQUARE(clamp(mean[c] + step, 0, 255) - (int)b.c[c][k]);
                        if (e < near) { near = e; at = (uint32)m; }
                    }
                    error += near;
                    if (error >= best) break;
                    bits |= at << (2 * k);
                }
                if (error < best) { best = error; best_bits = bits; best_table = t; }
            }
            high |= (uint32)best_table << (24 + 4 * half);
            low |= best_bits;
        }
        int at = (by * (width / BLOCK) + bx) * 2;
        out[at] = high;
        out[at + 1] = low;
    }
}

export void quality(uniform double out[], uniform uint8 a[], uniform uint8 b[], uniform int n) {
    for (uniform int which = 0; which < 6; which++) out[which] = 0;
    foreach (g = 0 ... 6) {
        int64 sum = 0;
        double weighted = 0;
        uint32 seen = 0;
        for (uniform int k = 0; k < n; k++) {
            if (k % 6 != g) continue;
            int d = (int)a[k] - b[k];
            sum += d * d;
            weighted += d * 0.25;
            seen |= (uint32)1 << (d & 31);
        }
        out[g] = sum + weighted / 8 + popcnt((int)seen);
    }
}
