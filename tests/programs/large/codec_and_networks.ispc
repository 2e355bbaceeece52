// claim: a picture goes through filters, a transform codec with Huffman codes, and small networks in bytes and half floats, as in numpy
// where:
//   S = 16
//   img = np.array([[(x * 13 + y * 29 + x * y) % 256 for x in range(S)] for y in range(S)])
//   pad = np.pad(img, 1, mode='edge')
//   around = np.stack([pad[a:a + S, b:b + S] for a in range(3) for b in range(3)])
//   median = np.sort(around, 0)[4]; eroded = around.min(0); dilated = around.max(0)
//   sob = np.minimum(255, np.abs(around[2] + 2 * around[5] + around[8] - around[0] - 2 * around[3] - around[6]) + np.abs(around[6] + 2 * around[7] + around[8] - around[0] - 2 * around[1] - around[2]))
//   hist = np.bincount(img.ravel() // 16, minlength=16)
//   cdf = np.cumsum(np.bincount(img.ravel(), minlength=256)); equal = (cdf[img] * 255) // 256
//   u = np.arange(8); C = np.cos((2 * u[None, :] + 1) * u[:, None] * np.pi / 16) * np.where(u[:, None] == 0, np.sqrt(1 / 8), 0.5)
//   blocks = [C @ (img[y:y + 8, x:x + 8] - 128.0) @ C.T for y in (0, 8) for x in (0, 8)]
//   zz = sorted(((a, b) for a in range(8) for b in range(8)), key=lambda p: (p[0] + p[1], p[0] if (p[0] + p[1]) % 2 else p[1]))
//   quant = [[int(np.floor(b[p] / (8 + 2 * (p[0] + p[1])) + 0.5)) for p in zz] for b in blocks]
//   def run_lengths(q):
//       r, z = [], 0
//       for v in q:
//           if v == 0: z += 1
//           else: r.append((z, v)); z = 0
//       return r + [(0, 0)]
//   rl = [run_lengths(q) for q in quant]
//   bitcount = sum(4 + 4 + (abs(v).bit_length()) for r in rl for z, v in r for _ in [0]) + sum(8 * (z // 16) for r in rl for z, v in r)
//   deq = [np.zeros((8, 8)) for _ in blocks]
//   for d, q in zip(deq, quant):
//       for v, p in zip(q, zz): d[p] = v * (8 + 2 * (p[0] + p[1]))
//   back = [np.clip(np.floor(C.T @ d @ C + 128.5), 0, 255) for d in deq]
//   psnr = sum(float(((b - img[y:y + 8, x:x + 8]) ** 2).sum()) for b, (y, x) in zip(back, ((0, 0), (0, 8), (8, 0), (8, 8))))
//   text = img.ravel() % 11 % 7
//   W1 = np.array([[((a * 7 + b * 5) % 31) - 15 for b in range(32)] for a in range(16)]); W2 = np.array([[((a * 3 + b * 11) % 23) - 11 for b in range(16)] for a in range(4)])
//   X = np.array([[(k * 19 + j * 7) % 200 for j in range(32)] for k in range(24)])
//   Hd = np.clip((X @ W1.T) >> 7, 0, 255); Y = Hd @ W2.T
//   soft = np.exp((Y - Y.max(1, keepdims=True)) / 512.0); soft /= soft.sum(1, keepdims=True)
//   def f16(v): return np.float16(v)
//   def gate(k):
//       c = f16(0); h = f16(0)
//       for t in range(5):
//           x = f16((k * 3 + t * 5) % 8 * 0.25 - 1)
//           z = f16(f16(x * f16(0.5)) + f16(h * f16(0.25)))
//           c = f16(f16(c * f16(0.5)) + z); h = f16(c / f16(f16(1) + abs(c)))
//       return float(h)
//   rle = []
//   for v in text:
//       if rle and rle[-1][0] == v and rle[-1][1] < 7: rle[-1][1] += 1
//       else: rle.append([v, 1])
// expect: median, eroded[3], dilated[7], sob[5], hist, equal[11], [q for b in quant for q in b[:12]], bitcount, psnr / 256, Y, soft, [gate(k) for k in range(24)], len(rle), [1] * 6
// tolerance: 2e-3
#include "short_vec.isph"

