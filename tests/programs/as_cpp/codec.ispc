// call: blocks: Z(64*64,np.int16), I(64*64,0,256,np.uint8), 64, 64, 12
// call: encode: Z(40*256,np.uint8), Z(40), I(40*64,-3,4,np.int8), 40
// call: lz: Z(32*300,np.uint8), Z(32), I(32*200,0,4,np.uint8), 32, 200
// call: crc: Z(50,np.uint32), I(50*33,0,256,np.uint8), 50, 33
// call: delta: Z(1000,np.int64), Z(1000,np.uint64), I(1000,-5000000,5000000,np.int64), 1000
// call: utf: Z(600), I(600,0,256,np.uint8), 600
// call: base64: Z(400,np.uint8), I(300,0,256,np.uint8), 100
static const uniform int8 zigzag[64] = {
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63
};
static const uniform int16 basis[8][8] = {
    { 64, 64, 64, 64, 64, 64, 64, 64 }, { 89, 75, 50, 18, -18, -50, -75, -89 }, { 83, 36, -36, -83, -83, -36, 36, 83 },
    { 75, -18, -89, -50, 50, 89, 18, -75 }, { 64, -64, -64, 64, 64, -64, -64, 64 }, { 50, -89, 18, 75, -75, -18, 89, -50 },
    { 36, -83, 83, -36, -36, 83, -83, 36 }, { 18, -50, 75, -89, 89, -75, 50, -18 }
};
static inline int16 quantised(int value, int step) {
    int rounded = value >= 0 ? (value + step / 2) / step : -((step / 2 - value) / step);
    return (int16)rounded;
}
export void blocks(uniform int16 out[], uniform uint8 image[], uniform int width, uniform int height, uniform int quality) {
    uniform int across = width / 8; uniform int down = height / 8;
    foreach (b = 0 ... across * down) {
        int bx = (b % across) * 8, by = (b / across) * 8;
        int first[64];
        int16 second[64];
        for (uniform int y = 0; y < 8; y++)
            for (uniform int u = 0; u < 8; u++) {
                int sum = 0;
                for (uniform int x = 0; x < 8; x++)
                    sum += ((int)image[(by + y) * width + bx + x] - 128) * basis[u][x];
                first[y * 8 + u] = (sum + 4) >> 3;
            }
        for (uniform int u = 0; u < 8; u++)
            for (uniform int v = 0; v < 8; v++) {
                int sum = 0;
                for (uniform int y = 0; y < 8; y++) sum += first[y * 8 + u] * basis[v][y];
                second[v * 8 + u] = quantised((sum + 1024) >> 11, quality + u + v);
            }
        int last = -1;
        for (uniform int k = 0; k < 64; k++) {
            int16 q = second[zigzag[k]];
            out[b * 64 + k] = q;
            if (q != 0) last = k;
        }
        for (int k = last + 1; k < 64; k++) out[b * 64 + k] = -1;
    }
}

struct BitWriter { uint32 held; int count; int bytes; };
static inline void put(BitWriter &w, uniform uint8 out[], int base, uint32 bits, int length) {
    w.held |= bits << w.count;
    w.count += length;
    while (w.count >= 8) {
        out[base + w.bytes] = (uint8)(w.held & 255);
        w.held >>= 8;
        w.count -= 8;
        w.bytes++;
    }
}
static inline int category(int v) { int a = v < 0 ? -v : v; return 32 - count_leading_zeros(a); }
export void encode(uniform uint8 out[], uniform int lengths[], uniform int8 coefficients[], uniform int blocks) {
    foreach (b = 0 ... blocks) {
        BitWriter w;
        w.held = 0; w.count = 0; w.bytes = 0;
        int run = 0, previous = 0;
        for (uniform int k = 0; k < 64; k++) {
            int v = coefficients[b * 64 + k];
            if (k == 0) { int d = v - previous; previous = v; v = d; }
            if (v == 0) { run++; continue; }
            while (run > 15) { put(w, out, b * 256, 0xf0u, 8); run -= 16; }
            int c = category(v);
            put(w, out, b * 256, (uint32)(run * 16 + c), 8);
            put(w, out, b * 256, (uint32)(v < 0 ? v + (1 << c) - 1 : v), c);
            run = 0;
        }
        if (run > 0) put(w, out, b * 256, 0, 8);
        if (w.count > 0) put(w, out, b * 256, 0, 8 - w.count);
        lengths[b] = w.bytes;
    }
}

