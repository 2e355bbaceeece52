// claim: a 3D stencil with tasks and double buffering, conjugate gradients and a tridiagonal solve per lane agree with numpy
// where:
//   N = 12
//   a = np.array([[[((x * 3 + y * 5 + z * 7) % 11) / 4 for x in range(N)] for y in range(N)] for z in range(N)])
//   def step(c, p):
//       r = p.copy()
//       s = slice(2, -2)
//       lap = 0.5 * c[s, s, s]
//       for axis in range(3):
//           for d, w in ((1, 0.125), (2, -0.0625)):
//               lap = lap + w * (np.roll(c, d, axis)[s, s, s] + np.roll(c, -d, axis)[s, s, s])
//       r[s, s, s] = 2 * c[s, s, s] - p[s, s, s] + 0.25 * lap
//       return r
//   even, odd = a.copy(), 0.5 * a
//   for t in range(3):
//       odd = step(even, odd); even, odd = odd, even
//   M = 16
//   A = np.diag([4.0] * M) + np.diag([-1.0] * (M - 1), 1) + np.diag([-1.0] * (M - 1), -1) + np.diag([0.5] * (M - 4), 4) + np.diag([0.5] * (M - 4), -4)
//   b = np.array([k % 5 - 1.5 for k in range(M)])
//   T = lambda l: np.linalg.solve(np.diag([2.0 + l] * 8) - np.diag([1.0] * 7, 1) - np.diag([1.0] * 7, -1), np.arange(8.0) + l)
// expect: even[5, 2:10, 3:11].ravel(), np.linalg.solve(A, b), [T(l)[3] for l in range(W)], np.zeros(64 - W), [np.sum(even)]
// tolerance: 1e-4
#define N 12
#define AT(x, y, z) ((z) * Nxy + (y) * Nx + (x))

typedef float Real;

static void stencil_step(uniform int x0, uniform int x1, uniform int y0, uniform int y1, uniform int z0, uniform int z1,
                         uniform int Nx, uniform int Ny, uniform int Nz, uniform const float coef[4],
                         uniform const float vsq[], uniform const float Ain[], uniform float Aout[]) {
    const uniform int Nxy = Nx * Ny;
    foreach (z = z0 ... z1, y = y0 ... y1, x = x0 ... x1) {
        int index = (z * Nxy) + (y * Nx) + x;
#define A_cur(x, y, z) Ain[index + (x) + ((y) * Nx) + ((z) * Nxy)]
#define A_next(x, y, z) Aout[index + (x) + ((y) * Nx) + ((z) * Nxy)]
        float div = coef[0] * A_cur(0, 0, 0) +
                    coef[1] * (A_cur(+1, 0, 0) + A_cur(-1, 0, 0) + A_cur(0, +1, 0) + A_cur(0, -1, 0) + A_cur(0, 0, +1) + A_cur(0, 0, -1)) +
                    coef[2] * (A_cur(+2, 0, 0) + A_cur(-2, 0, 0) + A_cur(0, +2, 0) + A_cur(0, -2, 0) + A_cur(0, 0, +2) + A_cur(0, 0, -2));
        A_next(0, 0, 0) = 2 * A_cur(0, 0, 0) - A_next(0, 0, 0) + vsq[index] * div;
    }
}

static task void stencil_step_task(uniform int x0, uniform int x1, uniform int y0, uniform int y1, uniform int z0,
                                   uniform int Nx, uniform int Ny, uniform int Nz, uniform const float coef[4],
                                   uniform const float vsq[], uniform const float Ain[], uniform float Aout[]) {
    stencil_step(x0, x1, y0, y1, z0 + taskIndex, z0 + taskIndex + 1, Nx, Ny, Nz, coef, vsq, Ain, Aout);
}

static void loop_stencil(uniform int t0, uniform int t1, uniform int x0, uniform int x1, uniform int y0, uniform int y1,
                         uniform int z0, uniform int z1, uniform int Nx, uniform int Ny, uniform int Nz,
                         uniform const float coef[4], uniform const float vsq[], uniform float Aeven[], uniform float Aodd[]) {
    for (uniform int t = t0; t < t1; ++t) {
        if ((t & 1) == 0)
            launch[z1 - z0] stencil_step_task(x0, x1, y0, y1, z0, Nx, Ny, Nz, coef, vsq, Aeven, Aodd);
        else
            launch[z1 - z0] stencil_step_task(x0, x1, y0, y1, z0, Nx, Ny, Nz, coef, vsq, Aodd, Aeven);
        sync;
    }
}

// --- conjugate gradients on a sparse matrix in rows -------------------------------------------------------

