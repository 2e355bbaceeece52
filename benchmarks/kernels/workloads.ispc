// Workloads of images, sound, text, geometry and number crunching, one head for all: a is written, b and c are read, n and m are sizes.
#define ARRAYS(A, B, C) uniform A a[], const uniform B b[], const uniform C c[], uniform int n, uniform int m

export void starts_of_runs(ARRAYS(int, uint8, uint8)) {
    uniform int k = 0;
    foreach (i = 1 ... n)
        if (b[i] != b[i - 1])
            k += packed_store_active(&a[k], i);
}

export void rgb_to_yuv(ARRAYS(uint8, uint8, uint8)) {
    foreach (i = 0 ... n) {
        int r = b[3 * i], g = b[3 * i + 1], l = b[3 * i + 2];
        a[i] = (66 * r + 129 * g + 25 * l + 4224) >> 8;
        a[n + i] = (-38 * r - 74 * g + 112 * l + 32896) >> 8;
        a[2 * n + i] = (112 * r - 94 * g - 18 * l + 32896) >> 8;
    }
}

export void interleave_bytes(ARRAYS(uint8, uint8, uint8)) {
    foreach (i = 0 ... n) {
        a[3 * i] = b[i];
        a[3 * i + 1] = b[n + i];
        a[3 * i + 2] = b[2 * n + i];
    }
}

export void bilinear(ARRAYS(float, float, float)) {
    for (uniform int y = 0; y < m; y++) {
        uniform float v = y * 0.7f;
        uniform int y0 = (uniform int)v;
        uniform float fy = v - y0;
        foreach (x = 0 ... n) {
            float u = x * 0.6f;
            int x0 = (int)u;
            float fx = u - x0;
            int p = y0 * n + x0;
            float top = b[p] + fx * (b[p + 1] - b[p]), low = b[p + n] + fx * (b[p + n + 1] - b[p + n]);
            a[y * n + x] = top + fy * (low - top);
        }
    }
}

export void erode(ARRAYS(uint8, uint8, uint8)) {
    foreach (y = 1 ... m - 1, x = 1 ... n - 1) {
        uint8 s = 255;
        for (uniform int j = -1; j <= 1; j++)
            for (uniform int i = -1; i <= 1; i++)
                s = min(s, b[(y + j) * n + x + i]);
        a[y * n + x] = s;
    }
}

export void integral(ARRAYS(int, uint8, int)) {
    foreach (x = 0 ... n)
        a[x] = 0;
    for (uniform int y = 1; y < m; y++) {
        uniform int before = 0;
        foreach (x = 0 ... n) {
            int v = b[y * n + x];
            a[y * n + x] = a[(y - 1) * n + x] + before + exclusive_scan_add(v) + v;
            before += reduce_add(v);
        }
    }
}

export void dct8(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n)
        for (uniform int k = 0; k < 8; k++) {
            float s = 0;
            for (uniform int j = 0; j < 8; j++)
                s += b[8 * i + j] * c[8 * k + j];
            a[8 * i + k] = s;
        }
}

export void fir(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n)
        a[i] = 0.02f * b[i] + 0.1f * b[i + 1] + 0.38f * b[i + 3] + 0.3f * b[i + 4] + 0.38f * b[i + 5] - 0.1f * b[i + 7] - 0.02f * b[i + 8];
}

export void biquad(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float x1 = 0, x2 = 0, y1 = 0, y2 = 0;
        for (uniform int t = 0; t < m; t++) {
            float x = b[t * n + i];
            float y = 0.2f * x + 0.4f * x1 + 0.2f * x2 + 0.5f * y1 - 0.3f * y2;
            x2 = x1; x1 = x; y2 = y1; y1 = y;
            a[t * n + i] = y;
        }
    }
}

export void crc_rows(ARRAYS(uint32, uint8, uint32)) {
    foreach (i = 0 ... n) {
        uint32 s = 0xFFFFFFFF;
        for (uniform int k = 0; k < m; k++)
            s = c[(s ^ b[i * m + k]) & 255] ^ (s >> 8);
        a[i] = ~s;
    }
}

export void base64(ARRAYS(uint8, uint8, uint8)) {
    foreach (i = 0 ... n) {
        uint32 v = ((uint32)b[3 * i] << 16) | ((uint32)b[3 * i + 1] << 8) | b[3 * i + 2];
        for (uniform int k = 0; k < 4; k++)
            a[4 * i + k] = c[(v >> (18 - 6 * k)) & 63];
    }
}

export void hex(ARRAYS(uint8, uint8, uint8)) {
    foreach (i = 0 ... n) {
        uint8 h = b[i] >> 4, l = b[i] & 15;
        a[2 * i] = h + (h < 10 ? 48 : 87);
        a[2 * i + 1] = l + (l < 10 ? 48 : 87);
    }
}

