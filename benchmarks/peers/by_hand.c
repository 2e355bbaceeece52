/* Kernels of which a form by hand is well known, in intrinsics of AVX2 (or of AVX-512 where it is there): one of ours each. */
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#define KERNEL(name, A, B, C) void name(A *restrict a, const B *restrict b, const C *restrict c, int n, int m)

#ifdef __AVX512F__
typedef __m512 floats;
enum { LANES = 16 };
#define LOAD(p) _mm512_loadu_ps(p)
#define STORE(p, x) _mm512_storeu_ps(p, x)
#define ADD(x, y) _mm512_add_ps(x, y)
#define FMA(x, y, z) _mm512_fmadd_ps(x, y, z)
#define ALL(x) _mm512_set1_ps(x)
static float total(floats x) { return _mm512_reduce_add_ps(x); }
#else
typedef __m256 floats;
enum { LANES = 8 };
#define LOAD(p) _mm256_loadu_ps(p)
#define STORE(p, x) _mm256_storeu_ps(p, x)
#define ADD(x, y) _mm256_add_ps(x, y)
#define FMA(x, y, z) _mm256_fmadd_ps(x, y, z)
#define ALL(x) _mm256_set1_ps(x)
static float total(floats x) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
}
#endif

static int32_t total32(__m256i x) {
    __m128i half = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1)));
}

/* Four sums, so that an addition need not wait for the one before. */
KERNEL(sum, float, float, float) {
    floats s[4] = {ALL(0), ALL(0), ALL(0), ALL(0)};
    int i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        for (int k = 0; k < 4; k++)
            s[k] = ADD(s[k], LOAD(b + i + k * LANES));
    for (; i + LANES <= n; i += LANES)
        s[0] = ADD(s[0], LOAD(b + i));
    float sum = total(ADD(ADD(s[0], s[1]), ADD(s[2], s[3])));
    for (; i < n; i++)
        sum += b[i];
    a[0] = sum;
}

static inline float product(const float *b, const float *c, int n) {
    floats s[4] = {ALL(0), ALL(0), ALL(0), ALL(0)};
    int i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        for (int k = 0; k < 4; k++)
            s[k] = FMA(LOAD(b + i + k * LANES), LOAD(c + i + k * LANES), s[k]);
    for (; i + LANES <= n; i += LANES)
        s[0] = FMA(LOAD(b + i), LOAD(c + i), s[0]);
    float sum = total(ADD(ADD(s[0], s[1]), ADD(s[2], s[3])));
    for (; i < n; i++)
        sum += b[i] * c[i];
    return sum;
}

KERNEL(dot, float, float, float) { a[0] = product(b, c, n); }

KERNEL(matvec, float, float, float) {
    for (int i = 0; i < m; i++)
        a[i] = product(b + i * n, c, n);
}

KERNEL(saxpy_unaligned, float, float, float) {
    floats two = ALL(2);
    int i = 1;
    for (; i + 4 * LANES <= n + 1; i += 4 * LANES)
        for (int k = 0; k < 4; k++)
            STORE(a + i + k * LANES, FMA(LOAD(b + i + k * LANES), two, LOAD(c + i + k * LANES)));
    for (; i <= n; i++)
        a[i] = 2 * b[i] + c[i];
}

/* Blocks of 8 by 8 in registers. */
KERNEL(transpose, float, float, float) {
    int y = 0;
    for (; y + 8 <= m; y += 8) {
        int x = 0;
        for (; x + 8 <= n; x += 8) {
            __m256 r[8], s[8];
            for (int k = 0; k < 8; k++)
                r[k] = _mm256_loadu_ps(b + (y + k) * n + x);
            for (int k = 0; k < 8; k += 2) {
                s[k] = _mm256_unpacklo_ps(r[k], r[k + 1]);
                s[k + 1] = _mm256_unpackhi_ps(r[k], r[k + 1]);
            }
            for (int k = 0; k < 8; k += 4)
                for (int j = 0; j < 2; j++) {
                    r[k + 2 * j] = _mm256_shuffle_ps(s[k + j], s[k + j + 2], 0x44);
                    r[k + 2 * j + 1] = _mm256_shuffle_ps(s[k + j], s[k + j + 2], 0xee);
                }
            for (int k = 0; k < 4; k++) {
                _mm256_storeu_ps(a + (x + k) * m + y, _mm256_permute2f128_ps(r[k], r[k + 4], 0x20));
                _mm256_storeu_ps(a + (x + k + 4) * m + y, _mm256_permute2f128_ps(r[k], r[k + 4], 0x31));
            }
        }
        for (; x < n; x++)
            for (int k = 0; k < 8; k++)
                a[x * m + y + k] = b[(y + k) * n + x];
    }
    for (; y < m; y++)
        for (int x = 0; x < n; x++)
            a[x * m + y] = b[y * n + x];
}

