// A kernel for each shape of loop that compilers lose time on, one head for all: a is written, b and c are read, n and m are sizes.
#define ARRAYS(A, B, C) uniform A a[], const uniform B b[], const uniform C c[], uniform int n, uniform int m

// ---- masks -----------------------------------------------------------------

// Lanes leave the loop at different times, and an if in it divides them.
export void collatz(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) {
        int x = b[i], steps = 0;
        while (x > 1) {
            if (x & 1)
                x = 3 * x + 1;
            else
                x = x >> 1;
            steps++;
        }
        a[i] = steps;
    }
}

export void mandelbrot(ARRAYS(int, float, float)) {
    foreach (i = 0 ... n) {
        float x = b[i], y = c[i];
        float zx = x, zy = y;
        int steps = 0;
        while (steps < m) {
            float xx = zx * zx, yy = zy * zy;
            if (xx + yy > 4)
                break;
            zy = 2 * zx * zy + y;
            zx = xx - yy + x;
            steps++;
        }
        a[i] = steps;
    }
}

export void gcd64(ARRAYS(int64, int64, int64)) {
    foreach (i = 0 ... n) {
        int64 x = b[i], y = c[i];
        while (x != y) {
            if (x > y)
                x -= y;
            else
                y -= x;
        }
        a[i] = x;
    }
}

// An American option: backward induction over a lattice of 64 steps.
export void lattice(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float v[64];
        float price = b[i], strike = c[i];
        uniform float up = 1.02, p = 0.55, q = 0.44;
        uniform float down = 1 / up;
        float s = price;
        for (uniform int k = 0; k < 64; k++) {
            v[k] = max(0.0f, strike - s);
            s *= up;
        }
        for (uniform int j = 63; j > 0; j--) {
            price *= down;
            s = price;
            for (uniform int k = 0; k < j; k++) {
                v[k] = max(p * v[k + 1] + q * v[k], strike - s);
                s *= up;
            }
        }
        a[i] = v[0];
    }
}

// Newton's method for the cube root, as long as it takes.
export void newton(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float t = b[i] + 1;
        float x = t;
        for (;;) {
            float next = (2 * x + t / (x * x)) * (1.0f / 3);
            if (abs(next - x) <= 1e-6f * x)
                break;
            x = next;
        }
        a[i] = x;
    }
}

// ---- runs of consecutive elements for each lane ----------------------------


export void sparse_rows(ARRAYS(float, int, int)) {
    const uniform float *uniform value = (const uniform float *uniform)&c[m];
    foreach (i = 0 ... n) {
        float sum = 0;
        for (int k = b[i]; k < b[i + 1]; k++)
            sum += value[k] * value[c[k]];
        a[i] = sum;
    }
}

export void row_sums(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float sum = 0;
        for (uniform int k = 0; k < m; k++)
            sum += b[i * m + k];
        a[i] = sum;
    }
}

export void string_lengths(ARRAYS(int, int, uint8)) {
    foreach (i = 0 ... n) {
        int start = b[i];
        int k = start;
        while (c[k] != 0)
            k++;
        a[i] = k - start;
    }
}

export void string_hashes(ARRAYS(int, int, uint8)) {
    foreach (i = 0 ... n) {
        unsigned int hash = 2166136261;
        for (int k = b[i]; c[k] != 0; k++)
            hash = (hash ^ c[k]) * 16777619;
        a[i] = hash;
    }
}

// ---- strides across an outer loop ------------------------------------------

export void transpose(ARRAYS(float, float, float)) {
    for (uniform int y = 0; y < m; y++)
        foreach (x = 0 ... n)
            a[x * m + y] = b[y * n + x];
}

export void transpose_bytes(ARRAYS(uint8, uint8, uint8)) {
    for (uniform int y = 0; y < m; y++)
        foreach (x = 0 ... n)
            a[x * m + y] = b[y * n + x];
}

