// What becomes of a film: noise taken away, tones mapped, bytes packed.
#include "vec.ih"

#define CHECKED(condition) \
    if (!(condition))      \
        print("% failed\n", programIndex);
#define LUMINANCE_BINS 64

static const uniform float WEIGHTS[FILM_CHANNELS] = {0.25f, 0.625f, 0.125f};
static const uniform uint8 ORDERED[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
static const uniform int16 COSINES[8][8] = {
    {64, 64, 64, 64, 64, 64, 64, 64},     {89, 75, 50, 18, -18, -50, -75, -89}, {83, 36, -36, -83, -83, -36, 36, 83},
    {75, -18, -89, -50, 50, 89, 18, -75}, {64, -64, -64, 64, 64, -64, -64, 64}, {50, -89, 18, 75, -75, -18, 89, -50},
    {36, -83, 83, -36, -36, 83, -83, 36}, {18, -50, 75, -89, 89, -75, 50, -18}};

static inline float luminance(const vec3f &c) { return c.x * WEIGHTS[0] + c.y * WEIGHTS[1] + c.z * WEIGHTS[2]; }
static inline uniform float luminance(const uniform Float3 &c) {
    return c.x * WEIGHTS[0] + c.y * WEIGHTS[1] + c.z * WEIGHTS[2];
}
static inline vec3f pixel_of(const uniform Float3 colors[], int at) {
    const Float3 c = colors[at];
    return vec3(c.x, c.y, c.z);
}

#define ORDER(a, b)                        \
    {                                      \
        const T low = min(v[a], v[b]);     \
        const T high = max(v[a], v[b]);    \
        v[a] = low;                        \
        v[b] = high;                       \
    }
template <typename T> static inline T median9(T v[9]) {
    ORDER(1, 2) ORDER(4, 5) ORDER(7, 8) ORDER(0, 1) ORDER(3, 4) ORDER(6, 7) ORDER(1, 2) ORDER(4, 5) ORDER(7, 8)
    ORDER(0, 3) ORDER(5, 8) ORDER(4, 7) ORDER(3, 6) ORDER(1, 4) ORDER(2, 5) ORDER(4, 7) ORDER(4, 2) ORDER(6, 4)
    ORDER(4, 2)
    return v[4];
}

enum Edge { EDGE_NONE, EDGE_LEFT = 1, EDGE_RIGHT = 2, EDGE_TOP = 4, EDGE_BOTTOM = 8 };

static inline Edge edge_of(int x, int y, uniform int width, uniform int height) {
    Edge e = EDGE_NONE;
    if (x == 0)
        e |= EDGE_LEFT;
    if (x == width - 1)
        e |= EDGE_RIGHT;
    if (y == 0)
        e = e | EDGE_TOP;
    else if (y == height - 1)
        e = e | EDGE_BOTTOM;
    return e;
}

export void remove_fireflies(const uniform Float3 from[], uniform Float3 to[], uniform int width, uniform int height,
                             uniform int edges[5]) {
    int found[5] = {0, 0, 0, 0, 0};
    foreach (y = 0 ... height, x = 0 ... width) {
        const int at = y * width + x;
        const Edge edge = edge_of(x, y, width, height);
        if (edge != EDGE_NONE) {
            to[at].x = from[at].x;
            to[at].y = from[at].y;
            to[at].z = from[at].z;
            found[edge == EDGE_LEFT ? 0 : edge == EDGE_RIGHT ? 1 : edge == EDGE_TOP ? 2 : edge == EDGE_BOTTOM ? 3 : 4]++;
            continue;
        }
        float tones[9];
        uniform int k = 0;
        for (uniform int dy = -1; dy <= 1; dy++)
            for (uniform int dx = -1; dx <= 1; dx++)
                tones[k++] = luminance(pixel_of(from, at + dy * width + dx));
        const float own = tones[4], middle = median9(tones);
        vec3f c = pixel_of(from, at);
        if (own > 4 * middle)
            c = c * (middle / own);
        to[at].x = c.x;
        to[at].y = c.y;
        to[at].z = c.z;
    }
    for (uniform int k = 0; k < 5; k++)
        edges[k] = reduce_add(found[k]);
}

// The mean of what is alike within a window that is cut at the edges.
export void smooth(const uniform Float3 from[], uniform Float3 to[], uniform int width, uniform int height, uniform int radius,
                   uniform float alike) {
    for (uniform int y = 0; y < height; y++) {
        foreach (x = 0 ... width) {
            const vec3f own = pixel_of(from, y * width + x);
            vec3f sum = own;
            int count = 1;
            for (uniform int dy = -radius; dy <= radius; dy++) {
                if (y + dy < 0 || y + dy >= height)
                    continue;
                for (int sx = max(x - radius, 0); sx <= min(x + radius, width - 1); sx++) {
                    if (sx == x && dy == 0)
                        continue;
                    const vec3f other = pixel_of(from, (y + dy) * width + sx);
                    if (abs(luminance(other) - luminance(own)) > alike)
                        continue;
                    sum += other;
                    count++;
                }
            }
            sum *= 1.0f / count;
            uniform Float3 *varying p = to + (y * width + x);
            p->x = sum.x, p->y = sum.y, p->z = sum.z;
        }
    }
}

export void histogram(const uniform Float3 colors[], uniform int count, uniform float brightest, uniform uint32 bins[],
                      uniform int64 moments[2]) {
    uniform uint32 local[LUMINANCE_BINS];
    memset(local, 0, sizeof(local));
    int64 first = 0, second = 0;
    foreach (i = 0 ... count) {
        const float tone = luminance(pixel_of(colors, i));
        const int bin = clamp((int)(tone / brightest * LUMINANCE_BINS), 0, LUMINANCE_BINS - 1);
        atomic_add_local(&local[bin], (uint32)1);
        first += bin;
        second += (int64)bin * bin;
    }
    foreach (b = 0 ... LUMINANCE_BINS)
        bins[b] = local[b];
    moments[0] = reduce_add(first);
    moments[1] = reduce_add(second);
}

static inline float to_display(float x, uniform float white) {
    const float mapped = x * (1 + x / (white * white)) / (1 + x);
    const float root = sqrt(max(mapped, 0.0f));
    return root * (1.25f - 0.25f * root);
}

export void quantize(const uniform Float3 colors[], uniform uint8 bytes[], uniform int width, uniform int height,
                     uniform float white, uniform int8 bias) {
    foreach_tiled (y = 0 ... height, x = 0 ... width) {
        const vec3f c = pixel_of(colors, y * width + x);
        const float channels[FILM_CHANNELS] = {c.x, c.y, c.z};
        const unsigned int8 threshold = ORDERED[y & 3][x & 3];
        for (uniform int k = 0; k < FILM_CHANNELS; k++) {
            const float scaled = to_display(channels[k], white) * 255;
            uint8 byte = (uint8)min(scaled, 255.0f);
            if ((scaled - floor(scaled)) * 16 > threshold)
                byte = saturating_add(byte, (uint8)1);
            byte = bias >= 0 ? saturating_add(byte, (uint8)bias) : saturating_sub(byte, (uint8)-bias);
            bytes[(y * width + x) * FILM_CHANNELS + k] = byte;
        }
    }
}

// Runs of equal pixels: where they begin, in order, and how many there are.
export uniform int runs(const uniform uint8 bytes[], uniform int count, uniform int starts[], uniform int lengths[]) {
    uniform int found = 0;
    foreach (i = 0 ... count) {
        bool begins = i == 0;
        if (!begins) {
            for (uniform int k = 0; k < 3; k++)
                begins = begins || bytes[3 * i + k] != bytes[3 * i + k - 3];
        }
        if (begins)
            found += packed_store_active(&starts[found], i);
    }
    foreach (r = 0 ... found) {
        const int end = r + 1 < found ? starts[r + 1] : count;
        lengths[r] = end - starts[r];
    }
    return found;
}

// Sums up to each element, of any type.
template <typename T, typename S> static void sums_before(const uniform T values[], uniform S sums[], uniform int count) {
    uniform S before = 0;
    for (uniform int start = 0; start < count; start += programCount) {
        const int i = start + programIndex;
        S value = 0;
        if (i < count)
            value = values[i];
        const S sum = before + exclusive_scan_add(value);
        if (i < count)
            sums[i] = sum;
        before += reduce_add(value);
    }
}
export void offsets_of_bytes(const uniform uint8 values[], uniform uint32 sums[], uniform int count) { sums_before(values, sums, count); }
export void offsets_of_runs(const uniform int values[], uniform int64 sums[], uniform int count) {
    sums_before<int32, int64>(values, sums, count);
}

// The cosine transform of blocks of 8 x 8 of the second channel, and how much of it is not small.
export uniform uint32 transform(const uniform uint8 bytes[], uniform int16 out[], uniform int width, uniform int height) {
    uint32 large = 0;
    foreach (by = 0 ... height / 8, bx = 0 ... width / 8) {
        int16 block[8][8], rows[8][8];
        for (uniform int y = 0; y < 8; y++)
            for (uniform int x = 0; x < 8; x++)
                block[y][x] = (int16)bytes[((by * 8 + y) * width + bx * 8 + x) * 3 + 1] - 128;
        for (uniform int y = 0; y < 8; y++)
            for (uniform int u = 0; u < 8; u++) {
                int sum = 0;
                for (uniform int x = 0; x < 8; x++)
                    sum += (int)block[y][x] * COSINES[u][x];
                rows[y][u] = (sum + 64) >> 7;
            }
        for (uniform int v = 0; v < 8; v++)
            for (uniform int u = 0; u < 8; u++) {
                int sum = 0;
#pragma nounroll
                for (uniform int y = 0; y < 8; y++)
                    sum += (int)rows[y][u] * COSINES[v][y];
                const int16 result = sum >> 7;
                if (abs(result) > 8)
                    large++;
                out[(by * (width / 8) + bx) * 64 + v * 8 + u] = result;
            }
    }
    return reduce_add(large);
}

// Pixels of a gang in order of tone, by exchanges between lanes; the gang's size is the block.
static inline void exchange(float &key, int &value, uniform int distance, bool descends) {
    const int partner = programIndex ^ distance;
    const float other_key = shuffle(key, partner);
    const int other_value = shuffle(value, partner);
    const bool is_upper = (programIndex & distance) != 0;
    const bool other_is_less = other_key < key || (other_key == key && other_value < value);
    if (other_is_less != (is_upper != descends)) {
        key = other_key;
        value = other_value;
    }
}

export void sort_blocks(const uniform Float3 colors[], uniform int count, uniform int order[], uniform int *uniform width) {
    *width = programCount;
    for (uniform int start = 0; start + programCount <= count; start += programCount) {
        int value = start + programIndex;
        float key = luminance(pixel_of(colors, value));
        for (uniform int size = 2; size <= programCount; size *= 2)
            for (uniform int distance = size / 2; distance > 0; distance >>= 1)
                exchange(key, value, distance, (programIndex & size) != 0 && size < programCount);
        order[start + programIndex] = value;
    }
}

// A pyramid of halves: each level is the mean of four of the one before; levels are packed one behind the other.
export uniform int pyramid(const uniform Float3 colors[], uniform int16 halves[], uniform int width, uniform int height) {
    uniform float *uniform level = uniform new uniform float[width * height];
    foreach (i = 0 ... width * height)
        level[i] = luminance(pixel_of(colors, i));
    uniform int at = 0;
again:
    foreach (i = 0 ... width * height) {
        const float16 h = (float16)level[i];
        halves[at + i] = intbits(h);
    }
    at += width * height;
    if (width < 2 || height < 2) {
        delete level;
        return at;
    }
    uniform float *uniform next = uniform new uniform float[(width / 2) * (height / 2)];
    foreach_tiled (y = 0 ... height / 2, x = 0 ... width / 2) {
        const uniform float *row = &level[2 * y * width + 2 * x];
        next[y * (width / 2) + x] = ((row[0] + row[1]) + (row[width] + row[width + 1])) * 0.25f;
    }
    delete level;
    level = next;
    width /= 2;
    height /= 2;
    goto again;
}

// Regions of pixels whose bytes are alike: the least number of those connected, by rounds until nothing changes.
export uniform int regions(const uniform uint8 bytes[], uniform int labels[], uniform int width, uniform int height,
                           uniform int difference) {
    foreach (i = 0 ... width * height)
        labels[i] = i;
    uniform int rounds = 0;
    uniform bool changed;
    do {
        changed = false;
        rounds++;
        for (uniform int y = 0; y < height; y++)
            foreach (x = 0 ... width) {
                const int at = y * width + x;
                int least = labels[at];
                for (uniform int side = 0; side < 2; side++) {
                    const uniform int dy = side == 0 ? -1 : 1;
                    if (y + dy < 0 || y + dy >= height)
                        continue;
                    const int other = at + dy * width;
                    if (abs((int)bytes[3 * at] - (int)bytes[3 * other]) <= difference)
                        least = min(least, labels[other]);
                }
                for (int other = at - 1; other >= y * width; other--) {
                    if (abs((int)bytes[3 * other] - (int)bytes[3 * other + 3]) > difference)
                        break;
                    least = min(least, labels[other]);
                }
                if (least < labels[at]) {
                    labels[at] = least;
                    changed = true;
                }
            }
        for (uniform int y = 0; y < height; y++)
            for (uniform int x = width - 2; x >= 0; x--) {
                const uniform int at = y * width + x;
                if (abs((uniform int)bytes[3 * at] - (uniform int)bytes[3 * at + 3]) <= difference && labels[at + 1] < labels[at]) {
                    labels[at] = labels[at + 1];
                    changed = true;
                }
            }
    } while (changed);
    return rounds;
}

export void describe(const uniform uint8 bytes[], uniform int count) {
    uniform uint64 hash = 14695981039346656037;
    for (uniform int i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * 1099511628211;
    int odd = 0;
    foreach (i = 0 ... count) {
        if (bytes[i] & 1)
            odd += 1;
        CHECKED(bytes[i] >= 0)
    }
    print("% bytes, " "hash %, % odd, first %\n", count, hash, reduce_add(odd), bytes[0]);
}