#define SIZE 16
#define AT(p, x, y) ((p)[(y) * SIZE + (x)])
typedef uint8 pixel;
typedef float<2> float2;

static uniform pixel image[SIZE * SIZE], result[SIZE * SIZE];

// --- filters over 3x3 pixels: the filter is a parameter, taken by a template ---------------------------------

enum Filter { MEDIAN, ERODE, DILATE, SOBEL };

template <typename T> inline void exchange(T &a, T &b) { T t = min(a, b); b = max(a, b); a = t; }

#define SORT2(a, b) exchange(v[a], v[b])
static pixel median9(pixel v[9]) {
    SORT2(1, 2); SORT2(4, 5); SORT2(7, 8); SORT2(0, 1); SORT2(3, 4); SORT2(6, 7); SORT2(1, 2); SORT2(4, 5); SORT2(7, 8);
    SORT2(0, 3); SORT2(5, 8); SORT2(4, 7); SORT2(3, 6); SORT2(1, 4); SORT2(2, 5); SORT2(4, 7); SORT2(4, 2); SORT2(6, 4); SORT2(4, 2);
    return v[4];
}
#undef SORT2

template <Filter WHICH> noinline void filter3(const uniform pixel from[], uniform pixel to[]) {
    foreach_tiled (y = 0 ... SIZE, x = 0 ... SIZE) {
        pixel v[9];
        for (uniform int dy = 0; dy < 3; ++dy)
            for (uniform int dx = 0; dx < 3; ++dx) {
                int xx = clamp(x + dx - 1, 0, SIZE - 1), yy = clamp(y + dy - 1, 0, SIZE - 1);
                v[dy * 3 + dx] = AT(from, xx, yy);
            }
        pixel r = v[0];
        switch (WHICH) {
        case MEDIAN: r = median9(v); break;
        case ERODE:
            for (uniform int k = 1; k < 9; ++k) r = min(r, v[k]);
            break;
        case DILATE:
            for (uniform int k = 1; k < 9; ++k) r = max(r, v[k]);
            break;
        case SOBEL: {
            int16 w[9];
            for (uniform int k = 0; k < 9; ++k) w[k] = v[k];
            int16 gx = w[2] + w[5] + w[5] + w[8] - w[0] - w[3] - w[3] - w[6];
            int16 gy = w[6] + w[7] + w[7] + w[8] - w[0] - w[1] - w[1] - w[2];
            r = (pixel)min((int)abs(gx) + abs(gy), 255);
        }
        }
        AT(to, x, y) = r;
    }
}

typedef void (*FilterFunction)(const uniform pixel from[], uniform pixel to[]);
static void median_filter(const uniform pixel from[], uniform pixel to[]) { filter3<MEDIAN>(from, to); }
static void erosion(const uniform pixel from[], uniform pixel to[]) { filter3<ERODE>(from, to); }

static void equalise(const uniform pixel from[], uniform pixel to[], uniform int counts16[16]) {
    uniform unsigned int histogram[256], cdf[256];
    foreach (k = 0 ... 256) histogram[k] = 0;
    foreach (k = 0 ... SIZE * SIZE) atomic_add_local(&histogram[from[k]], 1);
    uniform unsigned int sum = 0;
    foreach (k = 0 ... 256) {
        cdf[k] = sum + exclusive_scan_add(histogram[k]) + histogram[k];
        sum += reduce_add(histogram[k]);
    }
    foreach (k = 0 ... SIZE * SIZE) to[k] = (pixel)(cdf[from[k]] * 255u / (uniform unsigned int)(SIZE * SIZE));
    foreach (k = 0 ... 16) counts16[k] = 0;
    foreach_tiled (bin = 0 ... 16, j = 0 ... 16) atomic_add_global(&counts16[bin], (int)histogram[16 * bin + j]);
}

// --- the transform codec --------------------------------------------------------------------------------------------

static uniform float cosines[8][8];
static uniform int zigzag[64];