export void column_sums(ARRAYS(float, float, float)) {
    foreach (x = 0 ... n) {
        float sum = 0;
        for (uniform int y = 0; y < m; y++)
            sum += b[y * n + x];
        a[x] = sum;
    }
}

// ---- exchange networks -----------------------------------------------------

export void exchange(ARRAYS(float, float, float)) {
    for (uniform int j = m; j > 0; j >>= 1)
        foreach (i = 0 ... n)
            a[i] = b[i ^ j] + a[i];
}

export void bitonic_sort(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n)
        a[i] = b[i];
    for (uniform int k = 2; k <= n; k <<= 1)
        for (uniform int j = k >> 1; j > 0; j >>= 1)
            foreach (i = 0 ... n) {
                int other = i ^ j;
                if (other > i) {
                    int low = a[i], high = a[other];
                    if ((low > high) == ((i & k) == 0)) {
                        a[i] = high;
                        a[other] = low;
                    }
                }
            }
}

export void walsh_hadamard(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n)
        a[i] = b[i];
    for (uniform int j = 1; j < n; j <<= 1)
        foreach (k = 0 ... n / 2) {
            int low = ((k & ~(j - 1)) << 1) | (k & (j - 1));
            float x = a[low], y = a[low + j];
            a[low] = x + y;
            a[low + j] = x - y;
        }
}

// ---- serial parts ----------------------------------------------------------

export void active_lanes(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) {
        int x = b[i];
        if (x & 1)
            foreach_active (lane)
                a[extract(x, lane) & 255] += 1;
    }
}

export void unique_values(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) {
        int x = b[i] & 3;
        foreach_unique (value in x)
            a[value] += reduce_add(1);
    }
}

export void histogram(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n)
        atomic_add_local(&a[b[i] & 255], 1);
}

export void scan(ARRAYS(int, int, int)) {
    uniform int sum = 0;
    foreach (i = 0 ... n) {
        int x = b[i];
        a[i] = sum + exclusive_scan_add(x);
        sum += reduce_add(x);
    }
}

export void lookup(ARRAYS(float, int, float)) {
    foreach (i = 0 ... n)
        a[i] = c[b[i] & 1023] * 2;
}

export void lookup_bytes(ARRAYS(uint8, uint8, uint8)) {
    foreach (i = 0 ... n)
        a[i] = c[b[i]];
}

export void scatter(ARRAYS(float, int, float)) {
    foreach (i = 0 ... n)
        a[b[i] & 1023] = c[i & 1023];
}

export void scatter_some(ARRAYS(float, int, float)) {
    foreach (i = 0 ... n)
        if (b[i] & 4096)
            a[b[i] & 1023] = c[i & 1023];
}

// ---- chains ----------------------------------------------------------------

export void sum(ARRAYS(float, float, float)) {
    float sum = 0;
    foreach (i = 0 ... n)
        sum += b[i];
    a[0] = reduce_add(sum);
}

export void dot(ARRAYS(float, float, float)) {
    float sum = 0;
    foreach (i = 0 ... n)
        sum += b[i] * c[i];
    a[0] = reduce_add(sum);
}

export void logistic(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float x = b[i];
        for (uniform int k = 0; k < m; k++)
            x = 3.7f * x * (1 - x);
        a[i] = x;
    }
}

export void random_numbers(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) {
        unsigned int x = b[i] | 1, sum = 0;
        for (uniform int k = 0; k < m; k++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            sum += x >> 8;
        }
        a[i] = sum;
    }
}

export void horner(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float x = b[i], y = 0;
        for (uniform int k = 0; k < m; k++)
            y = y * x + c[k];
        a[i] = y;
    }
}

// ---- alignment and size ----------------------------------------------------

export void saxpy_unaligned(ARRAYS(float, float, float)) {
    uniform float *uniform out = &a[1];
    foreach (i = 0 ... n)
        out[i] = 2 * b[i + 1] + c[i + 1];
}

export void triad_large(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n)
        a[i] = 2 * b[i] + c[i];
}
