// Films for the archive: what neighbours do not foretell, packed by a lane a block, as text with a sum to check it.
#include "sheet.ih"

#define BLOCK_BYTES 256
#define MATCH_LEAST 3
#define MATCH_GREATEST 10
#define SYMBOLS (16 + MATCH_GREATEST - MATCH_LEAST + 1)
#define NODES (2 * SYMBOLS - 1)
#define LONGEST_CODE 15
#define HASHES 32
#define POLYNOMIAL 0xedb88320u

// The neighbour that is nearest to the plane through all three.
template <typename T, int N> static inline T<N> foretold(T<N> left, T<N> up, T<N> corner) {
    const T<N> plane = left + up - corner;
    T<N> best = left;
    T<N> error, other;
    for (uniform int k = 0; k < N; k++) {
        error[k] = abs(plane[k] - left[k]);
        other[k] = abs(plane[k] - up[k]);
    }
    best = other < error ? up : best;
    error = other < error ? other : error;
    for (uniform int k = 0; k < N; k++)
        if (abs(plane[k] - corner[k]) < error[k])
            best[k] = corner[k];
    return best;
}

struct Picture {
    uniform int width, height;
    const uniform uint8 *uniform bytes;
};

static inline int16<3> pixel(const uniform Picture &p, int x, int y) {
    int16<3> c = 0;
    if (x >= 0 && y >= 0) {
        const uniform uint8 *at = p.bytes + 3 * (y * p.width + x);
        c.r = at[0], c.g = at[1], c.b = at[2];
    }
    return c;
}

export void residuals(const uniform uint8 bytes[], uniform uint8 out[], uniform int width, uniform int height) {
    uniform Picture picture = {width, height, bytes};
    foreach_tiled (y = 0 ... height, x = 0 ... width) {
        const int16<3> c = pixel(picture, x, y);
        // What is green foretells the others, too.
        int16<3> rest = c - foretold<int16, 3>(pixel(picture, x - 1, y), pixel(picture, x, y - 1), pixel(picture, x - 1, y - 1));
        rest.x -= rest.y, rest.z = rest.z - rest.y;
        const uint8<3> small = rest.zyx;
        for (uniform int k = 0; k < 3; k++)
            out[3 * (y * width + x) + k] = small[2 - k];
    }
}

// Bits, the first in the lowest place.
struct Bits {
    uint32 value;
    int count;
};
struct BitWriter {
    uint64 held;
    unsigned int8 count;
    uniform uint8 *to;
};
struct BitReader {
    uint64 held;
    int8 count;
    const uniform uint8 *from;
};

static BitWriter &operator<<(BitWriter &w, const Bits b) {
    w.held |= (uint64)b.value << w.count;
    for (w.count += b.count; w.count >= 8; w.count -= 8) {
        *w.to++ = (uint8)w.held;
        w.held >>= 8;
    }
    return w;
}
static inline Bits bits(uint32 value, int count) {
    Bits b = {value, count};
    return b;
}
static int operator++(BitReader &r, int) {
    if (r.count == 0) {
        r.held = *r.from++;
        r.count = 8;
    }
    const int bit = r.held & 1;
    r.held >>= 1;
    --r.count;
    return bit;
}
template <int N> static inline uint32 taken(BitReader &r) {
    uint32 value = 0;
    for (uniform int k = 0; k < N; k++)
        value |= (uint32)r++ << k;
    return value;
}

// A step of a block: a byte, or bytes that were there before.
struct Token {
    uint8 byte, distance;
    int length;
};

struct Finder {
    const uniform uint8 *block;
    int size, at;
    int16 newest[HASHES], older[BLOCK_BYTES];
};

static inline int hash_at(const Finder &f, int at) {
    return (f.block[at] * 7 + f.block[at + 1] * 13 + f.block[at + 2]) & (HASHES - 1);
}
static void begin(Finder &f, const uniform uint8 *block, int size) {
    f.block = block;
    f.size = size;
    f.at = 0;
    for (uniform int k = 0; k < HASHES; k++)
        f.newest[k] = -1;
}
static bool next_token(Finder &f, Token &token) {
    if (f.at >= f.size)
        return false;
    token.byte = f.block[f.at];
    token.length = 1;
    token.distance = 0;
    if (f.at + MATCH_LEAST <= f.size) {
        int16 before = f.newest[hash_at(f, f.at)];
        cdo {
            if (before < 0)
                break;
            int length = 0;
            while (length < MATCH_GREATEST && f.at + length < f.size && f.block[before + length] == f.block[f.at + length])
                length++;
            if (length >= MATCH_LEAST && length > token.length) {
                token.length = length;
                token.distance = f.at - before;
            }
            before = f.older[before];
        } while (token.length < MATCH_GREATEST);
    }
    for (int k = 0; k < token.length; k++, f.at++) {
        if (f.at + MATCH_LEAST > f.size)
            continue;
        int16 &newest_of_none = f.newest[0];
        const int hash = hash_at(f, f.at);
        f.older[f.at] = hash == 0 ? newest_of_none : f.newest[hash];
        if (hash == 0)
            newest_of_none = f.at;
        else
            f.newest[hash] = f.at;
    }
    return true;
}