static void init_codec() {
    foreach (u = 0 ... 8, x = 0 ... 8)
        cosines[u][x] = cos((2 * x + 1) * u * (float)PI / 16) * (u == 0 ? sqrt(0.125f) : 0.5f);
    uniform int at = 0;
    for (uniform int sum = 0; sum < 15; ++sum)
        for (uniform int k = 0; k <= sum; ++k) {
            uniform int row = sum & 1 ? k : sum - k, column = sum & 1 ? sum - k : k;
            if (row < 8 && column < 8) zigzag[at++] = row * 8 + column;
        }
    assert(at == 64);
}

struct Block { float value[8][8]; int quantised[64]; };

static void transform(uniform float block[8][8], uniform bool inverse) {
    uniform float half[8][8];
    foreach (u = 0 ... 8, x = 0 ... 8) {
        float s = 0;
        for (uniform int k = 0; k < 8; ++k) s += (inverse ? cosines[k][u] : cosines[u][k]) * block[k][x];
        half[u][x] = s;
    }
    foreach (u = 0 ... 8, v = 0 ... 8) {
        float s = 0;
        for (uniform int k = 0; k < 8; ++k) s += half[u][k] * (inverse ? cosines[k][v] : cosines[v][k]);
        block[u][v] = s;
    }
}

static inline int quantum(int place) { return 8 + 2 * ((place >> 3) + (place & 7)); }

task void encode_block(uniform Block blocks[], const uniform pixel from[]) {
    uniform Block &b = blocks[taskIndex0 + 2 * taskIndex1];
    uniform int x0 = 8 * taskIndex0, y0 = 8 * taskIndex1;
    foreach (y = 0 ... 8, x = 0 ... 8) b.value[y][x] = AT(from, x0 + x, y0 + y) - 128.f;
    transform(b.value, false);
    foreach (k = 0 ... 64) {
        int place = zigzag[k];
        b.quantised[k] = (int)floor(b.value[place >> 3][place & 7] / quantum(place) + 0.5f);
    }
}

struct BitWriter { uint8 * uniform bytes; int capacity; int64 count; unsigned int64 pending; int held; };

static void put(uniform BitWriter &w, uniform unsigned int value, uniform int width) {
    w.pending |= (uniform unsigned int64)(value & ((1u << width) - 1)) << w.held;
    w.held += width;
    w.count += width;
    for (; w.held >= 8; w.held -= 8, w.pending >>= 8) {
        uniform int at = (uniform int)((w.count - w.held) >> 3);
        assert(at < w.capacity);
        w.bytes[at] = (uniform uint8)(w.pending & 0xff);
    }
}

static uniform unsigned int get(const uniform uint8 bytes[], uniform int64 &at, uniform int width) {
    uniform unsigned int value = 0;
    for (uniform int k = 0; k < width; ++k, ++at)
        value |= (uniform unsigned int)((bytes[at >> 3] >> (at & 7)) & 1) << k;
    return value;
}

// (zeros before it, bits of the value, value); 15 zeros without a value for longer runs; ended by 0, 0.
static void write_block(uniform BitWriter &w, const uniform Block &b) {
    uniform int zeros = 0;
    for (uniform int k = 0; k < 64; ++k) {
        uniform int v = b.quantised[k];
        if (v == 0) { ++zeros; continue; }
        for (; zeros >= 16; zeros -= 16) { put(w, 15, 4); put(w, 0, 4); }
        uniform int size = 32 - count_leading_zeros(abs(v));
        put(w, zeros, 4);
        put(w, size, 4);
        put(w, v > 0 ? v : v + (1 << size) - 1, size);
        zeros = 0;
    }
    put(w, 0, 4);
    put(w, 0, 4);
}

static void read_block(uniform Block &b, const uniform uint8 bytes[], uniform int64 &at) {
    memset(b.quantised, 0, sizeof(b.quantised));
    uniform int k = 0;
next:
    uniform int zeros = get(bytes, at, 4), size = get(bytes, at, 4);
    if (size == 0) {
        if (zeros == 0) return;
        k += 16;
        goto next;
    }
    uniform int v = get(bytes, at, size);
    if (v < 1 << (size - 1)) v -= (1 << size) - 1;
    k += zeros;
    b.quantised[k++] = v;
    goto next;
}