/* Four tables: the same value twice in a row does not wait for its own store. */
KERNEL(histogram, int, int, int) {
    int table[4][256] = {{0}};
    int i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; k++)
            table[k][b[i + k] & 255]++;
    for (; i < n; i++)
        table[0][b[i] & 255]++;
    for (int k = 0; k < 256; k++)
        a[k] += table[0][k] + table[1][k] + table[2][k] + table[3][k];
}

/* Bytes that are -1 where the letter is: at most 255 times, then added up. */
KERNEL(count_letter, int, uint8_t, uint8_t) {
    __m256i letter = _mm256_set1_epi8('e'), zero = _mm256_setzero_si256(), sums = zero;
    int i = 0;
    while (i + 32 <= n) {
        __m256i counts = zero;
        for (int k = 0; k < 255 && i + 32 <= n; k++, i += 32)
            counts = _mm256_sub_epi8(counts, _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(b + i)), letter));
        sums = _mm256_add_epi64(sums, _mm256_sad_epu8(counts, zero));
    }
    int count = total32(sums);
    for (; i < n; i++)
        count += b[i] == 'e';
    a[0] = count;
}

KERNEL(distance, int, uint8_t, uint8_t) {
    __m256i s[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    int i = 0;
    for (; i + 64 <= n; i += 64)
        for (int k = 0; k < 2; k++) {
            __m256i x = _mm256_loadu_si256((const __m256i *)(b + i + 32 * k));
            s[k] = _mm256_add_epi64(s[k], _mm256_sad_epu8(x, _mm256_loadu_si256((const __m256i *)(c + i + 32 * k))));
        }
    int sum = total32(_mm256_add_epi64(s[0], s[1]));
    for (; i < n; i++)
        sum += b[i] > c[i] ? b[i] - c[i] : c[i] - b[i];
    a[0] = sum;
}

KERNEL(dot_int16, int, int16_t, int16_t) {
    __m256i s[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
    int i = 0;
    for (; i + 32 <= n; i += 32)
        for (int k = 0; k < 2; k++) {
            __m256i x = _mm256_loadu_si256((const __m256i *)(b + i + 16 * k));
            s[k] = _mm256_add_epi32(s[k], _mm256_madd_epi16(x, _mm256_loadu_si256((const __m256i *)(c + i + 16 * k))));
        }
    int sum = total32(_mm256_add_epi32(s[0], s[1]));
    for (; i < n; i++)
        sum += b[i] * c[i];
    a[0] = sum;
}

/* Four lots of greatest bytes. */
KERNEL(greatest, int8_t, int8_t, int8_t) {
    __m256i most[4];
    for (int k = 0; k < 4; k++)
        most[k] = _mm256_set1_epi8(-128);
    int i = 0;
    for (; i + 128 <= n; i += 128)
        for (int k = 0; k < 4; k++)
            most[k] = _mm256_max_epi8(most[k], _mm256_loadu_si256((const __m256i *)(b + i + 32 * k)));
    int8_t lanes[32], best = -128;
    __m256i all = _mm256_max_epi8(_mm256_max_epi8(most[0], most[1]), _mm256_max_epi8(most[2], most[3]));
    _mm256_storeu_si256((__m256i *)lanes, all);
    for (int k = 0; k < 32; k++)
        best = lanes[k] > best ? lanes[k] : best;
    for (; i < n; i++)
        best = b[i] > best ? b[i] : best;
    a[0] = best;
}

#ifdef __AVX512F__
/* Compress in a register and store whole: compress to memory is microcode on Zen 4. */
KERNEL(compaction, int, int, int) {
    int count = 0, i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512i x = _mm512_loadu_si512(b + i);
        __mmask16 on = _mm512_cmpgt_epi32_mask(x, _mm512_setzero_si512());
        int stored = __builtin_popcount(on);
        _mm512_mask_storeu_epi32(a + count, (__mmask16)((1u << stored) - 1), _mm512_maskz_compress_epi32(on, x));
        count += stored;
    }
    for (; i < n; i++)
        if (b[i] > 0)
            a[count++] = b[i];
}
#endif
