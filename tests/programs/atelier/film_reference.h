// What becomes of a film, as plain C++.
#pragma once
#include "shared.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace reference {

typedef std::vector<Float3> Image;

inline float luminance(const Float3 &c) { return c.x * 0.25f + c.y * 0.625f + c.z * 0.125f; }

inline Image without_fireflies(const Image &from, int width, int height, int edges[5]) {
    Image to = from;
    std::fill(edges, edges + 5, 0);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const bool left = x == 0, right = x == width - 1, top = y == 0, bottom = y == height - 1;
            if (left + right + top + bottom) {
                edges[left + right + top + bottom > 1 ? 4 : left ? 0 : right ? 1 : top ? 2 : 3]++;
                continue;
            }
            std::vector<float> tones;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    tones.push_back(luminance(from[(y + dy) * width + x + dx]));
            const float own = tones[4];
            std::nth_element(tones.begin(), tones.begin() + 4, tones.end());
            if (own > 4 * tones[4]) {
                const float by = tones[4] / own;
                Float3 &c = to[y * width + x];
                c = {c.x * by, c.y * by, c.z * by};
            }
        }
    return to;
}

inline Image smooth(const Image &from, int width, int height, int radius, float alike) {
    Image to = from;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const Float3 own = from[y * width + x];
            Float3 sum = own;
            int count = 1;
            for (int sy = y - radius; sy <= y + radius; sy++)
                for (int sx = std::max(x - radius, 0); sx <= std::min(x + radius, width - 1); sx++) {
                    if (sy < 0 || sy >= height || (sx == x && sy == y))
                        continue;
                    const Float3 other = from[sy * width + sx];
                    if (std::fabs(luminance(other) - luminance(own)) > alike)
                        continue;
                    sum = {sum.x + other.x, sum.y + other.y, sum.z + other.z};
                    count++;
                }
            const float by = 1.0f / float(count);
            to[y * width + x] = {sum.x * by, sum.y * by, sum.z * by};
        }
    return to;
}

inline std::vector<uint32> histogram(const Image &colors, float brightest, int64 moments[2]) {
    std::vector<uint32> bins(64);
    moments[0] = moments[1] = 0;
    for (const Float3 &c : colors) {
        const int bin = std::min(std::max(int(luminance(c) / brightest * 64), 0), 63);
        bins[bin]++;
        moments[0] += bin;
        moments[1] += bin * bin;
    }
    return bins;
}