export void utf8_count(ARRAYS(int, uint8, uint8)) {
    int k = 0;
    foreach (i = 0 ... n)
        k += (b[i] & 0xC0) != 0x80 ? 1 : 0;
    a[0] = reduce_add(k);
}

export void hamming(ARRAYS(int, uint32, uint32)) {
    foreach (i = 0 ... n) {
        int d = 0;
        for (uniform int k = 0; k < m; k++)
            d += popcnt((int)(b[k * n + i] ^ c[k]));
        a[i] = d;
    }
}

export void mix_audio(ARRAYS(int16, int16, int16)) {
    foreach (i = 0 ... n) {
        int s = (b[i] * 19000 + c[i] * 23000) >> 15;
        a[i] = clamp(s, -32768, 32767);
    }
}

export void alaw(ARRAYS(int16, uint8, int16)) {
    foreach (i = 0 ... n)
        a[i] = c[b[i]];
}

export void complex_multiply(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float x = b[2 * i], y = b[2 * i + 1], u = c[2 * i], v = c[2 * i + 1];
        a[2 * i] = x * u - y * v;
        a[2 * i + 1] = x * v + y * u;
    }
}

export void quaternions(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float w = b[4 * i], x = b[4 * i + 1], y = b[4 * i + 2], z = b[4 * i + 3];
        float p = c[4 * i], q = c[4 * i + 1], r = c[4 * i + 2], s = c[4 * i + 3];
        a[4 * i] = w * p - x * q - y * r - z * s;
        a[4 * i + 1] = w * q + x * p + y * s - z * r;
        a[4 * i + 2] = w * r - x * s + y * p + z * q;
        a[4 * i + 3] = w * s + x * r - y * q + z * p;
    }
}

export void transform4(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n)
        for (uniform int r = 0; r < 4; r++)
            a[4 * i + r] = c[4 * r] * b[4 * i] + c[4 * r + 1] * b[4 * i + 1] + c[4 * r + 2] * b[4 * i + 2] + c[4 * r + 3] * b[4 * i + 3];
}

static inline uint32 shifted(uint32 s) {
    s ^= s << 13;
    s ^= s >> 17;
    return s ^ (s << 5);
}

export void pi_points(ARRAYS(int, uint32, int)) {
    foreach (i = 0 ... n) {
        uint32 s = b[i] | 1;
        int k = 0;
        for (uniform int t = 0; t < m; t++) {
            s = shifted(s);
            float x = (int)(s >> 8) * (1.0f / 16777216);
            s = shifted(s);
            float y = (int)(s >> 8) * (1.0f / 16777216);
            if (x * x + y * y < 1)
                k++;
        }
        a[i] = k;
    }
}

export void value_noise2(ARRAYS(float, int, float)) {
    foreach (y = 0 ... m, x = 0 ... n) {
        float u = x * 0.13f, v = y * 0.17f;
        int i = (int)u, j = (int)v;
        float f = u - i, g = v - j;
        f = f * f * (3 - 2 * f);
        g = g * g * (3 - 2 * g);
        int p = b[i & 255], q = b[(i + 1) & 255];
        float s = c[(p + j) & 255], t = c[(q + j) & 255], w = c[(p + j + 1) & 255], z = c[(q + j + 1) & 255];
        float top = s + f * (t - s), low = w + f * (z - w);
        a[y * n + x] = top + g * (low - top);
    }
}

export void mandelbrot64(ARRAYS(int, double, double)) {
    foreach (i = 0 ... n) {
        double x = 0, y = 0;
        int k = 0;
        while (k < m && x * x + y * y < 4) {
            double t = x * x - y * y + b[i];
            y = 2 * x * y + c[i];
            x = t;
            k++;
        }
        a[i] = k;
    }
}

export void heat3d(ARRAYS(float, float, float)) {
    foreach (z = 1 ... m - 1, y = 1 ... m - 1, x = 1 ... n - 1) {
        int i = (z * m + y) * n + x;
        a[i] = 0.4f * b[i] + 0.1f * (b[i - 1] + b[i + 1] + b[i - n] + b[i + n] + b[i - n * m] + b[i + n * m]);
    }
}

export void tridiagonal(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float w[64];
        float p = 0, q = 0;
        for (uniform int k = 0; k < m; k++) {
            float d = 1 / (4 - p);
            p = d;
            w[k] = d;
            q = (b[k * n + i] + q) * d;
            a[k * n + i] = q;
        }
        for (uniform int k = m - 2; k >= 0; k--) {
            q = a[k * n + i] + w[k] * q;
            a[k * n + i] = q;
        }
    }
}

