// call: chacha: Z(16*30,np.uint32), I(30*12,0,2**31,np.uint32), 30
// call: sip: Z(60,np.uint64), I(60*24,0,256,np.uint8), I(4,0,2**31,np.uint32), 60, 24
// call: modpow: Z(80,np.uint64), I(80,1,2**31,np.uint64), I(80,0,70000,np.uint32), 80
// call: wide: Z(20*8,np.uint32), Z(20*8,np.uint32), I(20*8,0,2**32,np.uint32), I(20*8,0,2**32,np.uint32), 20
// call: sbox: Z(16*20,np.uint8), I(16*20,0,256,np.uint8), 20, 6
// call: field: Z(256,np.uint8), Z(256,np.uint8), I(256,0,256,np.uint8), 256
// call: xorshift: Z(100,np.uint64), Z(100,np.float64), 100, 17
// call: sorted_nets: I(40*16,-2**31,2**31,np.int32), 40
// call: ripe: Z(45,np.uint32), I(45*16,0,2**32,np.uint32), 45
static inline uint32 rotl(uint32 x, uniform int n) { return (x << n) | (x >> (32 - n)); }
static inline uint64 rotl(uint64 x, uniform int n) { return (x << n) | (x >> (64 - n)); }
#define QUARTER(a, b, c, d) \
    a += b; d ^= a; d = rotl(d, 16); \
    c += d; b ^= c; b = rotl(b, 12); \
    a += b; d ^= a; d = rotl(d, 8); \
    c += d; b ^= c; b = rotl(b, 7);
