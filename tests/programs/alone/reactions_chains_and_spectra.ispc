// claim: two reacting substances in a box by tasks, the rest state of a Markov chain and an eigenvalue per lane agree with numpy
// where:
//   N = 12
//   z, y, x = np.mgrid[0:N, 0:N, 0:N]
//   inside = (abs(z - 6) < 3) & (abs(y - 5) < 4) & (abs(x - 6) < 4)
//   u = np.where(inside, 0.5 + (x + 2 * y + 3 * z) % 5 / 16, 1.0); v = np.where(inside, 0.25 + (3 * x + y) % 4 / 32, 0.0)
//   def spread(c): return sum(np.roll(c, s, axis) for axis in range(3) for s in (-1, 1)) - 6 * c
//   for step in range(5):
//       made = u * v * v
//       nu = u + 0.125 * spread(u) - made + 0.03125 * (1 - u); nv = v + 0.0625 * spread(v) + made - 0.09375 * v
//       u[:, :, 1:-1], v[:, :, 1:-1] = nu[:, :, 1:-1], nv[:, :, 1:-1]
//   S = 24
//   T = np.zeros((S, S))
//   for k in range(S):
//       ways = {(k * 7 + 3) % S, (k * k) % S, (k + 1) % S, k // 2}
//       for w in ways: T[w, k] += 1 / len(ways)
//   T = 0.875 * T + 0.125 / S
//   rest = np.linalg.solve(np.vstack([(T - np.eye(S))[:-1], np.ones(S)]), np.eye(S)[-1])
//   def matrix(l):
//       side = [0.5 + 0.25 * (k % 3) for k in range(7)]
//       return np.diag([(k * 5 + l) % 9 - 3.0 for k in range(8)]) + np.diag(side, 1) + np.diag(side, -1)
// expect: v[6, 1:7, 3:11].ravel(), u[6, 3, 1:11], np.zeros(6), rest, [np.linalg.eigvalsh(matrix(l))[l % 8] for l in range(W)], np.zeros(64 - W), [u.sum(), v.sum(), 1]
// tolerance: 1e-4
#define N 12
#define CELL(x, y, z) (((z) * N + (y)) * N + (x))

typedef float Amount;

// --- Gray and Scott's reaction U + 2 V -> 3 V (Pearson 1993), both substances spreading ---------------------

static void react(uniform int first, uniform int last, uniform const float rates[4], uniform const Amount u[],
                  uniform const Amount v[], uniform Amount new_u[], uniform Amount new_v[]) {
    foreach (z = first ... last, y = 0 ... N, x = 1 ... N - 1) {
        int here = CELL(x, y, z);
        int north = CELL(x, y == 0 ? N - 1 : y - 1, z), south = CELL(x, (y + 1) % N, z);
        int above = CELL(x, y, z == 0 ? N - 1 : z - 1), below = CELL(x, y, (z + 1) % N);
#define SPREAD(c) (c[here - 1] + c[here + 1] + c[north] + c[south] + c[above] + c[below] - 6 * c[here])
        Amount made = u[here] * v[here] * v[here];
        new_u[here] = u[here] + rates[0] * SPREAD(u) - made + rates[2] * (1 - u[here]);
        new_v[here] = v[here] + rates[1] * SPREAD(v) + made - rates[3] * v[here];
    }
}

static task void react_in_slab(uniform int thickness, uniform const float rates[4], uniform const Amount u[],
                               uniform const Amount v[], uniform Amount new_u[], uniform Amount new_v[]) {
    react(taskIndex * thickness, min((uniform int)(taskIndex + 1) * thickness, N), rates, u, v, new_u, new_v);
}

static uniform Amount substances[2][2][N * N * N];

static uniform int react_for(uniform int steps, uniform const float rates[4]) {
    uniform int now = 0;
    for (uniform int step = 0; step < steps; ++step) {
        launch[3] react_in_slab(5, rates, substances[now][0], substances[now][1], substances[1 - now][0], substances[1 - now][1]);
        sync;
        now ^= 1;
    }
    return now;
}

// --- a Markov chain: column k of the matrix, packed, has the ways that lead away from state k ----------------

struct Chain {
    uniform int states;
    uniform int * uniform ends;
    uniform int * uniform from;
    uniform double * uniform chance;
};

static void advance(const uniform Chain &chain, uniform double now[], uniform double next[], uniform double stay) {
    foreach (state = 0 ... chain.states) {
        double sum = (1 - stay) / chain.states;
        for (int k = state == 0 ? 0 : chain.ends[state - 1]; k < chain.ends[state]; k++)
            sum += stay * chain.chance[k] * now[chain.from[k]];
        next[state] = sum;
    }
}