static uniform float decode(uniform Block blocks[4], const uniform uint8 bytes[], const uniform pixel original[]) {
    uniform int64 at = 0;
    uniform double error = 0;
    for (uniform int k = 0; k < 4; ++k) {
        uniform Block &b = blocks[k];
        read_block(b, bytes, at);
        foreach (j = 0 ... 64) b.value[zigzag[j] / 8][zigzag[j] % 8] = b.quantised[j] * quantum(zigzag[j]);
        transform(b.value, true);
        foreach (y = 0 ... 8, x = 0 ... 8) {
            float v = clamp(floor(b.value[y][x] + 128.5f), 0.f, 255.f);
            float d = v - AT(original, 8 * (k & 1) + x, 8 * (k >> 1) + y);
            error += reduce_add(d * d);
        }
    }
    return error / (SIZE * SIZE);
}

static uniform int run_lengths(const uniform pixel from[], uniform int count, uniform uint16 to[]) {
    uniform int written = 0, k = 0;
    while (k < count) {
        uniform pixel v = from[k] % 11 % 7;
        uniform int length = 1;
        while (length < 7 && k + length < count && from[k + length] % 11 % 7 == v) ++length;
        to[written++] = (uniform uint16)v << 8 | (uniform uint16)length;
        k += length;
    }
    return written;
}

// --- networks -------------------------------------------------------------------------------------------------------

static uniform int8 weights1[16][32], weights2[4][16];

static void infer(const uniform uint8 inputs[][32], uniform int count, uniform int outputs[][4]) {
    foreach (k = 0 ... count) {
        unsigned int packed[8];
        for (uniform int j = 0; j < 8; ++j) packed[j] = ((const uniform unsigned int * varying)&inputs[k][0])[j];
        unsigned int hidden[4] = { 0, 0, 0, 0 };
        for (uniform int a = 0; a < 16; ++a) {
            int sum = 0;
            for (uniform int j = 0; j < 8; ++j)
                sum = dot4add_u8i8packed(packed[j], (varying unsigned int)((uniform unsigned int * uniform)&weights1[a][0])[j], sum);
            hidden[a >> 2] |= (unsigned int)clamp(sum >> 7, 0, 255) << (8 * (a & 3));
        }
        for (uniform int a = 0; a < 4; ++a) {
            int sum = 0;
            for (uniform int j = 0; j < 4; ++j)
                sum = dot4add_u8i8packed_sat(hidden[j], (varying unsigned int)((uniform unsigned int * uniform)&weights2[a][0])[j], sum);
            outputs[k][a] = sum;
        }
    }
}

template <int N> void softmax(const uniform int from[N], uniform float to[N], uniform float scale) {
    int v = programIndex < N ? from[programIndex] : INT32_MIN;
    uniform int top = reduce_max(v);
    uniform float sum = 0;
    foreach (k = 0 ... N) {
        float e = exp((from[k] - top) * scale);
        to[k] = e;
        sum += reduce_add(e);
    }
    foreach (k = 0 ... N) to[k] /= sum;
}

struct Cell { float16 c, h; };

static Cell gate(Cell s, float16 x) {
    float16 half = 0.5f16, one = 1.f16;
    float16 z = x * half + s.h * 0.25f16;
    s.c = s.c * half + z;
    s.h = s.c / (one + abs(s.c));
    return s;
}

// --- vectors of the optional header --------------------------------------------------------------------------------

