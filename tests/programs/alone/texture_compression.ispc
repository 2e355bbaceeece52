// claim: 4x4 blocks are compressed to two 565 colours and sixteen 2-bit indices, a block per lane, and decode as worked out block by block
// where:
//   def px(x, y): return [(x * 16 + y * 3) & 255, (x * y * 5) & 255, 255 - ((x * 7) & 127)]
//   def quant(c): return ((c[0] >> 3) << 11) | ((c[1] >> 2) << 5) | (c[2] >> 3)
//   def expand(v):
//       r, g, b = v >> 11, (v >> 5) & 63, v & 31
//       return [(r << 3) | (r >> 2), (g << 2) | (g >> 4), (b << 3) | (b >> 2)]
//   def block(bx, by):
//       p = [px(bx * 4 + k % 4, by * 4 + k // 4) for k in range(16)]
//       lo = [min(q[c] for q in p) for c in range(3)]; hi = [max(q[c] for q in p) for c in range(3)]
//       inset = [(hi[c] - lo[c]) >> 4 for c in range(3)]
//       lo = [min(255, lo[c] + inset[c]) for c in range(3)]; hi = [max(0, hi[c] - inset[c]) for c in range(3)]
//       c0, c1 = quant(hi), quant(lo)
//       if c0 < c1: c0, c1 = c1, c0
//       e0, e1 = expand(c0), expand(c1)
//       pal = [e0, e1, [(2 * a + b) // 3 for a, b in zip(e0, e1)], [(a + 2 * b) // 3 for a, b in zip(e0, e1)]]
//       bits = 0
//       for k in range(16):
//           d = [sum(abs(q - w) for q, w in zip(p[k], pal[j])) for j in range(4)]
//           bits |= d.index(min(d)) << (2 * k)
//       return c0, c1, bits
//   blocks = [block(b % 8, b // 8) for b in range(64)]
// expect: [b[0] for b in blocks], [b[1] for b in blocks], [b[2] & 0xffff for b in blocks], [b[2] >> 16 for b in blocks]
struct rgba_surface {
    uint8 *ptr;
    int width, height, stride;
};

struct Color { int c[3]; };

inline int quantise(const Color &color) {
    return ((color.c[0] >> 3) << 11) | ((color.c[1] >> 2) << 5) | (color.c[2] >> 3);
}

inline Color expand565(int v) {
    Color r;
    int red = v >> 11, green = (v >> 5) & 63, blue = v & 31;
    r.c[0] = (red << 3) | (red >> 2);
    r.c[1] = (green << 2) | (green >> 4);
    r.c[2] = (blue << 3) | (blue >> 2);
    return r;
}

inline void load_block(uint8 block[16][4], int xx, uniform int yy, uniform rgba_surface * uniform src) {
    for (uniform int y = 0; y < 4; y++)
        for (uniform int x = 0; x < 4; x++) {
            uniform unsigned int32 * uniform row = (uniform unsigned int32 * uniform)&src->ptr[(yy * 4 + y) * src->stride];
            unsigned int32 rgba = row[xx * 4 + x];
            for (uniform int c = 0; c < 4; c++)
                block[y * 4 + x][c] = (uint8)(rgba >> (8 * c));
        }
}

inline void bounds(uint8 block[16][4], uint8 lo[3], uint8 hi[3]) {
    for (uniform int c = 0; c < 3; c++) { lo[c] = 255; hi[c] = 0; }
    for (uniform int k = 0; k < 16; k++)
        for (uniform int c = 0; c < 3; c++) {
            lo[c] = min(lo[c], block[k][c]);
            hi[c] = max(hi[c], block[k][c]);
        }
    for (uniform int c = 0; c < 3; c++) {
        uint8 inset = (hi[c] - lo[c]) >> 4;
        lo[c] = saturating_add(lo[c], inset);
        hi[c] = saturating_sub(hi[c], inset);
    }
}

inline unsigned int distance(const uint8 a[4], const Color &b) {
    unsigned int d = 0;
    for (uniform int c = 0; c < 3; c++) {
        int delta = (int)a[c] - b.c[c];
        d += delta < 0 ? -delta : delta;
    }
    return d;
}

static void compress_block(int xx, uniform int yy, uniform rgba_surface * uniform src, uniform uint32 dst[]) {
    uint8 block[16][4];
    load_block(block, xx, yy, src);
    uint8 lo[3], hi[3];
    bounds(block, lo, hi);
    Color low, high;
    for (uniform int c = 0; c < 3; c++) { low.c[c] = lo[c]; high.c[c] = hi[c]; }
    int c0 = quantise(high), c1 = quantise(low);
    if (c0 < c1) { int t = c0; c0 = c1; c1 = t; }
    Color palette[4];
    palette[0] = expand565(c0);
    palette[1] = expand565(c1);
    for (uniform int c = 0; c < 3; c++) {
        palette[2].c[c] = (2 * palette[0].c[c] + palette[1].c[c]) / 3;
        palette[3].c[c] = (palette[0].c[c] + 2 * palette[1].c[c]) / 3;
    }
    uint32 bits = 0;
    for (uniform int k = 0; k < 16; k++) {
        unsigned int best = 0xffffffff;
        uint32 index = 0;
        for (uniform int j = 0; j < 4; j++) {
            unsigned int d = distance(block[k], palette[j]);
            if (d < best) { best = d; index = j; }
        }
        bits |= index << (2 * k);
    }
    uniform uint32 * varying p = &dst[(yy * (src->width / 4) + xx) * 2];
    p[0] = c0 | (c1 << 16);
    p[1] = bits;
}

static uniform uint8 pixels[32 * 32 * 4];
static uniform uint32 blocks[64 * 2];

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform rgba_surface surface = { pixels, 32, 32, 128 };
    foreach (y = 0 ... 32, x = 0 ... 32) {
        uniform uint8 * varying p = surface.ptr + y * surface.stride + x * 4;
        p[0] = x * 16 + y * 3;
        p[1] = x * y * 5;
        p[2] = 255 - ((x * 7) & 127);
        p[3] = 255;
    }
    for (uniform int yy = 0; yy < surface.height / 4; yy++)
        foreach (xx = 0 ... surface.width / 4)
            compress_block(xx, yy, &surface, blocks);
    foreach (b = 0 ... 64) {
        out[b] = blocks[2 * b] & 0xffff;
        out[64 + b] = blocks[2 * b] >> 16;
        out[128 + b] = blocks[2 * b + 1] & 0xffff;
        out[192 + b] = blocks[2 * b + 1] >> 16;
    }
}