static uniform double largest_change(uniform double a[], uniform double b[], uniform int n) {
    double largest = 0;
    foreach (k = 0 ... n)
        largest = max(largest, abs(a[k] - b[k]));
    return reduce_max(largest);
}

// Steps until nothing changes by more than the tolerance.
static uniform int come_to_rest(const uniform Chain &chain, uniform double result[], uniform double tolerance) {
    uniform double * uniform now = uniform new uniform double[chain.states];
    uniform double * uniform next = uniform new uniform double[chain.states];
    memset(now, 0, chain.states * sizeof(uniform double));
    now[0] = 1;
    uniform int steps;
    for (steps = 0; steps < 400; ++steps) {
        advance(chain, now, next, 0.875d);
        uniform double change = largest_change(now, next, chain.states);
        memcpy(now, next, chain.states * sizeof(uniform double));
        if (change < tolerance) break;
    }
    double total = 0;
    foreach (k = 0 ... chain.states) total += now[k];
    uniform double scale = 1 / reduce_add(total);
    foreach (k = 0 ... chain.states) result[k] = scale * now[k];
    delete[] next;
    delete[] now;
    return steps;
}

static uniform bool leads(uniform int from, uniform int to, uniform int states) {
    return to == (from * 7 + 3) % states || to == from * from % states || to == (from + 1) % states || to == from / 2;
}

// --- an eigenvalue of a tridiagonal matrix for each lane, by counting signs (Givens 1954) and halving ---------------------

template <typename T, int SIZE> int below(T where, T diagonal[], T side[]) {
    T pivots[SIZE];
    int count = 0;
    for (uniform int k = 0; k < SIZE; k++) {
        pivots[k] = diagonal[k] - where;
        if (k > 0) pivots[k] -= side[k - 1] * side[k - 1] / pivots[k - 1];
        if (abs(pivots[k]) < 1e-12d) pivots[k] = (T)1e-12d;
        count += pivots[k] < 0 ? 1 : 0;
    }
    return count;
}

template <typename T, int SIZE> T eigenvalue(int which, T diagonal[], T side[], T low, T high, T tolerance) {
    while (high - low > tolerance) {
        T middle = (low + high) / 2;
        if (below<T, SIZE>(middle, diagonal, side) > which) high = middle;
        else low = middle;
    }
    return low;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (z = 0 ... N, y = 0 ... N, x = 0 ... N) {
        bool inside = abs(z - 6) < 3 && abs(y - 5) < 4 && abs(x - 6) < 4;
        Amount u = inside ? 0.5 + (x + 2 * y + 3 * z) % 5 * 0.0625 : 1;
        Amount v = inside ? 0.25 + (3 * x + y) % 4 * 0.03125 : 0;
        for (uniform int copy = 0; copy < 2; copy++) {
            substances[copy][0][CELL(x, y, z)] = u;
            substances[copy][1][CELL(x, y, z)] = v;
        }
    }
    uniform float rates[4] = { 0.125, 0.0625, 0.03125, 0.09375 };
    uniform int now = react_for(5, rates);
    foreach (y = 0 ... 6, x = 0 ... 8)
        out[y * 8 + x] = substances[now][1][CELL(x + 3, y + 1, 6)];
    foreach (x = 1 ... N - 1)
        out[47 + x] = substances[now][0][CELL(x, 3, 6)];

    uniform int ends[24], from[96], at = 0;
    uniform double chance[96];
    for (uniform int to = 0; to < 24; to++) {
        for (uniform int state = 0; state < 24; state++) {
            if (!leads(state, to, 24)) continue;
            uniform int ways = 0;
            for (uniform int other = 0; other < 24; ++other) ways += leads(state, other, 24) ? 1 : 0;
            from[at] = state;
            chance[at++] = ways == 1 ? 1.0d : ways == 2 ? 0.5d : ways == 3 ? 1.0d / 3 : 0.25d;
        }
        ends[to] = at;
    }
    uniform Chain chain = { 24, ends, from, chance };
    uniform int steps = come_to_rest(chain, out + 64, 1e-12);

    double diagonal[8], side[7];
    for (uniform int k = 0; k < 8; k++) {
        diagonal[k] = (k * 5 + programIndex) % 9 - 3;
        if (k < 7) side[k] = 0.5 + 0.25 * (k % 3);
    }
    out[88 + programIndex] = eigenvalue<double, 8>(programIndex % 8, diagonal, side, (varying double)-16, 16.0d + programIndex, 1e-9);

    uniform double total_u = 0;
    double total_v = 0;
    foreach (k = 0 ... N * N * N) {
        double u = substances[now][0][k];
        total_u += reduce_add(u);
        total_v += substances[now][1][k];
    }
    out[152] = total_u;
    out[153] = reduce_add(total_v);
    out[154] = steps < 400 ? 1 : 0;
}
