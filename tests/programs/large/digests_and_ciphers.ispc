// claim: SHA-256, ChaCha20, CRC-32, AES, base64 and modular powers of big integers give what Python's libraries give
// where:
//   import hashlib, zlib, base64
//   texts = [bytes((j * 31 + k * 17 + 7) & 255 for j in range(k * 5 % 150)) for k in range(24)]
//   sha = [w for t in texts for w in np.frombuffer(hashlib.sha256(t).digest(), '>u4')[[0, 3, 7]].tolist()]
//   def rotl(v, s): return ((v << s) | (v >> (32 - s))) & 0xffffffff
//   def quarter(s, a, b, c, d):
//       for x, y, z, r in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
//           s[x] = (s[x] + s[y]) & 0xffffffff; s[z] = rotl(s[z] ^ s[x], r)
//   def chacha(counter):
//       s = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] + [0x03020100 + 0x04040404 * j for j in range(8)] + [counter, 0x09000000, 0x4a000000, 0]
//       t = list(s)
//       for _ in range(10):
//           for a in range(4): quarter(t, a, 4 + a, 8 + a, 12 + a)
//           for a in range(4): quarter(t, a, 4 + (a + 1) % 4, 8 + (a + 2) % 4, 12 + (a + 3) % 4)
//       return [(x + y) & 0xffffffff for x, y in zip(s, t)]
//   stream = [chacha(c)[k] for c in range(1, 9) for k in (0, 5, 10, 15)]
//   crc = [zlib.crc32(t) for t in texts]
//   def adler(t): return zlib.adler32(t)
//   code = [sum(base64.b64encode(t)) for t in texts]
//   def big(k, m):
//       v = 0; s = k
//       for j in range(8): s = (s * 2891336453 + 1) & 0xffffffff; v |= s << (32 * j)
//       return v | (m and 1 | 1 << 255)
//   powers = [pow(big(k, 0) % big(k + 100, 1), 65537, big(k + 100, 1)) for k in range(16)]
//   words = [(p >> s) & 0xffffffff for p in powers for s in (0, 96, 224)]
//   sip = lambda k: None
//   def siphash(k0, k1, m):
//       M = (1 << 64) - 1; r = lambda v, s: ((v << s) | (v >> (64 - s))) & M
//       v = [k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573]
//       def rnd():
//           v[0] = (v[0] + v[1]) & M; v[1] = r(v[1], 13) ^ v[0]; v[0] = r(v[0], 32)
//           v[2] = (v[2] + v[3]) & M; v[3] = r(v[3], 16) ^ v[2]
//           v[0] = (v[0] + v[3]) & M; v[3] = r(v[3], 21) ^ v[0]
//           v[2] = (v[2] + v[1]) & M; v[1] = r(v[1], 17) ^ v[2]; v[2] = r(v[2], 32)
//       full = len(m) // 8
//       for j in range(full + 1):
//           w = int.from_bytes(m[8 * j:8 * j + 8], 'little') if j < full else (len(m) << 56 & M) | int.from_bytes(m[8 * full:], 'little')
//           v[3] ^= w; rnd(); rnd(); v[0] ^= w
//       v[2] ^= 255
//       for _ in range(4): rnd()
//       return v[0] ^ v[1] ^ v[2] ^ v[3]
//   sips = [siphash(0x0706050403020100 + k, 0x0f0e0d0c0b0a0908, t) >> 12 for k, t in enumerate(texts)]
//   box = [0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76]
//   aes = [0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb, 0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32]
// expect: sha, stream, crc, [adler(t) for t in texts], code, words, sips, box, aes, [1] * 3
#define TEXTS 24
#define ROUND_UP(x, to) (((x) + (to) - 1) / (to) * (to))

typedef unsigned int8 byte;
typedef unsigned int32 word;

static uniform byte text[TEXTS][ROUND_UP(150, 64)];
static uniform int text_length[TEXTS];

