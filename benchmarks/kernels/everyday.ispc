// Kernels as one meets them, over every shape of loop, one head for all: a is written, b and c are read, n and m are sizes.
#define ARRAYS(A, B, C) uniform A a[], const uniform B b[], const uniform C c[], uniform int n, uniform int m

// streaming: clamp and scale in place
export void clamp_inplace(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n)
        a[i] = clamp(a[i] * 0.5f + b[i], -1.0f, 1.0f);
}

// 1-D stencil in three points, bytes to bytes, rounding
export void blur_bytes(ARRAYS(uint8, uint8, uint8)) {
    foreach (i = 1 ... n - 1)
        a[i] = (b[i - 1] + 2 * b[i] + b[i + 1] + 2) >> 2;
}

// box blur on a float image 5x5
export void box5(ARRAYS(float, float, float)) {
    for (uniform int y = 2; y < m - 2; y++)
        foreach (x = 2 ... n - 2) {
            float s = 0;
            for (uniform int j = -2; j <= 2; j++)
                for (uniform int i = -2; i <= 2; i++)
                    s += b[(y + j) * n + x + i];
            a[y * n + x] = s * 0.04f;
        }
}

// Jacobi 5-point
export void jacobi(ARRAYS(float, float, float)) {
    foreach (y = 1 ... m - 1, x = 1 ... n - 1)
        a[y * n + x] = 0.25f * (b[y * n + x - 1] + b[y * n + x + 1] + b[(y - 1) * n + x] + b[(y + 1) * n + x]);
}

// rgb (3 bytes) to gray
export void rgb3(ARRAYS(uint8, uint8, uint8)) {
    foreach (i = 0 ... n)
        a[i] = (uint8)((77 * b[3 * i] + 150 * b[3 * i + 1] + 29 * b[3 * i + 2] + 128) >> 8);
}

// particles: all pairs forces
export void nbody(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float x = b[i], y = b[n + i], z = b[2 * n + i];
        float fx = 0, fy = 0, fz = 0;
        for (uniform int j = 0; j < n; j++) {
            float dx = b[j] - x, dy = b[n + j] - y, dz = b[2 * n + j] - z;
            float d = dx * dx + dy * dy + dz * dz + 0.01f;
            float w = 1 / (d * sqrt(d));
            fx += dx * w; fy += dy * w; fz += dz * w;
        }
        a[i] = fx; a[n + i] = fy; a[2 * n + i] = fz;
    }
}

// ray against sphere
export void spheres(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float dx = b[i], dy = c[i], dz = 1;
        float best = 1e30;
        for (uniform int j = 0; j < m; j++) {
            uniform float ox = b[j] * 4, oy = c[j] * 4, oz = 3 + j;
            float B = dx * ox + dy * oy + dz * oz, A = dx * dx + dy * dy + dz * dz;
            float C = ox * ox + oy * oy + oz * oz - 1;
            float D = B * B - A * C;
            if (D > 0) {
                float t = (B - sqrt(D)) / A;
                if (t > 0 && t < best) best = t;
            }
        }
        a[i] = best;
    }
}

// odd-even transposition sort pass
export void oddeven(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) a[i] = b[i];
    for (uniform int p = 0; p < 32; p++)
        foreach (i = 0 ... (n - (p & 1)) / 2) {
            int k = 2 * i + (p & 1);
            int lo = min(a[k], a[k + 1]), hi = max(a[k], a[k + 1]);
            a[k] = lo; a[k + 1] = hi;
        }
}

// ELL sparse matrix: columns fixed, column-major
export void ell(ARRAYS(float, int, float)) {
    foreach (i = 0 ... n) {
        float s = 0;
        for (uniform int k = 0; k < m; k++)
            s += c[k * n + i] * c[b[k * n + i]];
        a[i] = s;
    }
}

// value noise 1D hashing
export void noise1(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float x = b[i] * 50;
        int k = (int)floor(x);
        float f = x - k;
        unsigned int h0 = k * 374761393u, h1 = (k + 1) * 374761393u;
        h0 = (h0 ^ (h0 >> 13)) * 1274126177u; h1 = (h1 ^ (h1 >> 13)) * 1274126177u;
        float v0 = (int)(h0 >> 8) * (1.0f / 16777216), v1 = (int)(h1 >> 8) * (1.0f / 16777216);
        float s = f * f * (3 - 2 * f);
        a[i] = v0 + s * (v1 - v0);
    }
}