// Lengths of codes, by joining the two that are seldomest until one is left.
static noinline void measure(const int counts[SYMBOLS], int8 lengths[SYMBOLS]) {
    int weights[NODES];
    int8 parents[NODES];
    int used = 0, last = 0;
    for (uniform int k = 0; k < NODES; k++) {
        weights[k] = k < SYMBOLS ? counts[k] : 0;
        parents[k] = -1;
    }
    for (uniform int k = 0; k < SYMBOLS; k++) {
        lengths[k] = 0;
        if (counts[k] > 0) {
            used++;
            last = k;
        }
    }
    if (used == 1)
        lengths[last] = 1;
    for (int made = SYMBOLS; made < SYMBOLS + used - 1; made++)
        for (uniform int side = 0; side < 2; side++) {
            int least = -1;
            for (int k = 0; k < made; k++)
                if (weights[k] > 0 && parents[k] < 0 && (least < 0 || weights[k] < weights[least]))
                    least = k;
            parents[least] = made;
            weights[made] += weights[least];
        }
    if (used > 1)
        for (uniform int k = 0; k < SYMBOLS; k++)
            for (int node = k; counts[k] > 0 && parents[node] >= 0; node = parents[node])
                ++lengths[k];
}

// Codes of symbols in order of length; their first bit has to be written first.
static void assign(const int8 lengths[], uint16 codes[], int starts[LONGEST_CODE + 2]) {
    uint16 code = 0;
    int before = 0;
    starts[0] = 0;
    for (uniform int length = 1; length <= LONGEST_CODE; length++) {
        starts[length] = before;
        for (uniform int symbol = 0; symbol < SYMBOLS; symbol++) {
            if (lengths[symbol] != length)
                continue;
            uint16 turned = 0;
            for (uniform int k = 0; k < length; k++)
                turned |= ((code >> k) & 1) << (length - 1 - k);
            codes[symbol] = turned;
            code++;
            before++;
        }
        code <<= 1;
    }
    starts[LONGEST_CODE + 1] = before;
}

static inline void count_symbol(int counts[], int symbol) { counts[symbol]++; }

task void pack_blocks(const uniform uint8 bytes[], uniform int count, uniform uint8 out[], uniform int sizes[]) {
    const uniform int blocks = (count + BLOCK_BYTES - 1) / BLOCK_BYTES;
    foreach (b = taskIndex * blocks / taskCount ... (taskIndex + 1) * blocks / taskCount) {
        const uniform uint8 *block = &bytes[b * BLOCK_BYTES];
        const int size = min(count - b * BLOCK_BYTES, BLOCK_BYTES);
        uniform uint8 *const start = out + b * 2 * BLOCK_BYTES;
        int counts[SYMBOLS];
        int8 lengths[SYMBOLS];
        uint16 codes[SYMBOLS];
        int starts[LONGEST_CODE + 2];
        Finder finder;
        Token token;
        for (uniform int k = 0; k < SYMBOLS; k++)
            counts[k] = 0;
        begin(finder, block, size);
        while (next_token(finder, token)) {
            if (token.distance != 0) {
                count_symbol(counts, 16 + token.length - MATCH_LEAST);
                continue;
            }
            count_symbol(counts, token.byte >> 4);
            count_symbol(counts, token.byte & 15);
        }
        measure(counts, lengths);
        assign(lengths, codes, starts);
        BitWriter w = {0, 0, start};
        for (uniform int k = 0; k < SYMBOLS; k++)
            w << bits(lengths[k], 4);
#define CODE(symbol) bits(codes[symbol], lengths[symbol])
        begin(finder, block, size);
        while (next_token(finder, token)) {
            const int high = token.byte / 16, low = token.byte % 16, match = 16 + token.length - MATCH_LEAST;
            if (token.distance == 0)
                w << CODE(high) << CODE(low);
            else
                w << CODE(match) << bits(token.distance, 8);
        }
        w << bits(0, 7);
        sizes[b] = w.to - start;
    }
}

// Blocks behind each other; the size of all.
export uniform int pack_bytes(const uniform uint8 bytes[], uniform int count, uniform uint8 out[], uniform int starts[]) {
    const uniform int blocks = (count + BLOCK_BYTES - 1) / BLOCK_BYTES;
    uniform uint8 *uniform space = uniform new uniform uint8[blocks * 2 * BLOCK_BYTES];
    launch[3] pack_blocks(bytes, count, space, starts);
    sync;
    uniform int total = 0;
    for (uniform int b = 0; b < blocks; b++) {
        const uniform int size = starts[b];
        memcpy(out + total, space + b * 2 * BLOCK_BYTES, size);
        starts[b] = total;
        total += size;
    }
    delete[] space;
    return total;
}