template <typename T> inline T rotate_left(T v, uniform int by) { return (v << by) | (v >> (sizeof(uniform T) * 8 - by)); }
template <typename T> inline T choose(T mask, T a, T b) { return b ^ (mask & (a ^ b)); }
template <typename T> inline T majority(T a, T b, T c) { return (a & b) | (c & (a | b)); }

// --- SHA-256, each lane its own message -------------------------------------------------------------------

static const uniform word K256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

struct Sha256 {
    word state[8];
    byte buffer[64];
    uint64 length;
};

static void sha_begin(Sha256 &s) {
    const uniform word first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    for (uniform int k = 0; k < 8; ++k) s.state[k] = first[k];
    s.length = 0;
}

#define SIGMA(x, a, b, c) (rotate_left<word>(x, 32 - (a)) ^ rotate_left<word>(x, 32 - (b)) ^ rotate_left<word>(x, 32 - (c)))
#define SMALL_SIGMA(x, a, b, c) (rotate_left<word>(x, 32 - (a)) ^ rotate_left<word>(x, 32 - (b)) ^ ((x) >> (c)))

static void sha_block(Sha256 &s) {
    word w[16];
    for (uniform int k = 0; k < 16; ++k)
        w[k] = (word)s.buffer[4 * k] << 24 | (word)s.buffer[4 * k + 1] << 16 | (word)s.buffer[4 * k + 2] << 8 | (word)s.buffer[4 * k + 3];
    word a = s.state[0], b = s.state[1], c = s.state[2], d = s.state[3];
    word e = s.state[4], f = s.state[5], g = s.state[6], h = s.state[7];
    for (uniform int k = 0; k < 64; ++k) {
        if (k >= 16) {
            word w15 = w[(k + 1) & 15], w2 = w[(k + 14) & 15];
            w[k & 15] += SMALL_SIGMA(w15, 7, 18, 3) + w[(k + 9) & 15] + SMALL_SIGMA(w2, 17, 19, 10);
        }
        word t1 = h + SIGMA(e, 6, 11, 25) + choose(e, f, g) + K256[k] + w[k & 15];
        word t2 = SIGMA(a, 2, 13, 22) + majority(a, b, c);
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    s.state[0] += a; s.state[1] += b; s.state[2] += c; s.state[3] += d;
    s.state[4] += e; s.state[5] += f; s.state[6] += g; s.state[7] += h;
}

static void sha_add(Sha256 &s, byte value) {
    s.buffer[s.length & 63] = value;
    if ((++s.length & 63) == 0) sha_block(s);
}

static void sha_end(Sha256 &s) {
    uint64 bits = s.length * 8;
    sha_add(s, 0x80);
    while ((s.length & 63) != 56) sha_add(s, 0);
    for (uniform int k = 56; k >= 0; k -= 8) sha_add(s, (byte)(bits >> k));
}

// --- ChaCha20: a block for each lane, and one block by four lanes' columns ------------------------------------

#define QUARTER(a, b, c, d) \
    do { \
        a += b; d ^= a; d = rotate_left(d, 16); \
        c += d; b ^= c; b = rotate_left(b, 12); \
        a += b; d ^= a; d = rotate_left(d, 8); \
        c += d; b ^= c; b = rotate_left(b, 7); \
    } while (0)

static inline void chacha_start(word s[16], word counter) {
    s[0] = 0x61707865; s[1] = 0x3320646e; s[2] = 0x79622d32; s[3] = 0x6b206574;
    for (uniform int j = 0; j < 8; ++j) s[4 + j] = 0x03020100 + 0x04040404 * j;
    s[12] = counter; s[13] = 0x09000000; s[14] = 0x4a000000; s[15] = 0;
}

static void chacha_block(word counter, word out[16]) {
    word s[16];
    chacha_start(s, counter);
#pragma unroll
    for (uniform int k = 0; k < 16; ++k) out[k] = s[k];
    for (uniform int round = 0; round < 10; ++round) {
        QUARTER(out[0], out[4], out[8], out[12]);
        QUARTER(out[1], out[5], out[9], out[13]);
        QUARTER(out[2], out[6], out[10], out[14]);
        QUARTER(out[3], out[7], out[11], out[15]);
        QUARTER(out[0], out[5], out[10], out[15]);
        QUARTER(out[1], out[6], out[11], out[12]);
        QUARTER(out[2], out[7], out[8], out[13]);
        QUARTER(out[3], out[4], out[9], out[14]);
    }
    for (uniform int k = 0; k < 16; ++k) out[k] += s[k];
}

// Rows as short vectors; the diagonal rounds turn them by swizzles.
typedef uint<4> row;

static inline row turn(row v, uniform int by) { return (v << by) | (v >> (32 - by)); }

static void chacha_rows(word counter, row out[4]) {
    row a = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };
    row b, c, d = { counter, 0x09000000, 0x4a000000, 0 };
    for (uniform int j = 0; j < 4; ++j) {
        b[j] = 0x03020100 + 0x04040404 * j;
        c[j] = 0x03020100 + 0x04040404 * (j + 4);
    }
    row a0 = a, b0 = b, c0 = c, d0 = d;
    for (uniform int half = 0; half < 20; ++half) {
        a += b; d ^= a; d = turn(d, 16);
        c += d; b ^= c; b = turn(b, 12);
        a += b; d ^= a; d = turn(d, 8);
        c += d; b ^= c; b = turn(b, 7);
        if ((half & 1) == 0) { b = b.yzwx; c = c.zwxy; d = d.wxyz; }
        else { b = b.wxyz; c = c.zwxy; d = d.yzwx; }
    }
    out[0] = a + a0; out[1] = b + b0; out[2] = c + c0; out[3] = d + d0;
}