export void nearest(ARRAYS(int, float, float)) {
    foreach (i = 0 ... n) {
        float best = 1e30f;
        int at = 0;
        for (uniform int k = 0; k < m; k++) {
            float x = b[i] - c[2 * k], y = b[n + i] - c[2 * k + 1];
            float d = x * x + y * y;
            if (d < best) {
                best = d;
                at = k;
            }
        }
        a[i] = at;
    }
}

export void bucket_sizes(ARRAYS(int, float, float)) {
    foreach (k = 0 ... 64)
        a[k] = 0;
    foreach (i = 0 ... n)
        atomic_add_local(&a[(int)(b[i] * 64)], 1);
}

export void relax(ARRAYS(float, int, float)) {
    foreach (k = 0 ... m)
        a[k] = k & 31;
    for (uniform int i = 0; i < n; i++) {
        uniform float d = a[b[i]] + c[i];
        uniform int to = b[n + i];
        if (d < a[to])
            a[to] = d;
    }
}

export void ray_box(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float ix = 1 / b[i], iy = 1 / b[n + i], iz = 1 / c[i];
        float x0 = -1 * ix, x1 = 2 * ix, y0 = -0.5f * iy, y1 = 1.5f * iy, z0 = 0.25f * iz, z1 = 3 * iz;
        float t0 = max(max(min(x0, x1), min(y0, y1)), min(z0, z1)), t1 = min(min(max(x0, x1), max(y0, y1)), max(z0, z1));
        a[i] = t0 <= t1 ? t0 : -1;
    }
}

export void ray_triangles(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float dx = b[i] - 0.5f, dy = b[n + i] - 0.5f, dz = 1, best = 1e30f;
        for (uniform int k = 0; k < m; k++) {
            const uniform float * uniform t = c + 9 * k;
            uniform float e1x = t[3], e1y = t[4], e1z = t[5], e2x = t[6], e2y = t[7], e2z = t[8];
            float px = dy * e2z - dz * e2y, py = dz * e2x - dx * e2z, pz = dx * e2y - dy * e2x;
            float det = e1x * px + e1y * py + e1z * pz;
            float inv = 1 / (det + 1e-6f);
            uniform float sx = -t[0], sy = -t[1], sz = -t[2];
            float u = (sx * px + sy * py + sz * pz) * inv;
            uniform float qx = sy * e1z - sz * e1y, qy = sz * e1x - sx * e1z, qz = sx * e1y - sy * e1x;
            float v = (dx * qx + dy * qy + dz * qz) * inv;
            float d = (e2x * qx + e2y * qy + e2z * qz) * inv;
            if (u >= 0 && v >= 0 && u + v <= 1 && d > 0 && d < best)
                best = d;
        }
        a[i] = best;
    }
}

export void bit_reverse(ARRAYS(uint32, uint32, uint32)) {
    foreach (i = 0 ... n) {
        uint32 v = b[i];
        v = ((v >> 1) & 0x55555555) | ((v & 0x55555555) << 1);
        v = ((v >> 2) & 0x33333333) | ((v & 0x33333333) << 2);
        v = ((v >> 4) & 0x0F0F0F0F) | ((v & 0x0F0F0F0F) << 4);
        v = ((v >> 8) & 0x00FF00FF) | ((v & 0x00FF00FF) << 8);
        a[i] = (v >> 16) | (v << 16);
    }
}

export void gather_u8(ARRAYS(float, uint8, float)) {
    foreach (i = 0 ... n)
        a[i] = c[b[i]];
}

export void gather_u16(ARRAYS(int, uint16, int)) {
    foreach (i = 0 ... n)
        a[i] = c[b[i]];
}

export void match_keys(ARRAYS(int, uint8, uint8)) {
    foreach (i = 0 ... n) {
        int k = 0;
        while (k < 16 && b[16 * i + k] == c[k])
            k++;
        a[i] = k;
    }
}

export void parse_digits(ARRAYS(int, uint8, uint8)) {
    foreach (i = 0 ... n) {
        int v = 0;
        for (uniform int k = 0; k < 8; k++)
            v = v * 10 + (b[8 * i + k] - 48);
        a[i] = v;
    }
}

export void layer_norm(ARRAYS(float, float, float)) {
    for (uniform int y = 0; y < m; y++) {
        float s = 0, q = 0;
        foreach (x = 0 ... n) {
            float v = b[y * n + x];
            s += v;
            q += v * v;
        }
        uniform float mean = reduce_add(s) / n;
        uniform float scale = 1 / sqrt(reduce_add(q) / n - mean * mean + 1e-5f);
        foreach (x = 0 ... n)
            a[y * n + x] = (b[y * n + x] - mean) * scale;
    }
}

