/* The same as kernels/by_shape.ispc, as it is written in C. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define KERNEL(name, A, B, C) void name(A *restrict a, const B *restrict b, const C *restrict c, int n, int m)
#define FOR(i, n) for (int i = 0; i < (n); i++)

KERNEL(collatz, int, int, int) {
    FOR(i, n) {
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

KERNEL(mandelbrot, int, float, float) {
    FOR(i, n) {
        float x = b[i], y = c[i], zx = x, zy = y;
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

KERNEL(gcd64, int64_t, int64_t, int64_t) {
    FOR(i, n) {
        int64_t x = b[i], y = c[i];
        while (x != y) {
            if (x > y)
                x -= y;
            else
                y -= x;
        }
        a[i] = x;
    }
}

KERNEL(lattice, float, float, float) {
    FOR(i, n) {
        float v[64];
        float price = b[i], strike = c[i];
        float up = 1.02f, down = 1 / up, p = 0.55f, q = 0.44f;
        float s = price;
        FOR(k, 64) {
            v[k] = MAX(0.0f, strike - s);
            s *= up;
        }
        for (int j = 63; j > 0; j--) {
            price *= down;
            s = price;
            FOR(k, j) {
                v[k] = MAX(p * v[k + 1] + q * v[k], strike - s);
                s *= up;
            }
        }
        a[i] = v[0];
    }
}

KERNEL(newton, float, float, float) {
    FOR(i, n) {
        float t = b[i] + 1, x = t;
        for (;;) {
            float next = (2 * x + t / (x * x)) * (1.0f / 3);
            if (fabsf(next - x) <= 1e-6f * x)
                break;
            x = next;
        }
        a[i] = x;
    }
}

KERNEL(sparse_rows, float, int, int) {
    const float *value = (const float *)&c[m];
    FOR(i, n) {
        float sum = 0;
        for (int k = b[i]; k < b[i + 1]; k++)
            sum += value[k] * value[c[k]];
        a[i] = sum;
    }
}

KERNEL(row_sums, float, float, float) {
    FOR(i, n) {
        float sum = 0;
        FOR(k, m)
            sum += b[i * m + k];
        a[i] = sum;
    }
}

KERNEL(string_lengths, int, int, uint8_t) {
    FOR(i, n) {
        int start = b[i], k = start;
        while (c[k] != 0)
            k++;
        a[i] = k - start;
    }
}

KERNEL(string_hashes, int, int, uint8_t) {
    FOR(i, n) {
        unsigned int hash = 2166136261;
        for (int k = b[i]; c[k] != 0; k++)
            hash = (hash ^ c[k]) * 16777619;
        a[i] = hash;
    }
}

KERNEL(transpose, float, float, float) {
    FOR(y, m)
        FOR(x, n)
            a[x * m + y] = b[y * n + x];
}

KERNEL(transpose_bytes, uint8_t, uint8_t, uint8_t) {
    FOR(y, m)
        FOR(x, n)
            a[x * m + y] = b[y * n + x];
}

KERNEL(column_sums, float, float, float) {
    FOR(x, n)
        a[x] = 0;
    FOR(y, m)
        FOR(x, n)
            a[x] += b[y * n + x];
}

KERNEL(exchange, float, float, float) {
    for (int j = m; j > 0; j >>= 1)
        FOR(i, n)
            a[i] = b[i ^ j] + a[i];
}

KERNEL(bitonic_sort, int, int, int) {
    memcpy(a, b, sizeof(int) * n);
    for (int k = 2; k <= n; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1)
            FOR(i, n) {
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

KERNEL(walsh_hadamard, float, float, float) {
    memcpy(a, b, sizeof(float) * n);
    for (int j = 1; j < n; j <<= 1)
        for (int i = 0; i < n; i += 2 * j)
            FOR(k, j) {
                float x = a[i + k], y = a[i + k + j];
                a[i + k] = x + y;
                a[i + k + j] = x - y;
            }
}

KERNEL(active_lanes, int, int, int) {
    FOR(i, n)
        if (b[i] & 1)
            a[b[i] & 255] += 1;
}

KERNEL(unique_values, int, int, int) {
    FOR(i, n)
        a[b[i] & 3] += 1;
}

KERNEL(histogram, int, int, int) {
    FOR(i, n)
        a[b[i] & 255] += 1;
}

KERNEL(scan, int, int, int) {
    int sum = 0;
    FOR(i, n) {
        a[i] = sum;
        sum += b[i];
    }
}

KERNEL(lookup, float, int, float) {
    FOR(i, n)
        a[i] = c[b[i] & 1023] * 2;
}

KERNEL(lookup_bytes, uint8_t, uint8_t, uint8_t) {
    FOR(i, n)
        a[i] = c[b[i]];
}

KERNEL(scatter, float, int, float) {
    FOR(i, n)
        a[b[i] & 1023] = c[i & 1023];
}

KERNEL(scatter_some, float, int, float) {
    FOR(i, n)
        if (b[i] & 4096)
            a[b[i] & 1023] = c[i & 1023];
}

KERNEL(sum, float, float, float) {
    float sum = 0;
    FOR(i, n)
        sum += b[i];
    a[0] = sum;
}

KERNEL(dot, float, float, float) {
    float sum = 0;
    FOR(i, n)
        sum += b[i] * c[i];
    a[0] = sum;
}

KERNEL(logistic, float, float, float) {
    FOR(i, n) {
        float x = b[i];
        FOR(k, m)
            x = 3.7f * x * (1 - x);
        a[i] = x;
    }
}

KERNEL(random_numbers, int, int, int) {
    FOR(i, n) {
        unsigned int x = b[i] | 1, sum = 0;
        FOR(k, m) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            sum += x >> 8;
        }
        a[i] = sum;
    }
}

KERNEL(horner, float, float, float) {
    FOR(i, n) {
        float x = b[i], y = 0;
        FOR(k, m)
            y = y * x + c[k];
        a[i] = y;
    }
}

KERNEL(saxpy_unaligned, float, float, float) {
    float *out = &a[1];
    FOR(i, n)
        out[i] = 2 * b[i + 1] + c[i + 1];
}

KERNEL(triad_large, float, float, float) {
    FOR(i, n)
        a[i] = 2 * b[i] + c[i];
}