struct CSR {
    uniform int rows;
    uniform int * uniform starts;
    uniform int * uniform columns;
    uniform double * uniform values;
};

static void multiply(const uniform CSR &m, uniform double x[], uniform double y[]) {
    foreach (r = 0 ... m.rows) {
        double sum = 0;
        for (int k = m.starts[r]; k < m.starts[r + 1]; k++) sum += m.values[k] * x[m.columns[k]];
        y[r] = sum;
    }
}
static uniform double dot(uniform double a[], uniform double b[], uniform int n) {
    double sum = 0;
    foreach (k = 0 ... n) sum += a[k] * b[k];
    return reduce_add(sum);
}
static void axpy(uniform double a, uniform double x[], uniform double y[], uniform int n) { foreach (k = 0 ... n) y[k] += a * x[k]; }

static uniform int conjugateGradients(const uniform CSR &m, uniform double b[], uniform double x[], uniform double eps) {
    uniform double * uniform r = uniform new uniform double[m.rows];
    uniform double * uniform p = uniform new uniform double[m.rows];
    uniform double * uniform q = uniform new uniform double[m.rows];
    memset(x, 0, m.rows * sizeof(uniform double));
    memcpy(r, b, m.rows * sizeof(uniform double));
    memcpy(p, b, m.rows * sizeof(uniform double));
    uniform double rr = dot(r, r, m.rows);
    uniform int steps;
    for (steps = 0; steps < 100 && rr > eps; ++steps) {
        multiply(m, p, q);
        uniform double alpha = rr / dot(p, q, m.rows);
        axpy(alpha, p, x, m.rows);
        axpy(-alpha, q, r, m.rows);
        uniform double next = dot(r, r, m.rows);
        uniform double beta = next / rr;
        foreach (k = 0 ... m.rows) p[k] = r[k] + beta * p[k];
        rr = next;
    }
    delete[] r;
    delete[] p;
    delete[] q;
    return steps;
}

// --- a tridiagonal system for each lane -------------------------------------------------------------------

template <typename T, int COUNT> void thomas(T diagonal, T off, T rhs[], T x[]) {
    T c[COUNT];
    T d[COUNT];
    c[0] = off / diagonal;
    d[0] = rhs[0] / diagonal;
    for (uniform int k = 1; k < COUNT; k++) {
        T scale = 1 / (diagonal - off * c[k - 1]);
        c[k] = off * scale;
        d[k] = (rhs[k] - off * d[k - 1]) * scale;
    }
    x[COUNT - 1] = d[COUNT - 1];
    for (uniform int k = COUNT - 2; k >= 0; --k) x[k] = d[k] - c[k] * x[k + 1];
}

static uniform float even[N * N * N], odd[N * N * N], vsq[N * N * N];

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (z = 0 ... N, y = 0 ... N, x = 0 ... N) {
        uniform int Nx = N, Nxy = N * N;
        even[AT(x, y, z)] = ((x * 3 + y * 5 + z * 7) % 11) * 0.25;
        odd[AT(x, y, z)] = 0.5 * even[AT(x, y, z)];
        vsq[AT(x, y, z)] = 0.25;
    }
    uniform float coef[4] = { 0.5, 0.125, -0.0625 };
    loop_stencil(0, 3, 2, N - 2, 2, N - 2, 2, N - 2, N, N, N, coef, vsq, even, odd);
    foreach (y = 0 ... 8, x = 0 ... 8)
        out[y * 8 + x] = odd[(5 * N + y + 2) * N + x + 3];

    uniform int starts[17], columns[80];
    uniform double values[80], b[16], x[16];
    uniform int at = 0;
    for (uniform int r = 0; r < 16; r++) {
        starts[r] = at;
        for (uniform int c = 0; c < 16; c++) {
            uniform int distance = abs(r - c);
            uniform double v = distance == 0 ? 4.0d : distance == 1 ? -1.0d : distance == 4 ? 0.5d : 0.0d;
            if (v != 0) { columns[at] = c; values[at++] = v; }
        }
        b[r] = r % 5 - 1.5;
    }
    starts[16] = at;
    uniform CSR m = { 16, starts, columns, values };
    uniform int steps = conjugateGradients(m, b, x, 1e-20);
    foreach (k = 0 ... 16) out[64 + k] = x[k];

    double rhs[8], solution[8];
    for (uniform int k = 0; k < 8; k++) rhs[k] = k + programIndex;
    thomas<double, 8>(2.0 + programIndex, (varying double)-1, rhs, solution);
    out[80 + programIndex] = solution[3];
    uniform double total = 0;
    foreach (k = 0 ... N * N * N) { double v = odd[k]; total += reduce_add(v); }
    out[144] = steps < 20 ? total : 0.0d;
}