export void absolute_differences(ARRAYS(int, uint8, uint8)) {
    int s = 0;
    foreach (i = 0 ... n)
        s += abs((int)b[i] - (int)c[i]);
    a[0] = reduce_add(s);
}

export void blend_over(ARRAYS(uint8, uint8, uint8)) {
    foreach (i = 0 ... n) {
        int t = 255 - b[4 * i + 3];
        for (uniform int k = 0; k < 4; k++) {
            int v = c[4 * i + k] * t + 128;
            a[4 * i + k] = b[4 * i + k] + ((v + (v >> 8)) >> 8);
        }
    }
}

export void halve_bytes(ARRAYS(uint8, uint8, uint8)) {
    foreach (y = 0 ... m, x = 0 ... n) {
        int v = 2 + b[4 * y * n + 2 * x] + b[4 * y * n + 2 * x + 1] + b[(4 * y + 2) * n + 2 * x] + b[(4 * y + 2) * n + 2 * x + 1];
        a[y * n + x] = v >> 2;
    }
}

export void double_pixels(ARRAYS(int, int, int)) {
    foreach (i = 0 ... n) {
        a[2 * i] = b[i];
        a[2 * i + 1] = b[i];
    }
}

export void extremes(ARRAYS(float, float, float)) {
    float lo = 1e30f, hi = -1e30f;
    foreach (i = 0 ... n) {
        lo = min(lo, b[i]);
        hi = max(hi, b[i]);
    }
    a[0] = reduce_min(lo);
    a[1] = reduce_max(hi);
}

export void stereo_to_float(ARRAYS(float, int16, int16)) {
    foreach (i = 0 ... n) {
        a[i] = b[2 * i] * (1 / 32768.0f);
        a[n + i] = b[2 * i + 1] * (1 / 32768.0f);
    }
}

export void float_to_pcm(ARRAYS(int16, float, float)) {
    foreach (i = 0 ... n)
        a[i] = (int16)(int)clamp(b[i] * 70000 - 35000, -32768.0f, 32767.0f);
}

export void byte_swap(ARRAYS(uint32, uint32, uint32)) {
    foreach (i = 0 ... n) {
        uint32 v = b[i];
        a[i] = (v << 24) | ((v & 0xFF00) << 8) | ((v >> 8) & 0xFF00) | (v >> 24);
    }
}

export void mix64(ARRAYS(uint64, uint64, uint64)) {
    foreach (i = 0 ... n) {
        uint64 v = b[i] + 0x9E3779B97F4A7C15ull;
        v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9ull;
        v = (v ^ (v >> 27)) * 0x94D049BB133111EBull;
        a[i] = v ^ (v >> 31);
    }
}

export void bytes_to_floats(ARRAYS(float, uint8, uint8)) {
    foreach (i = 0 ... n)
        a[i] = (b[i] - 127.5f) * (1 / 127.5f);
}

export void row_gradient(ARRAYS(float, float, float)) {
    foreach (y = 0 ... m, x = 0 ... n)
        a[y * n + x] = b[y * n + min(x + 1, n - 1)] - b[y * n + max(x - 1, 0)];
}

export void matrix3(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float p[9];
        for (uniform int k = 0; k < 9; k++)
            p[k] = b[9 * i + k];
        a[i] = p[0] * (p[4] * p[8] - p[5] * p[7]) - p[1] * (p[3] * p[8] - p[5] * p[6]) + p[2] * (p[3] * p[7] - p[4] * p[6]);
    }
}

export void collide(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float x = b[i] + 0.01f * c[i], v = c[i];
        if (x < 0.1f) {
            x = 0.2f - x;
            v = -v;
        }
        if (x > 0.9f) {
            x = 1.8f - x;
            v = -v * 0.5f;
        }
        a[i] = x;
        a[n + i] = v;
    }
}

export void moving_average(ARRAYS(float, float, float)) {
    foreach (i = 0 ... n) {
        float s = 0;
        for (uniform int k = 0; k < m; k++)
            s += b[i + k];
        a[i] = s / m;
    }
}

export void dot_bytes(ARRAYS(int, uint8, int8)) {
    int s = 0;
    foreach (i = 0 ... n)
        s += (int)b[i] * c[i];
    a[0] = reduce_add(s);
}

export void first_above(ARRAYS(int, float, float)) {
    foreach (y = 0 ... m) {
        int at = n;
        for (int x = 0; x < n; x++)
            if (b[y * n + x] > 0.98f) {
                at = x;
                break;
            }
        a[y] = at;
    }
}

export void quantise(ARRAYS(int8, float, float)) {
    foreach (i = 0 ... n)
        a[i] = (int8)(int)clamp(b[i] * 300 - 150, -128.0f, 127.0f);
}
