// claim: templates of vectors and matrices with overloaded operators, specialisations and non-type sizes compute what numpy computes
// where:
//   a = np.arange(16).reshape(4, 4) % 5 + np.eye(4) * 3
//   b = (np.arange(16).reshape(4, 4) * 3) % 7 - 2
//   v = np.array([1, -2, 3, -4])
//   lu = np.linalg.solve(a, v.astype(float))
//   h = np.array([[1.0 / (r + c + 1) for c in range(3)] for r in range(3)])
// expect: (a @ b), (a + b), (a - 2 * b), a.T, a @ v, lu, [np.linalg.det(a)], [v @ v, np.cross([1, 2, 3], [4, 5, 6])[1]], [h @ h @ h], [7, 3, 10, 16, 12], [6.0 * k for k in range(W)], [3, 5]
// tolerance: 2e-5
struct Vec4 { float v[4]; };
struct Mat4 { float m[4][4]; };
struct Complex { double re, im; };

static inline Mat4 operator*(const Mat4 &a, const Mat4 &b) {
    Mat4 r;
    for (uniform int y = 0; y < 4; y++)
        for (uniform int x = 0; x < 4; x++) {
            float sum = 0;
#pragma unroll
            for (uniform int k = 0; k < 4; k++) sum += a.m[y][k] * b.m[k][x];
            r.m[y][x] = sum;
        }
    return r;
}
static inline uniform Mat4 operator*(const uniform Mat4 &a, const uniform Mat4 &b) {
    uniform Mat4 r;
    for (uniform int y = 0; y < 4; y++)
        for (uniform int x = 0; x < 4; x++) {
            r.m[y][x] = 0;
            for (uniform int k = 0; k < 4; k++) r.m[y][x] += a.m[y][k] * b.m[k][x];
        }
    return r;
}
static inline uniform Mat4 operator+(const uniform Mat4 &a, const uniform Mat4 &b) {
    uniform Mat4 r;
    foreach (y = 0 ... 4, x = 0 ... 4) r.m[y][x] = a.m[y][x] + b.m[y][x];
    return r;
}
static inline uniform Mat4 operator-(uniform Mat4 a) {
    for (uniform int k = 0; k < 16; k++) a.m[k / 4][k % 4] = -a.m[k / 4][k % 4];
    return a;
}
static inline uniform Mat4 operator-(const uniform Mat4 &a, const uniform Mat4 &b) { return a + -b; }
static inline uniform Mat4 operator*(uniform float s, const uniform Mat4 &b) {
    uniform Mat4 r = b;
    for (uniform int k = 0; k < 16; k++) r.m[k >> 2][k & 3] *= s;
    return r;
}
static inline uniform Mat4 & operator+=(uniform Mat4 &a, const uniform Mat4 &b) { a = a + b; return a; }
static uniform Vec4 operator*(const uniform Mat4 &a, const uniform Vec4 &x) {
    uniform Vec4 r;
    for (uniform int k = 0; k < 4; ++k) {
        uniform float s = 0;
        for (uniform int j = 0; j < 4; ++j) s += a.m[k][j] * x.v[j];
        r.v[k] = s;
    }
    return r;
}
static uniform bool operator==(const uniform Vec4 &a, const uniform Vec4 &b) {
    for (uniform int k = 0; k < 4; ++k) if (a.v[k] != b.v[k]) return false;
    return true;
}
struct Counter { int n; };
static Counter operator++(Counter &c) { c.n += 1; return c; }
static Counter operator++(Counter &c, int) { Counter old = c; c.n += 1; return old; }
static bool operator!(Counter c) { return c.n == 0; }
static Complex operator*(Complex a, Complex b) { Complex r = { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re }; return r; }
static Complex operator+(Complex a, double b) { Complex r; r.re = a.re + b; r.im = a.im; return r; }

template <typename T, int N> noinline T dot(uniform T a[N], uniform T b[N]) {
    T sum = 0;
    for (uniform int k = 0; k < N; k++) sum += a[k] * b[k];
    return sum;
}
template <typename T> inline T cross2(T a0, T a1, T b0, T b1) { return a0 * b1 - a1 * b0; }
template <typename T> T lerp(T a, T b, float t) { return a + (b - a) * t; }

// determinant by elimination, partial pivoting, uniform and in place
template <typename T> uniform T determinant(uniform T m[][4], uniform int n) {
    uniform T det = 1;
    for (uniform int c = 0; c < n; ++c) {
        uniform int p = c;
        for (uniform int r = c + 1; r < n; ++r) if (abs(m[r][c]) > abs(m[p][c])) p = r;
        if (p != c) {
            for (uniform int k = 0; k < n; ++k) { uniform T t = m[c][k]; m[c][k] = m[p][k]; m[p][k] = t; }
            det = -det;
        }
        det *= m[c][c];
        for (uniform int r = c + 1; r < n; ++r) {
            uniform T factor = m[r][c] / m[c][c];
            foreach (k = c ... n) m[r][k] -= factor * m[c][k];
        }
    }
    return det;
}

