// claim: number theory in 64 bits, hashes, checksums, fixed point and half floats come out as in Python
// where:
//   M = (1 << 64) - 1
//   def xorshift(s, k):
//       for _ in range(k):
//           s ^= (s << 13) & M; s ^= s >> 7; s ^= (s << 17) & M
//       return s
//   def fnv(b):
//       h = 0xcbf29ce484222325
//       for c in b: h = ((h ^ c) * 0x100000001b3) & M
//       return h
//   def adler(b):
//       x, y = 1, 0
//       for c in b: x = (x + c) % 65521; y = (y + x) % 65521
//       return (y << 16) | x
//   def mulhi(a, b): return (a * b) >> 64
//   texts = [bytes((j * 7 + k * 13) & 255 for j in range(k % 9 + 3)) for k in range(32)]
//   h = lambda x: float(np.float16(x))
//   def half_poly(x):
//       x = np.float16(x); a = np.float16(np.float16(x * x) * np.float16(0.5)); return float(np.float16(a + x))
//   is_prime = lambda v: v > 1 and all(v % d for d in range(2, int(v ** 0.5) + 1))
//   fix = [((k * 40503) * (k * 3 + 70000)) >> 16 for k in range(32)]
// expect: [xorshift(20260131000000007 + k, 5) >> 40 for k in range(32)], [fnv(t) & 0xffffffff for t in texts], [adler(t) for t in texts], [mulhi(xorshift(k + 1, 3), xorshift(k + 9, 4)) >> 20 for k in range(32)], [pow(k + 2, 1000003, 998244353) for k in range(32)], [half_poly(k * 0.375 - 5) for k in range(32)], [int(is_prime(1000 + k)) for k in range(32)], fix
static uint64 xorshift(uint64 state, uniform int rounds) {
    for (uniform int k = 0; k < rounds; k++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
    }
    return state;
}

static uint64 fnv(const uniform uint8 * varying text, int length) {
    uint64 h = 0xcbf29ce484222325ull;
    for (int k = 0; k < length; k++) h = (h ^ text[k]) * 0x100000001b3ull;
    return h;
}

static uint32 adler32(const uniform uint8 * varying text, int length) {
    uint32 a = 1, b = 0;
    while (length-- > 0) {
        a = (a + *text++) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static uint64 mulhi(uint64 a, uint64 b) {
    uint64 al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    uint64 mid = ah * bl + (al * bl >> 32);
    uint64 low = al * bh + (mid & 0xffffffff);
    return ah * bh + (mid >> 32) + (low >> 32);
}

static int64 power(int64 base, uniform int64 exponent, uniform int64 modulus) {
    int64 r = 1;
    base %= modulus;
    for (uniform int64 e = exponent; e > 0; e >>= 1) {
        if (e & 1) r = r * base % modulus;
        base = base * base % modulus;
    }
    return r;
}

static bool prime(int v) {
    if (v < 2) return false;
    for (int d = 2; d * d <= v; d++)
        if (v % d == 0) return false;
    return true;
}

static float16 polynomial(float16 x) {
    float16 half = 0.5f16;
    float16 a = x * x * half;
    return a + x;
}

static uniform uint8 texts[32][16];
static uniform float16 halves[32];

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 32, j = 0 ... 16) texts[k][j] = j * 7 + k * 13;
    foreach (k = 0 ... 32) {
        out[k] = xorshift(20260131000000007ull + k, 5) >> 40;
        out[32 + k] = fnv(&texts[k][0], k % 9 + 3) & 0xffffffff;
        out[64 + k] = adler32(&texts[k][0], k % 9 + 3);
        out[96 + k] = mulhi(xorshift(k + 1, 3), xorshift(k + 9, 4)) >> 20;
        out[128 + k] = power(k + 2, 1000003, 998244353);
        halves[k] = (float16)(k * 0.375f - 5);
        out[192 + k] = prime(1000 + k) ? 1 : 0;
        int32 a = k * 40503, b = k * 3 + 70000;
        out[224 + k] = (int32)(((int64)a * b) >> 16);
    }
    foreach (k = 0 ... 32) {
        float16 r = polynomial(halves[k]);
        out[160 + k] = (float)r;
    }
}