// --- CRC-32 with a table of its own making ----------------------------------------------------------------------

static uniform word crc_table[256];

static void crc_init() {
    foreach (k = 0 ... 256) {
        word c = k;
        for (uniform int bit = 0; bit < 8; ++bit) c = c & 1 ? 0xedb88320 ^ c >> 1 : c >> 1;
        crc_table[k] = c;
    }
}

static word crc32(const uniform byte * varying p, int length) {
    word c = ~0u;
    for (; length > 0; --length, ++p) c = crc_table[(c ^ *p) & 0xff] ^ (c >> 8);
    return ~c;
}

static word adler(const uniform byte * varying p, int length) {
    word a = 1, b = 0;
    while (length--) { a = (a + *p++) % 65521u; b = (b + a) % 65521u; }
    return b << 16 | a;
}

// --- base64: the text of each lane in memory of its own --------------------------------------------------------

static byte digit64(word v) {
    v &= 63;
    if (v < 26) return (byte)(65 + v);
    if (v < 52) return (byte)(97 + v - 26);
    if (v < 62) return (byte)(48 + v - 52);
    return v == 62 ? 43 : 47;
}

static int base64(const uniform byte * varying from, int length, uniform byte * varying to) {
    uniform byte * varying start = to;
    for (; length >= 3; length -= 3, from += 3) {
        word v = (word)from[0] << 16 | (word)from[1] << 8 | from[2];
        for (uniform int shift = 18; shift >= 0; shift -= 6) *to++ = digit64(v >> shift);
    }
    switch (length) {
    case 1:
        to[0] = digit64(from[0] >> 2);
        to[1] = digit64((word)from[0] << 4);
        to[2] = to[3] = 61;
        to += 4;
        break;
    case 2: {
        word v = (word)from[0] << 8 | from[1];
        to[0] = digit64(v >> 10); to[1] = digit64(v >> 4); to[2] = digit64(v << 2); to[3] = 61;
        to += 4;
    }
    }
    return (int)(to - start);
}

// --- integers of 256 bits: Montgomery's multiplication, operators ------------------------------------------------

#define LIMBS 8
struct Big { word limb[LIMBS]; };
struct Modulus { Big value; word inverse; Big square; };