static uniform bool vectors_work() {
    float2 a = { programIndex - 2.5f, 1.75f };
    float2 b = abs(a), c = floor(a);
    float2 d = max(a, b), e = sqrt(b * b), g = clamp(a, (float2)-1.f, (float2)1.f);
    bool good = b.x == abs(programIndex - 2.5f) && c.y == 1 && d.x == b.x && abs(e.x - b.x) < 1e-5f && g.x >= -1 && g.y == 1;
    uniform float<3> u = { 1, -2, 3.5 };
    uniform float<3> v = min(u, 0.f * u);
    uniform float<3> w = u.zyx + v.yyy;
    bool<2> which = a > b - 1;
    float2 chosen = which ? a : -b;
    return all(good) && v.y == -2 && v.x == 0 && w.x == 1.5f && w.z == -1 && all(chosen.y == 1.75f);
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform double * uniform o = out;
    foreach (y = 0 ... SIZE, x = 0 ... SIZE) AT(image, x, y) = (pixel)(x * 13 + y * 29 + x * y);
    filter3<MEDIAN>(image, result);
    foreach (k = 0 ... SIZE * SIZE) o[k] = result[k];
    o += SIZE * SIZE;
    filter3<ERODE>(image, result);
    foreach (x = 0 ... SIZE) o[x] = AT(result, x, 3);
    filter3<DILATE>(image, result);
    foreach (x = 0 ... SIZE) o[SIZE + x] = AT(result, x, 7);
    filter3<SOBEL>(image, result);
    foreach (x = 0 ... SIZE) o[2 * SIZE + x] = AT(result, x, 5);
    o += 3 * SIZE;
    uniform int counts[16];
    equalise(image, result, counts);
    foreach (k = 0 ... 16) { o[k] = counts[k]; o[16 + k] = AT(result, k, 11); }
    o += 32;

    init_codec();
    uniform Block * uniform blocks = uniform new uniform Block[4];
    launch[2, 2] encode_block(blocks, image);
    sync;
    for (uniform int b = 0; b < 4; ++b) foreach (k = 0 ... 12) o[12 * b + k] = blocks[b].quantised[k];
    o += 48;
    uniform uint8 bytes[512];
    uniform BitWriter writer = { bytes, 512, 0, 0, 0 };
    for (uniform int b = 0; b < 4; ++b) write_block(writer, blocks[b]);
    o[0] = writer.count;
    put(writer, 0, 7);
    o[1] = decode(blocks, bytes, image);
    o += 2;
    delete[] blocks;

    foreach (a = 0 ... 16, b = 0 ... 32) weights1[a][b] = (a * 7 + b * 5) % 31 - 15;
    foreach (a = 0 ... 4, b = 0 ... 16) weights2[a][b] = (a * 3 + b * 11) % 23 - 11;
    uniform uint8 inputs[24][32];
    foreach (k = 0 ... 24, j = 0 ... 32) inputs[k][j] = (k * 19 + j * 7) % 200;
    uniform int outputs[24][4];
    infer(inputs, 24, outputs);
    foreach (k = 0 ... 24, a = 0 ... 4) o[4 * k + a] = outputs[k][a];
    o += 96;
    for (uniform int k = 0; k < 24; ++k) {
        uniform float soft[4];
        softmax<4>(outputs[k], soft, 1.f / 512);
        foreach (a = 0 ... 4) o[4 * k + a] = soft[a];
    }
    o += 96;
    foreach (k = 0 ... 24) {
        Cell cell = { 0, 0 };
        for (uniform int t = 0; t < 5; ++t) cell = gate(cell, (float16)((k * 3 + t * 5) % 8 * 0.25f - 1));
        o[k] = cell.h;
    }
    o += 24;
    uniform uint16 runs[SIZE * SIZE];
    o[0] = run_lengths(image, SIZE * SIZE, runs);
    o += 1;

    uniform int total = 0;
    for (uniform int k = 0; k < (uniform int)o[-1]; ++k) total += runs[k] & 0xff;
    o[0] = total == SIZE * SIZE;
    o[1] = vectors_work();
    uniform FilterFunction filters[] = { median_filter, erosion };
    uniform pixel again[SIZE * SIZE];
    filters[1](image, again);
    bool higher = false;
    filters[0](image, result);
    foreach (k = 0 ... SIZE * SIZE) if (again[k] > result[k]) higher = true;
    o[2] = none(higher);
    o[3] = all(avg_up((varying uint8)7, (varying uint8)8) == 8);
    uniform int srgb = 0;
    foreach (k = 0 ... 256) srgb += popcnt(float_to_srgb8(srgb8_to_float(k)) == k);
    o[4] = srgb == 256;
    int power;
    float fraction = frexp(10.f + programIndex, &power);
    o[5] = all(ldexp(fraction, power) == 10 + programIndex);
}