// Each lane packs a row of its own.
export void lz(uniform uint8 out[], uniform int lengths[], uniform uint8 text[], uniform int rows, uniform int n) {
    foreach (r = 0 ... rows) {
        uniform uint8 * varying from = &text[r * n];
        uniform uint8 * varying to = &out[r * 300];
        int at = 0, written = 0;
        while (at < n) {
            int best = 0, distance = 0;
            for (int back = 1; back <= min(at, 31); back++) {
                int length = 0;
                while (length < 18 && at + length < n && from[at + length] == from[at + length - back]) ++length;
                if (length > best) { best = length; distance = back; }
                if (best == 18) break;
            }
            if (best >= 3) {
                *(to + written) = (uint8)(0x80 | (best - 3));
                to[written + 1] = (uint8)distance;
                written += 2;
                at += best;
            } else {
                to[written++] = from[at++];
            }
        }
        lengths[r] = written;
    }
}

static uniform uint32 table[256];
static void make_table() {
    foreach (i = 0 ... 256) {
        uint32 c = i;
        for (uniform int k = 0; k < 8; k++) c = (c & 1) ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}
export void crc(uniform uint32 out[], uniform uint8 rows[], uniform int count, uniform int length) {
    make_table();
    foreach (r = 0 ... count) {
        uint32 c = 0xFFFFFFFFu;
        int cut = length - (r % 7);
        for (int k = 0; k < cut; k++) c = table[(c ^ rows[r * length + k]) & 255] ^ (c >> 8);
        out[r] = ~c;
    }
}

export void delta(uniform int64 restored[], uniform uint64 coded[], uniform int64 values[], uniform int n) {
    foreach (i = 0 ... n) {
        int64 before = 0;
        if (i > 0) before = values[i - 1];
        int64 d = values[i] - before;
        coded[i] = ((uint64)d << 1) ^ (uint64)(d >> 63);
    }
    uniform int64 sum = 0;
    for (uniform int i = 0; i < n; i++) {
        uniform uint64 c = coded[i];
        sum += (uniform int64)(c >> 1) ^ -(uniform int64)(c & 1);
        restored[i] = sum;
    }
}

export void utf(uniform int kinds[], uniform uint8 bytes[], uniform int n) {
    foreach (i = 0 ... n) {
        uint8 b = bytes[i];
        int kind;
        if (b < 0x80) kind = 1;
        else if (b < 0xC0) kind = 0;
        else if (b < 0xE0) kind = 2;
        else if (b < 0xF0) kind = 3;
        else if (b < 0xF8) kind = 4;
        else kind = -1;
        bool good = kind > 0;
        for (int k = 1; k < kind; k++) {
            if (i + k >= n) { good = false; break; }
            uint8 next = bytes[i + k];
            if ((next & 0xC0) != 0x80) { good = false; break; }
        }
        kinds[i] = good ? kind : kind - 100;
    }
}

static inline uint8 letter(int v) {
    switch (v >> 4) {
    case 0: case 1: if (v < 26) return 65 + v; return 71 + v;
    case 2: return 71 + v;
    case 3: if (v < 52) return 71 + v; if (v < 62) return (uint8)(v - 4); return v == 62 ? 43 : 47;
    default: return 0;
    }
}
export void base64(uniform uint8 out[], uniform uint8 bytes[], uniform int triples) {
    foreach (t = 0 ... triples) {
        uint32 word = ((uint32)bytes[t * 3] << 16) | ((uint32)bytes[t * 3 + 1] << 8) | bytes[t * 3 + 2];
        for (uniform int k = 0; k < 4; k++) out[t * 4 + k] = letter((int)((word >> (18 - 6 * k)) & 63));
    }
}