bool operator>=(const Big &a, const Big &b) {
    bool result = true, decided = false;
    for (uniform int k = LIMBS - 1; k >= 0; --k) {
        if (!decided && a.limb[k] != b.limb[k]) { result = a.limb[k] > b.limb[k]; decided = true; }
    }
    return result;
}

Big operator-(const Big &a, const Big &b) {
    Big r;
    int64 borrow = 0;
    for (uniform int k = 0; k < LIMBS; ++k) {
        borrow += (int64)a.limb[k] - (int64)b.limb[k];
        r.limb[k] = (word)borrow;
        borrow >>= 32;
    }
    return r;
}

Big &operator-=(Big &a, const Big &b) { a = a - b; return a; }

static Big shift_left_modulo(Big a, const Big &m) {
    word top = 0;
    for (uniform int k = 0; k < LIMBS; ++k) {
        word next = a.limb[k] >> 31;
        a.limb[k] = a.limb[k] << 1 | top;
        top = next;
    }
    if (top || a >= m) a -= m;
    return a;
}

static Big montgomery(const Big &a, const Big &b, const Modulus &m) {
    word t[LIMBS + 2];
    for (uniform int k = 0; k < LIMBS + 2; ++k) t[k] = 0;
    for (uniform int j = 0; j < LIMBS; ++j) {
        uint64 carry = 0;
        for (uniform int k = 0; k < LIMBS; ++k) {
            carry += (uint64)a.limb[k] * b.limb[j] + t[k];
            t[k] = (word)carry;
            carry >>= 32;
        }
        carry += t[LIMBS];
        t[LIMBS] = (word)carry;
        t[LIMBS + 1] = (word)(carry >> 32);
        word q = t[0] * m.inverse;
        carry = ((uint64)q * m.value.limb[0] + t[0]) >> 32;
        for (uniform int k = 1; k < LIMBS; ++k) {
            carry += (uint64)q * m.value.limb[k] + t[k];
            t[k - 1] = (word)carry;
            carry >>= 32;
        }
        carry += t[LIMBS];
        t[LIMBS - 1] = (word)carry;
        t[LIMBS] = t[LIMBS + 1] + (word)(carry >> 32);
    }
    Big r;
    for (uniform int k = 0; k < LIMBS; ++k) r.limb[k] = t[k];
    if (t[LIMBS] != 0 || r >= m.value) r -= m.value;
    return r;
}

static void prepare(Modulus &m) {
    word x = 1;
    for (uniform int k = 0; k < 5; ++k) x *= 2 - m.value.limb[0] * x;
    m.inverse = -x;
    Big one;
    for (uniform int k = 0; k < LIMBS; ++k) one.limb[k] = 0;
    one.limb[0] = 1;
    for (uniform int k = 0; k < 2 * 32 * LIMBS; ++k) one = shift_left_modulo(one, m.value);
    m.square = one;
}

static Big power(Big base, uniform word exponent, const Modulus &m) {
    Big one;
    for (uniform int k = 0; k < LIMBS; ++k) one.limb[k] = k == 0 ? 1 : 0;
    Big x = montgomery(base, m.square, m), r = montgomery(one, m.square, m);
    while (exponent) {
        if (exponent & 1) r = montgomery(r, x, m);
        x = montgomery(x, x, m);
        exponent >>= 1;
    }
    return montgomery(r, one, m);
}

static Big pseudo_random(word seed) {
    Big r;
    for (uniform int k = 0; k < LIMBS; ++k) r.limb[k] = seed = seed * 2891336453u + 1;
    return r;
}

// Of a number below 2m, and m has its highest bit.
static Big remainder_of(Big a, const Big &m) {
    cif (a >= m) return a - m;
    return a;
}

// --- SipHash-2-4 ------------------------------------------------------------------------------------------------

struct Sip { uint64 v0, v1, v2, v3; };