inline std::vector<uint8> quantized(const Image &colors, int width, float white, int bias) {
    static const int ordered[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    std::vector<uint8> bytes;
    for (size_t at = 0; at < colors.size(); at++) {
        const int threshold = ordered[at / width & 3][at % width & 3];
        for (float x : {colors[at].x, colors[at].y, colors[at].z}) {
            const float mapped = x * (1 + x / (white * white)) / (1 + x), root = std::sqrt(std::max(mapped, 0.0f));
            const float scaled = root * (1.25f - 0.25f * root) * 255;
            int byte = int(std::min(scaled, 255.0f));
            if ((scaled - std::floor(scaled)) * 16 > float(threshold))
                byte = std::min(byte + 1, 255);
            bytes.push_back(uint8(std::min(std::max(byte + bias, 0), 255)));
        }
    }
    return bytes;
}

inline std::vector<int> starts_of_runs(const std::vector<uint8> &bytes) {
    std::vector<int> starts;
    for (size_t at = 0; at < bytes.size() / 3; at++)
        if (at == 0 || memcmp(&bytes[3 * at], &bytes[3 * at - 3], 3))
            starts.push_back(int(at));
    return starts;
}

template <typename S, typename T> std::vector<S> sums_before(const std::vector<T> &values) {
    std::vector<S> sums;
    S sum = 0;
    for (T value : values) {
        sums.push_back(sum);
        sum += S(value);
    }
    return sums;
}

inline std::vector<int16> transformed(const std::vector<uint8> &bytes, int width, int height, uint32 &large) {
    // Of each row the first eighth of a period is given: the others follow by symmetry.
    static const int first[8] = {64, 89, 83, 75, 64, 50, 36, 18};
    auto cosine = [&](int u, int x) {
        const int phase = (2 * x + 1) * u % 32, folded = phase > 16 ? 32 - phase : phase;
        const int sign = folded > 8 ? -1 : 1, k = folded > 8 ? 16 - folded : folded;
        static const int table[9] = {64, 89, 83, 75, 64, 50, 36, 18, 0};
        return u == 0 ? first[0] : sign * table[k];
    };
    std::vector<int16> out;
    large = 0;
    for (int by = 0; by < height / 8; by++)
        for (int bx = 0; bx < width / 8; bx++) {
            int rows[8][8];
            for (int y = 0; y < 8; y++)
                for (int u = 0; u < 8; u++) {
                    int sum = 64;
                    for (int x = 0; x < 8; x++)
                        sum += (bytes[((by * 8 + y) * width + bx * 8 + x) * 3 + 1] - 128) * cosine(u, x);
                    rows[y][u] = sum >> 7;
                }
            for (int v = 0; v < 8; v++)
                for (int u = 0; u < 8; u++) {
                    int sum = 0;
                    for (int y = 0; y < 8; y++)
                        sum += rows[y][u] * cosine(v, y);
                    out.push_back(int16(sum >> 7));
                    large += std::abs(sum >> 7) > 8;
                }
        }
    return out;
}

inline uint16 half_of(float x) {
    uint32 bits;
    memcpy(&bits, &x, 4);
    const uint32 sign = bits >> 16 & 0x8000;
    const int exponent = int(bits >> 23 & 0xff) - 112;
    uint32 mantissa = (bits & 0x7fffff) | 0x800000;
    if (exponent >= 31)
        return uint16(sign | 0x7c00);
    const int shift = exponent > 0 ? 13 : std::min(14 - exponent, 31);
    const uint32 rest = mantissa & ((1u << shift) - 1), tie = 1u << (shift - 1);
    mantissa >>= shift;
    mantissa += rest > tie || (rest == tie && mantissa & 1);
    return uint16(sign | (exponent > 0 ? (uint32(exponent - 1) << 10) + mantissa : mantissa));
}

inline std::vector<uint16> pyramid(const Image &colors, int width, int height) {
    std::vector<float> level;
    std::vector<uint16> halves;
    for (const Float3 &c : colors)
        level.push_back(luminance(c));
    for (;;) {
        for (float x : level)
            halves.push_back(half_of(x));
        if (width < 2 || height < 2)
            return halves;
        std::vector<float> next;
        for (int y = 0; y < height / 2; y++)
            for (int x = 0; x < width / 2; x++) {
                const float *row = &level[2 * y * width + 2 * x];
                next.push_back(((row[0] + row[1]) + (row[width] + row[width + 1])) * 0.25f);
            }
        level = next;
        width /= 2;
        height /= 2;
    }
}

// By joined sets, whose root is the least.
inline std::vector<int> regions(const std::vector<uint8> &bytes, int width, int height, int difference) {
    std::vector<int> parent(width * height);
    for (int k = 0; k < width * height; k++)
        parent[k] = k;
    auto root = [&](int k) {
        while (parent[k] != k)
            k = parent[k];
        return k;
    };
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int step : {1, width}) {
                const int at = y * width + x;
                if ((step == 1 && x == width - 1) || (step != 1 && y == height - 1))
                    continue;
                if (std::abs(int(bytes[3 * at]) - int(bytes[3 * (at + step)])) > difference)
                    continue;
                const int a = root(at), b = root(at + step);
                parent[std::max(a, b)] = std::min(a, b);
            }
    for (int k = 0; k < width * height; k++)
        parent[k] = root(k);
    return parent;
}

} // namespace reference