// solves A x = b, one system per lane
template <int N> void solve(float a[N][N], float b[N], float x[N]) {
    for (uniform int c = 0; c < N; ++c) {
        int p = c;
        float best = abs(a[c][c]);
        for (uniform int r = c + 1; r < N; ++r)
            if (abs(a[r][c]) > best) { best = abs(a[r][c]); p = r; }
        for (uniform int k = 0; k < N; ++k) { float t = a[c][k]; a[c][k] = a[p][k]; a[p][k] = t; }
        float t = b[c]; b[c] = b[p]; b[p] = t;
        for (uniform int r = c + 1; r < N; ++r) {
            float factor = a[r][c] / a[c][c];
            for (uniform int k = c; k < N; ++k) a[r][k] -= factor * a[c][k];
            b[r] -= factor * b[c];
        }
    }
    for (uniform int r = N - 1; r >= 0; --r) {
        float s = b[r];
        for (uniform int k = r + 1; k < N; ++k) s -= a[r][k] * x[k];
        x[r] = s / a[r][r];
    }
}

template <int N> uniform int powerOfTwo() { return 2 * powerOfTwo<N>(1); }
template <typename T> int kind(T x) { return 1; }
template <> int kind<float>(float x) { return 2; }
template <> int kind<double>(double x) { return 3; }
int kind(int8 x) { return 4; }
template int kind<uint16>(uint16 x);
enum Shape { CIRCLE = 3, SQUARE = 4 };
template <Shape S> uniform int sides() { switch (S) { case CIRCLE: return 0; default: return S; } }
template <typename T, int R, int C> void multiply(uniform T a[R][C], uniform T b[C][R], uniform T r[R][R]) {
    for (uniform int y = 0; y < R; y++)
        for (uniform int x = 0; x < R; x++) {
            uniform T s = 0;
            for (uniform int k = 0; k < C; k++) s += a[y][k] * b[k][x];
            r[y][x] = s;
        }
}
template <typename T, int N> T sum(T<N> v) {
    T r = 0;
    for (uniform int k = 0; k < N; k++) r += v[k];
    return r;
}

static void store(uniform double out[], uniform int &at, const uniform Mat4 &m) {
    for (uniform int y = 0; y < 4; y++)
        for (uniform int x = 0; x < 4; x++) out[at++] = m.m[y][x];
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int at = 0;
    uniform Mat4 a, b;
    for (uniform int k = 0; k < 16; k++) {
        a.m[k / 4][k % 4] = k % 5 + (k / 4 == k % 4 ? 3 : 0);
        b.m[k / 4][k % 4] = (k * 3) % 7 - 2;
    }
    store(out, at, a * b);
    store(out, at, a + b);
    store(out, at, a - 2 * b);
    uniform Mat4 t;
    for (uniform int y = 0; y < 4; y++) for (uniform int x = 0; x < 4; x++) t.m[x][y] = a.m[y][x];
    store(out, at, t);
    uniform Vec4 v = { { 1, -2, 3, -4 } };
    uniform Vec4 w = a * v;
    for (uniform int k = 0; k < 4; k++) out[at++] = w.v[k];
    // a varying matrix per lane, the systems all the same
    Mat4 va = a;
    float rhs[4], x[4];
    for (uniform int k = 0; k < 4; k++) rhs[k] = v.v[k];
    solve<4>(va.m, rhs, x);
    for (uniform int k = 0; k < 4; k++) out[at++] = extract(x[k], programCount - 1);
    uniform double d[4][4];
    for (uniform int k = 0; k < 16; k++) d[k / 4][k % 4] = a.m[k / 4][k % 4];
    out[at++] = determinant(d, 4);
    uniform float row[4] = { 1, -2, 3, -4 };
    out[at++] = extract(dot<float, 4>(row, row), 0);
    out[at++] = extract(cross2((double)3, 1.0d, 6.0d, (double)4), 1);
    uniform double h[3][3], hh[3][3], hhh[3][3];
    for (uniform int y = 0; y < 3; y++) for (uniform int xx = 0; xx < 3; xx++) h[y][xx] = 1.0d / (y + xx + 1);
    multiply<double, 3, 3>(h, h, hh);
    multiply<double, 3, 3>(hh, h, hhh);
    for (uniform int y = 0; y < 3; y++) for (uniform int xx = 0; xx < 3; xx++) out[at++] = hhh[y][xx];
    Counter c = { 5 };
    Counter old = c++;
    ++c;
    out[at++] = extract(c.n, 0);
    uniform int kinds = reduce_max(kind(1)) + reduce_max(kind<uint16>(3)) * 2;
    out[at++] = kinds;
    float fv = 1;
    double dv = 1;
    int8 bv = 1;
    kinds = reduce_max(kind(fv)) + reduce_max(kind(dv)) + reduce_max(kind(bv)) + (uniform int)reduce_max(kind(programIndex));
    out[at++] = kinds;
    out[at++] = sides<SQUARE>() * (sides<CIRCLE>() + 4);
    int<4> iv = { 1, 2, 3, 6 };
    out[at++] = extract(sum(iv), 0);
    uniform Mat4 sumOf = a;
    sumOf += b;
    // varying operators
    Mat4 va2 = a, vb2 = b;
    va2.m[0][0] = programIndex;
    Mat4 product = va2 * vb2;
    Mat4 zero = va2;
    if (programIndex < 1000) {
        for (uniform int k = 0; k < 16; k++) zero.m[k / 4][k % 4] = k == 0 ? (float)programIndex : (float)0;
        for (uniform int k = 0; k < 16; k++) vb2.m[k / 4][k % 4] = 6;
        product = zero * vb2;
    }
    out[at + programIndex] = product.m[0][0];
    at += programCount;
    Complex z = { 1, 2 };
    z = z * z + 6;
    out[at++] = extract(z.re, 0);
    if (sumOf.m[0][0] == a.m[0][0] + b.m[0][0] && !(w == v)) out[at++] = 5;
    Counter none = { 0 };
    if (!none) out[at - 1] += 0;
}