static void sip_round(Sip &s, uniform int times) {
    for (uniform int k = 0; k < times; ++k) {
        s.v0 += s.v1; s.v1 = rotate_left(s.v1, 13) ^ s.v0; s.v0 = rotate_left(s.v0, 32);
        s.v2 += s.v3; s.v3 = rotate_left(s.v3, 16) ^ s.v2;
        s.v0 += s.v3; s.v3 = rotate_left(s.v3, 21) ^ s.v0;
        s.v2 += s.v1; s.v1 = rotate_left(s.v1, 17) ^ s.v2; s.v2 = rotate_left(s.v2, 32);
    }
}

static uint64 siphash(uint64 k0, uint64 k1, const uniform byte * varying p, int length) {
    Sip s = { k0 ^ 0x736f6d6570736575ull, k1 ^ 0x646f72616e646f6dull, k0 ^ 0x6c7967656e657261ull, k1 ^ 0x7465646279746573ull };
    int left = length;
    while (left >= 8) {
        uint64 m = 0;
        for (uniform int b = 0; b < 8; ++b) m |= (uint64)p[b] << (8 * b);
        s.v3 ^= m; sip_round(s, 2); s.v0 ^= m;
        p += 8; left -= 8;
    }
    uint64 m = (uint64)length << 56;
    switch (left) {
    case 7: m |= (uint64)p[6] << 48;
    case 6: m |= (uint64)p[5] << 40;
    case 5: m |= (uint64)p[4] << 32;
    case 4: m |= (uint64)p[3] << 24;
    case 3: m |= (uint64)p[2] << 16;
    case 2: m |= (uint64)p[1] << 8;
    case 1: m |= (uint64)p[0];
    case 0: break;
    }
    s.v3 ^= m; sip_round(s, 2); s.v0 ^= m;
    s.v2 ^= 0xff;
    sip_round(s, 4);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

// --- AES-128: tables made at run time, the gang encrypts blocks -----------------------------------------------

static uniform byte sbox[256];


static inline byte twice(byte a) { return (byte)(a << 1) ^ (a & 0x80 ? (byte)0x1b : (byte)0); }
static inline uniform byte twice(uniform byte a) { return (uniform byte)(a << 1) ^ (a & 0x80 ? (uniform byte)0x1b : (uniform byte)0); }

static byte product(byte a, byte b) {
    byte r = 0;
    for (uniform int k = 0; k < 8; ++k) {
        if (b & 1) r ^= a;
        a = twice(a);
        b >>= 1;
    }
    return r;
}

static void aes_init() {
    foreach (k = 0 ... 256) {
        byte x = k, inverse = 1;
        // x to the power of 254
        for (uniform int bit = 0; bit < 8; ++bit) {
            if (bit > 0) inverse = product(inverse, x);
            x = product(x, x);
        }
        byte s = 0x63;
        byte v = inverse;
        for (uniform int t = 0; t < 5; ++t) { s ^= v; v = (byte)(v << 1) | (byte)(v >> 7); }
        sbox[k] = s;
    }
}

static void aes_keys(const uniform byte key[16], uniform byte keys[11][16]) {
    for (uniform int k = 0; k < 16; ++k) keys[0][k] = key[k];
    uniform byte factor = 1;
    for (uniform int r = 1; r <= 10; ++r) {
        for (uniform int c = 0; c < 4; ++c)
            for (uniform int b = 0; b < 4; ++b) {
                uniform byte t;
                if (c == 0) {
                    t = sbox[keys[r - 1][12 + (b + 1) % 4]];
                    if (b == 0) t ^= factor;
                } else t = keys[r][4 * (c - 1) + b];
                keys[r][4 * c + b] = keys[r - 1][4 * c + b] ^ t;
            }
        factor = twice(factor);
    }
}

static void aes_encrypt(byte block[16], const uniform byte keys[][16]) {
    for (uniform int k = 0; k < 16; ++k) block[k] ^= keys[0][k];
    for (uniform int r = 1; r <= 10; ++r) {
        byte t[16];
        for (uniform int c = 0; c < 4; ++c)
            for (uniform int b = 0; b < 4; ++b) t[4 * c + b] = sbox[block[4 * ((c + b) % 4) + b]];
        for (uniform int c = 0; c < 4; ++c) {
            varying byte * uniform column = &t[4 * c];
            if (r < 10) {
                byte whole = column[0] ^ column[1] ^ column[2] ^ column[3], first = column[0];
                column[0] ^= whole ^ twice(column[0] ^ column[1]);
                column[1] ^= whole ^ twice(column[1] ^ column[2]);
                column[2] ^= whole ^ twice(column[2] ^ column[3]);
                column[3] ^= whole ^ twice(column[3] ^ first);
            }
        }
        for (uniform int k = 0; k < 16; ++k) block[k] = t[k] ^ keys[r][k];
    }
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (uniform int k = 0; k < TEXTS; ++k) {
        text_length[k] = k * 5 % 150;
        foreach (j = 0 ... text_length[k]) text[k][j] = (byte)(j * 31 + k * 17 + 7);
    }
    crc_init();
    aes_init();
    uniform double * uniform o = out;
    foreach (k = 0 ... TEXTS) {
        Sha256 s;
        sha_begin(s);
        for (int j = 0; j < text_length[k]; ++j) sha_add(s, text[k][j]);
        sha_end(s);
        o[3 * k] = s.state[0]; o[3 * k + 1] = s.state[3]; o[3 * k + 2] = s.state[7];
    }
    o += 3 * TEXTS;
    uniform int same = 1;
    foreach (k = 0 ... 8) {
        word whole[16];
        row rows[4];
        chacha_block(k + 1, whole);
        chacha_rows(k + 1, rows);
        bool equal = true;
        for (uniform int j = 0; j < 16; ++j) equal &= whole[j] == rows[j >> 2][j & 3];
        if (!all(equal)) same = 0;
        for (uniform int j = 0; j < 16; j += 5) o[4 * k + j / 5] = whole[j];
    }
    o += 32;
    foreach (k = 0 ... TEXTS) {
        o[k] = crc32(&text[k][0], text_length[k]);
        o[TEXTS + k] = adler(&text[k][0], text_length[k]);
        uniform byte * varying encoded = new uniform byte[4 * text_length[k] / 3 + 4];
        int length = base64(&text[k][0], text_length[k], encoded);
        int sum = 0;
        for (int j = 0; j < length; ++j) sum += encoded[j];
        o[2 * TEXTS + k] = sum;
        delete[] encoded;
    }
    o += 3 * TEXTS;
    foreach (k = 0 ... 16) {
        Modulus m;
        m.value = pseudo_random(k + 100);
        m.value.limb[0] |= 1;
        m.value.limb[LIMBS - 1] |= 0x80000000;
        prepare(m);
        Big result = power(remainder_of(pseudo_random(k), m.value), 65537, m);
        o[3 * k] = result.limb[0];
        o[3 * k + 1] = result.limb[3];
        o[3 * k + 2] = result.limb[7];
    }
    o += 48;
    foreach (k = 0 ... TEXTS)
        o[k] = siphash(0x0706050403020100ull + k, 0x0f0e0d0c0b0a0908ull, &text[k][0], text_length[k]) >> 12;
    o += TEXTS;
    foreach (k = 0 ... 16) o[k] = sbox[k];
    o += 16;
    const uniform byte key[16] = { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c };
    const uniform byte plain[16] = { 0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d, 0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34 };
    uniform byte keys[11][16];
    aes_keys(key, keys);
    byte block[16];
    for (uniform int k = 0; k < 16; ++k) block[k] = plain[k] ^ (byte)programIndex;
    for (uniform int k = 0; k < 16; ++k) block[k] ^= programIndex;
    aes_encrypt(block, keys);
    uniform bool agree = true;
    for (uniform int k = 0; k < 16; ++k) {
        agree = agree && reduce_equal(block[k]);
        o[k] = extract(block[k], programCount - 1);
    }
    o += 16;
    o[0] = same;
    o[1] = agree;
    o[2] = sizeof(uniform Sha256) == 104 && sizeof(Big) == 32 * programCount ? 1 : 0;
}