// matrix times vector, row major, row per outer iteration
export void matvec(ARRAYS(float, float, float)) {
    for (uniform int i = 0; i < m; i++) {
        float s = 0;
        foreach (j = 0 ... n)
            s += b[i * n + j] * c[j];
        a[i] = reduce_add(s);
    }
}

// matrix transposed times vector
export void matvec_t(ARRAYS(float, float, float)) {
    foreach (j = 0 ... n) a[j] = 0;
    for (uniform int i = 0; i < m; i++)
        foreach (j = 0 ... n)
            a[j] += b[i * n + j] * c[i];
}

// xorshift per lane (LCG) to floats
export void lcg(ARRAYS(float, unsigned int, unsigned int)) {
    foreach (i = 0 ... n) {
        unsigned int s = b[i];
        float sum = 0;
        for (uniform int k = 0; k < m; k++) {
            s = s * 1664525u + 1013904223u;
            sum += (int)(s >> 9);
        }
        a[i] = sum;
    }
}

// prefix max
export void running_max(ARRAYS(int, int, int)) {
    uniform int most = -2147483648;
    for (uniform int i = 0; i < n; i++) { most = max(most, b[i]); a[i] = most; }
}

// threshold count
export void count_above(ARRAYS(int, float, float)) {
    int k = 0;
    foreach (i = 0 ... n) if (b[i] > 0.3f) k++;
    a[0] = reduce_add(k);
}

// index of minimum
export void argmin(ARRAYS(int, float, float)) {
    float best = 1e30; int at = 0;
    foreach (i = 0 ... n) if (b[i] < best) { best = b[i]; at = i; }
    uniform float least = reduce_min(best);
    a[0] = reduce_min(best == least ? at : 0x7fffffff);
}

// tolower for ASCII
export void lower(ARRAYS(uint8, uint8, uint8)) {
    foreach (i = 0 ... n) {
        uint8 x = b[i];
        a[i] = x >= 65 && x <= 90 ? x + 32 : x;
    }
}

export void lower_inplace(ARRAYS(uint8, uint8, uint8)) {
    for (uniform int y = 0; y < 31; y++)
    foreach (i = 0 ... n) {
        uint8 x = a[y*n+i];
        a[y*n+i] = x >= 65 && x <= 90 ? x + 32 : x;
    }
}

// count of a letter
export void count_letter(ARRAYS(int, uint8, uint8)) {
    int k = 0;
    foreach (i = 0 ... n) if (b[i] == 101) k++;
    a[0] = reduce_add(k);
}

// xor of bytes with key
export void xor_bytes(ARRAYS(uint8, uint8, uint8)) {
    foreach (i = 0 ... n) a[i] = b[i] ^ c[i & 15];
}

// strided: AoS of 4 floats normalise
export void normalise4(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float x = b[4 * i], y = b[4 * i + 1], z = b[4 * i + 2];
        float r = 1 / sqrt(x * x + y * y + z * z + 1e-9f);
        a[4 * i] = x * r; a[4 * i + 1] = y * r; a[4 * i + 2] = z * r; a[4 * i + 3] = 0;
    }
}

export void aos3(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float x = b[3 * i], y = b[3 * i + 1], z = b[3 * i + 2];
        a[3 * i] = y; a[3 * i + 1] = z * 2; a[3 * i + 2] = x + z;
    }
}

export void every_fourth(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) a[i] = b[4 * i];
}

export void reverse(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) a[i] = b[n - 1 - i];
}

export void int16_add_sat(ARRAYS(int16, int16, int16)) {
    foreach (i = 0 ... n) { int s = (int)b[i] + (int)c[i]; a[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s; }
}

export void transpose64(ARRAYS(double, double, double)) {
    for (uniform int y = 0; y < m; y++)
        foreach (x = 0 ... n)
            a[x * m + y] = b[y * n + x];
}

export void isqrt_int(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) {
        int x = b[i], r = 0;
        for (uniform int bit = 1 << 14; bit > 0; bit >>= 1)
            if ((r + bit) * (r + bit) <= x) r += bit;
        a[i] = r;
    }
}

export void binary_search(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) {
        int x = b[i], lo = 0;
        for (uniform int step = 512; step > 0; step >>= 1)
            if (c[lo + step - 1] < x) lo += step;
        a[i] = lo;
    }
}

export void popcounts(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) a[i] = popcnt(b[i]);
}

export void daxpy(ARRAYS(double, double, double)) {
    foreach (i = 0 ... n) a[i] = 2 * b[i] + c[i];
}

export void int_div(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) a[i] = b[i] / (c[i] | 1);
}

export void mod7(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) a[i] = b[i] % 7;
}
