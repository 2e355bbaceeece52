// claim: FFT by lanes, 8x8 cosine transform with quantising, convolution by tasks, biquad filters and a zigzag run-length code
// where:
//   x = np.array([math.sin(0.3 * k) + 0.5 * math.cos(1.1 * k) for k in range(64)])
//   F = np.fft.fft(x)
//   px = np.array([[(r * 13 + c * 7 + r * c) % 64 - 32 for c in range(8)] for r in range(8)], float)
//   D = np.array([[math.sqrt((1 if u == 0 else 2) / 8) * math.cos((2 * k + 1) * u * math.pi / 16) for k in range(8)] for u in range(8)])
//   coef = D @ px @ D.T
//   q = [[int(round(coef[r][c] / (4.1 + r + c))) for c in range(8)] for r in range(8)]
//   order = sorted(((r, c) for r in range(8) for c in range(8)), key=lambda p: (p[0] + p[1], p[0] if (p[0] + p[1]) % 2 == 0 else p[1]))
//   zz = [q[r][c] for r, c in order]
//   def rle(v):
//       out, run = [], 0
//       for e in v:
//           if e == 0: run += 1
//           else: out += [run, e]; run = 0
//       return out
//   code = rle(zz)[:24]
//   taps = [1, 4, 6, 4, 1]
//   conv = [sum(taps[j] * x[k + j - 2] for j in range(5) if 0 <= k + j - 2 < 64) / 16 for k in range(64)]
//   def biquad(k):
//       y1 = y2 = x1 = x2 = 0.0
//       for j in range(32):
//           v = x[(j * (k + 1)) % 64]
//           y = 0.2 * v + 0.4 * x1 + 0.2 * x2 + 0.3 * y1 - 0.1 * y2
//           x2, x1, y2, y1 = x1, v, y1, y
//       return y1
// expect: F.real, F.imag, code, np.zeros(24 - len(code)), conv, [biquad(k) for k in range(16)]
// tolerance: 2e-5
#define POINTS 64
#define LOG2_POINTS 6
#define M_PI 3.14159265358979323846d

struct Complex { float re, im; };

static inline Complex operator*(const Complex a, const Complex b) {
    Complex r = { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
    return r;
}
static inline Complex operator+(const Complex a, const Complex b) { Complex r = { a.re + b.re, a.im + b.im }; return r; }
static inline Complex operator-(const Complex a, const Complex b) { Complex r = { a.re - b.re, a.im - b.im }; return r; }

static inline unsigned int reversed(unsigned int v, uniform int bits) {
    unsigned int r = 0;
    for (uniform int b = 0; b < bits; b++) {
        r = (r << 1) | (v & 1);
        v >>= 1;
    }
    return r;
}

static void fft(uniform Complex data[], uniform int logN) {
    uniform int n = 1 << logN;
    foreach (k = 0 ... n) {
        int other = reversed(k, logN);
        if (other > k) {
            Complex a = data[k], b = data[other];
            data[k] = b;
            data[other] = a;
        }
    }
    for (uniform int half = 1; half < n; half *= 2) {
        foreach (t = 0 ... n / 2) {
            int within = t & (half - 1);
            int lo = ((t - within) << 1) + within;
            int hi = lo + half;
            double angle = -M_PI * within / half;
            Complex w;
            w.re = cos(angle);
            w.im = sin(angle);
            Complex a = data[lo], b = data[hi] * w;
            data[lo] = a + b;
            data[hi] = a - b;
        }
    }
}

static const uniform int zigzag[64] = {
    0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40, 33, 26, 19, 12, 5, 6, 13, 20, 27, 34, 41, 48, 56, 49, 42, 35,
    28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30, 23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63
};
static uniform float basis[8][8];

template <int N> static void transform(const uniform float from[N][N], uniform float result[N][N], uniform bool transposed) {
    foreach (r = 0 ... N, c = 0 ... N) {
        float sum = 0;
#pragma unroll
        for (uniform int k = 0; k < N; k++) sum += basis[r][k] * from[k][c];
        if (transposed) result[c][r] = sum;
        else result[r][c] = sum;
    }
}

static uniform int encode(const uniform int v[64], uniform int code[]) {
    uniform int run = 0, at = 0, k = 0;
next:
    if (k >= 64) goto done;
    if (v[zigzag[k]] == 0) {
        ++run;
    } else {
        code[at++] = run;
        code[at++] = v[zigzag[k]];
        run = 0;
    }
    ++k;
    goto next;
done:
    return at;
}

typedef float (*Window)(int);
static float binomial(int j) {
    switch (j) {
        case 0:
        case 4: return 1;
        case 1:
        case 3: return 4;
        case 2: return 6;
    }
    return 0;
}

task void convolve(const uniform float from[], uniform double to[], uniform int n, uniform Window window) {
    uniform int chunk = (n + taskCount - 1) / taskCount;
    uniform int first = taskIndex * chunk;
    uniform int last = min(first + (uniform int)chunk, n);
    foreach (k = first ... last) {
        float sum = 0;
        for (int j = -2; j <= 2; j++) {
            if (k + j < 0 || k + j >= n) continue;
            sum += window(j + 2) * from[k + j];
        }
        to[k] = sum / 16;
    }
}

struct Biquad {
    float x1, x2, y1, y2;
    uniform float b0, b1, b2, a1, a2;
};
static float run(Biquad &q, float v) {
    float y = q.b0 * v + q.b1 * q.x1 + q.b2 * q.x2 - q.a1 * q.y1 - q.a2 * q.y2;
    q.x2 = q.x1;
    q.x1 = v;
    q.y2 = q.y1;
    q.y1 = y;
    return y;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Complex data[POINTS];
    uniform float samples[POINTS];
    foreach (k = 0 ... POINTS) {
        double v = sin(0.3d * k) + 0.5d * cos(1.1d * k);
        samples[k] = v;
        data[k].re = v;
        data[k].im = 0;
    }
    fft(data, LOG2_POINTS);
    foreach (k = 0 ... POINTS) {
        out[k] = data[k].re;
        out[POINTS + k] = data[k].im;
    }

    uniform float pixels[8][8], half[8][8], coefficients[8][8];
    foreach (r = 0 ... 8, c = 0 ... 8) {
        pixels[r][c] = (r * 13 + c * 7 + r * c) % 64 - 32;
        basis[r][c] = sqrt((r == 0 ? 1.0d : 2.0d) / 8) * cos((2 * c + 1) * r * M_PI / 16);
    }
    transform<8>(pixels, half, true);
    transform<8>(half, coefficients, true);
    uniform int quantised[64], code[128];
    foreach_tiled (r = 0 ... 8, c = 0 ... 8) quantised[r * 8 + c] = (int)round(coefficients[r][c] / (4.1f + r + c));
    uniform int length = encode(quantised, code);
    for (uniform int k = 0; k < 24 && k < length; k++) out[128 + k] = code[k];

    launch[5] convolve(samples, out + 152, POINTS, binomial);
    sync;

    for (uniform int base = 0; base < 16; base += programCount) {
        int k = base + programIndex;
        Biquad q = { 0, 0, 0, 0, 0.2, 0.4, 0.2, -0.3, 0.1 };
        float y = 0;
        for (uniform int j = 0; j < 32; j++) y = run(q, samples[(j * (k + 1)) % POINTS]);
        if (k < 16) out[216 + k] = y;
    }
}