static int decoded(BitReader &r, const int starts[], const int8 order[], const int amounts[]) {
    int code = 0, first = 0;
    for (uniform int length = 1; length <= LONGEST_CODE; length++) {
        code = code << 1 | r++;
        if (code - first < amounts[length])
            return order[starts[length] + code - first];
        first = (first + amounts[length]) << 1;
    }
    return -1;
}

export uniform bool unpack_bytes(const uniform uint8 packed[], const uniform int starts[], uniform uint8 out[], uniform int count) {
    bool right = true;
    foreach (b = 0 ... (count + BLOCK_BYTES - 1) / BLOCK_BYTES) {
        BitReader r = {0, 0, &packed[starts[b]]};
        int8 lengths[SYMBOLS], order[SYMBOLS];
        uint16 codes[SYMBOLS];
        int places[LONGEST_CODE + 2], amounts[LONGEST_CODE + 1];
        for (uniform int k = 0; k < SYMBOLS; k++)
            lengths[k] = taken<4>(r);
        assign(lengths, codes, places);
        for (uniform int length = 0, at = 0; length <= LONGEST_CODE; length++) {
            amounts[length] = places[length + 1] - places[length];
            int next = places[length];
            for (uniform int symbol = 0; symbol < SYMBOLS; symbol++)
                if (length > 0 && lengths[symbol] == length)
                    order[next++] = symbol;
        }
        const int end = min((b + 1) * BLOCK_BYTES, count);
        int at = b * BLOCK_BYTES;
        while (at < end) {
            const int symbol = decoded(r, places, order, amounts);
            switch (symbol < 0 ? 2 : symbol >> 4) {
            case 0:
                out[at++] = symbol << 4 | decoded(r, places, order, amounts);
                break;
            case 1: {
                const int from = at - (int)taken<8>(r);
                for (int k = 0; k < symbol - 16 + MATCH_LEAST; k++)
                    out[at++] = out[from + k];
                break;
            }
            default:
                right = false;
                at = end;
            }
        }
        right &= at == end;
    }
    return all(right);
}

// Polynomials over bits, of which the highest bit is the least power.
static inline uint32 times_x(uint32 p) { return (p >> 1) ^ (p & 1 ? POLYNOMIAL : 0u); }
static uint32 product(uint32 a, uint32 b) {
    uint32 sum = 0;
    for (uniform int k = 31; k >= 0; k--) {
        sum ^= (b >> k) & 1 ? a : 0u;
        a = times_x(a);
    }
    return sum;
}
static uint32 power_of_x(uint64 exponent) {
    uint32 result = 0x80000000u, square = 0x40000000u;
    while (exponent != 0) {
        if (exponent % 2 == 1)
            result = product(result, square);
        square = product(square, square);
        exponent /= 2;
    }
    return result;
}

export uniform uint32 check_sum(const uniform uint8 bytes[], uniform int count) {
    static uniform uint32 table[256];
    if (table[1] == 0)
        foreach (k = 0 ... 256) {
            uint32 p = k;
            for (uniform int bit = 0; bit < 8; bit++)
                p = times_x(p);
            table[k] = p;
        }
    // Each lane a strip; what is left belongs to the last one.
    const uniform int strip = count / programCount;
    const int first = programIndex * strip;
    const int end = programIndex == programCount - 1 ? count : first + strip;
    uint32 sum = programIndex == 0 ? 0xffffffff : 0;
    for (int k = first; k < end; k++)
        sum = sum >> 8 ^ table[(sum ^ bytes[k]) & 255];
    sum = product(sum, power_of_x((uint64)8 * (count - end)));
    for (uniform int step = 1; step < programCount; step <<= 1)
        sum ^= rotate(sum, step);
    return ~extract(sum, 0);
}

// Three bytes are four letters.
export uniform int as_text(const uniform uint8 bytes[], uniform int count, uniform int8 text[]) {
    uniform uint32 *uniform words = (uniform uint32 * uniform)(void *uniform)text;
    foreach (g = 0 ... (count + 2) / 3) {
        uint32 group = 0, letters = 0;
        for (uniform int k = 0; k < 3; k++)
            if (3 * g + k < count)
                group |= (uint32)bytes[3 * g + k] << (16 - 8 * k);
        for (uniform int k = 0; k < 4; k++) {
            int8 digit = (group >> (18 - 6 * k)) & 63;
            digit += digit < 26 ? (int8)65 : digit < 52 ? (int8)71 : digit < 62 ? (int8)-4 : digit == 62 ? (int8)-19 : (int8)-16;
            if (3 * g + k > count)
                digit = 61;
            letters |= (uint32)(uint8)digit << (8 * k);
        }
        words[g] = letters;
    }
    return (count + 2) / 3 * 4;
}
