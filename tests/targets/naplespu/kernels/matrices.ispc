// Threads take every T-th row of their core's part; the sums are kept in memory, which is zero before.
export void scalar_product(const uniform int a[], const uniform int b[], uniform int c[], uniform int n) {
    uniform int threads = thread_count(), cores = core_count(), core = core_id(), thread = thread_id();
    for (uniform int i = core * n / cores + thread; i < n / cores * (core + 1); i += threads)
        for (uniform int j = 0; j < n; j++)
            for (uniform int k = 0; k < n; k++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    barrier(42, threads * cores);
    if (core == 0 && thread == 0)
        for (uniform int i = 0; i < n * n; i += 16)
            flush(&c[i]);
}

// Rows are rows of vectors. Threads own ranges of result vectors, cores take turns in them.
export void vector_product(const vec16i32 * uniform a, const vec16i32 * uniform b, vec16i32 * uniform c, uniform int n) {
    uniform int threads = thread_count(), cores = core_count();
    uniform int columns = n / 16;
    uniform int share = n * columns / threads;
    for (uniform int v = share * thread_id() + core_id(); v < share * (thread_id() + 1); v += cores) {
        uniform int row = v / columns, column = v % columns;
        vec16i32 sum = 0;
        for (uniform int j = 0; j < columns; j++) {
            vec16i32 left = a[row * columns + j];
            for (uniform int k = 0; k < 16; k++)
                sum += extract(left, k) * b[(16 * j + k) * columns + column];
        }
        c[v] = sum;
        flush(&c[v]);
    }
    barrier(42, threads * cores);
}

// The compiler shares it.
export void product(const uniform float a[], const uniform float b[], uniform float c[], uniform int n) {
    foreach (i = 0 ... n, j = 0 ... n) {
        float sum = 0;
        for (uniform int k = 0; k < n; k++)
            sum += a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
    }
}