export void chacha(uniform uint32 out[], uniform uint32 keys[], uniform int blocks) {
    foreach (i = 0 ... blocks) {
        uint32 s[16], t[16];
        s[0] = 0x61707865; s[1] = 0x3320646e; s[2] = 0x79622d32; s[3] = 0x6b206574;
        for (uniform int k = 0; k < 12; k++) s[4 + k] = keys[i * 12 + k];
        for (uniform int k = 0; k < 16; k++) t[k] = s[k];
        for (uniform int r = 0; r < 10; r++) {
            QUARTER(t[0], t[4], t[8], t[12]) QUARTER(t[1], t[5], t[9], t[13]) QUARTER(t[2], t[6], t[10], t[14]) QUARTER(t[3], t[7], t[11], t[15])
            QUARTER(t[0], t[5], t[10], t[15]) QUARTER(t[1], t[6], t[11], t[12]) QUARTER(t[2], t[7], t[8], t[13]) QUARTER(t[3], t[4], t[9], t[14])
        }
        for (uniform int k = 0; k < 16; k++) out[k * blocks + i] = t[k] + s[k];
    }
}
struct Sip { uint64 v[4]; };
static void sip_round(Sip &s) {
    s.v[0] += s.v[1]; s.v[1] = rotl(s.v[1], 13); s.v[1] ^= s.v[0]; s.v[0] = rotl(s.v[0], 32);
    s.v[2] += s.v[3]; s.v[3] = rotl(s.v[3], 16); s.v[3] ^= s.v[2];
    s.v[0] += s.v[3]; s.v[3] = rotl(s.v[3], 21); s.v[3] ^= s.v[0];
    s.v[2] += s.v[1]; s.v[1] = rotl(s.v[1], 17); s.v[1] ^= s.v[2]; s.v[2] = rotl(s.v[2], 32);
}
export void sip(uniform uint64 out[], uniform uint8 text[], uniform uint32 key[], uniform int n, uniform int length) {
    uniform uint64 k0 = ((uniform uint64)key[1] << 32) | key[0]; uniform uint64 k1 = ((uniform uint64)key[3] << 32) | key[2];
    foreach (i = 0 ... n) {
        Sip s;
        s.v[0] = k0 ^ 0x736f6d6570736575ull; s.v[1] = k1 ^ 0x646f72616e646f6dull; s.v[2] = k0 ^ 0x6c7967656e657261ull; s.v[3] = k1 ^ 0x7465646279746573ull;
        int own = length - (i & 7);
        int whole = own & ~7;
        for (int at = 0; at < whole; at += 8) {
            uint64 m = 0;
            for (uniform int b = 7; b >= 0; b--) m = (m << 8) | text[i * length + at + b];
            s.v[3] ^= m;
            sip_round(s); sip_round(s);
            s.v[0] ^= m;
        }
        uint64 last = (uint64)own << 56;
        for (int at = whole; at < own; at++) last |= (uint64)text[i * length + at] << (8 * (at & 7));
        s.v[3] ^= last;
        sip_round(s); sip_round(s);
        s.v[0] ^= last;
        s.v[2] ^= 0xff;
        for (uniform int r = 0; r < 4; r++) sip_round(s);
        out[i] = s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
    }
}
export void modpow(uniform uint64 out[], uniform uint64 bases[], uniform uint32 exponents[], uniform int n) {
    foreach (i = 0 ... n) {
        uint64 modulus = 1000003 + (uint64)(i * 2), base = bases[i] % (1000003 + (uint64)(i * 2)), result = 1;
        uint32 e = exponents[i];
        while (e > 0) {
            if (e & 1) result = result * base % modulus;
            base = base * base % modulus;
            e >>= 1;
        }
        out[i] = result;
    }
}
// Numbers of 256 bits, a limb a row.
export void wide(uniform uint32 sums[], uniform uint32 products[], uniform uint32 a[], uniform uint32 b[], uniform int n) {
    foreach (i = 0 ... n) {
        uint64 carry = 0;
        for (uniform int k = 0; k < 8; k++) {
            carry += (uint64)a[i * 8 + k] + b[i * 8 + k];
            sums[i * 8 + k] = (uint32)carry;
            carry >>= 32;
        }
        uint32 p[8];
        for (uniform int k = 0; k < 8; k++) p[k] = 0;
        for (uniform int x = 0; x < 8; x++) {
            uint64 over = 0;
            for (uniform int y = 0; x + y < 8; y++) {
                over += (uint64)a[i * 8 + x] * b[i * 8 + y] + p[x + y];
                p[x + y] = (uint32)over;
                over >>= 32;
            }
        }
        for (uniform int k = 0; k < 8; k++) products[i * 8 + k] = p[k];
    }
}
static inline uint8 doubled(uint8 x) { return (x << 1) ^ ((x & 128) ? (uint8)0x1b : (uint8)0); }
static uint8 times(uint8 a, uint8 b) {
    uint8 r = 0;
    while (b != 0) { if (b & 1) r ^= a; a = doubled(a); b >>= 1; }
    return r;
}
static uint8 inverse(uint8 a) {
    uint8 r = 1, p = a;
    for (uniform int k = 1; k < 8; k++) { p = times(p, p); r = times(r, p); }
    return r;
}
static inline uint8 substituted(uint8 a) {
    uint8 x = inverse(a);
    uint8 y = x;
    for (uniform int k = 0; k < 4; k++) { x = (x << 1) | (x >> 7); y ^= x; }
    return y ^ (uint8)0x63;
}
export void sbox(uniform uint8 out[], uniform uint8 blocks[], uniform int n, uniform int rounds) {
    foreach (i = 0 ... n) {
        uint8 s[16], t[16];
        for (uniform int k = 0; k < 16; k++) s[k] = blocks[i * 16 + k];
        for (uniform int r = 0; r < rounds; r++) {
            for (uniform int k = 0; k < 16; k++) t[k] = substituted(s[(k + (k & 3) * 4) & 15]);
            for (uniform int c = 0; c < 4; c++) {
                uint8 all = t[4 * c] ^ t[4 * c + 1] ^ t[4 * c + 2] ^ t[4 * c + 3];
                for (uniform int k = 0; k < 4; k++) s[4 * c + k] = t[4 * c + k] ^ all ^ doubled(t[4 * c + k] ^ t[4 * c + ((k + 1) & 3)]);
            }
            s[r & 15] ^= (uint8)(r + i);
        }
        for (uniform int k = 0; k < 16; k++) out[i * 16 + k] = s[k];
    }
}
export void field(uniform uint8 squares[], uniform uint8 inverses[], uniform uint8 x[], uniform int n) {
    foreach (i = 0 ... n) { squares[i] = times(x[i], x[i]); inverses[i] = inverse(x[i]); }
}
export void xorshift(uniform uint64 out[], uniform double unit[], uniform int n, uniform int steps) {
    foreach (i = 0 ... n) {
        uint64 a = 0x9E3779B97F4A7C15ull * (uint64)(i + 1); uint64 b = ~a;
        int own = steps + (i % 5);
        for (int k = 0; k < own; k++) {
            uint64 t = a, s = b;
            a = s;
            t ^= t << 23;
            b = t ^ s ^ (t >> 18) ^ (s >> 5);
        }
        out[i] = a + b;
        unit[i] = (double)((a + b) >> 11) * 1.1102230246251565e-16d;
    }
}
export void sorted_nets(uniform int rows[], uniform int n) {
    foreach (i = 0 ... n) {
        int v[16];
        for (uniform int k = 0; k < 16; k++) v[k] = rows[i * 16 + k];
        for (uniform int p = 1; p < 16; p *= 2)
            for (uniform int k = p; k >= 1; k /= 2)
                for (uniform int j = k % p; j + k < 16; j += 2 * k)
                    for (uniform int m = 0; m < k; m++)
                        if (j + m + k < 16 && (j + m) / (p * 2) == (j + m + k) / (p * 2)) {
                            int low = min(v[j + m], v[j + m + k]);
                            v[j + m + k] = max(v[j + m], v[j + m + k]);
                            v[j + m] = low;
                        }
        for (uniform int k = 0; k < 16; k++) rows[i * 16 + k] = v[k];
    }
}
export void ripe(uniform uint32 out[], uniform uint32 words[], uniform int n) {
    foreach (i = 0 ... n) {
        uint32 a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
        for (uniform int r = 0; r < 80; r++) {
            uint32 f;
            switch (r / 16) {
            case 0: f = b ^ c ^ d; break;
            case 1: f = (b & c) | (~b & d); break;
            case 2: f = (b | ~c) ^ d; break;
            case 3: f = (b & d) | (c & ~d); break;
            default: f = b ^ (c | ~d);
            }
            uint32 t = rotl(a + f + words[i * 16 + ((r * 7 + 3) & 15)] + (uint32)(r * 0x1234567), 5 + (r & 7)) + e;
            a = e; e = d; d = rotl(c, 10); c = b; b = t;
        }
        out[i] = a + 3 * b ^ c - d ^ e;
    }
}
