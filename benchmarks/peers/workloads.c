/* The same as kernels/workloads.ispc, as it is written in C, and the timing loop. */
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#include <time.h>
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define KERNEL(name, A, B, C) void name(A *restrict a, const B *restrict b, const C *restrict c, int n, int m)
KERNEL(starts_of_runs, int, uint8_t, uint8_t) { int k = 0; for (int i = 1; i < n; i++) if (b[i] != b[i - 1]) a[k++] = i; }
KERNEL(rgb_to_yuv, uint8_t, uint8_t, uint8_t) { for (int i = 0; i < n; i++) { int r = b[3 * i], g = b[3 * i + 1], l = b[3 * i + 2]; a[i] = (66 * r + 129 * g + 25 * l + 4224) >> 8; a[n + i] = (-38 * r - 74 * g + 112 * l + 32896) >> 8; a[2 * n + i] = (112 * r - 94 * g - 18 * l + 32896) >> 8; } }
KERNEL(interleave_bytes, uint8_t, uint8_t, uint8_t) { for (int i = 0; i < n; i++) { a[3 * i] = b[i]; a[3 * i + 1] = b[n + i]; a[3 * i + 2] = b[2 * n + i]; } }
KERNEL(bilinear, float, float, float) { for (int y = 0; y < m; y++) { float v = y * 0.7f; int y0 = (int)v; float fy = v - y0; for (int x = 0; x < n; x++) { float u = x * 0.6f; int x0 = (int)u; float fx = u - x0; const float *p = b + y0 * n + x0; float top = p[0] + fx * (p[1] - p[0]), low = p[n] + fx * (p[n + 1] - p[n]); a[y * n + x] = top + fy * (low - top); } } }
KERNEL(erode, uint8_t, uint8_t, uint8_t) { for (int y = 1; y < m - 1; y++) for (int x = 1; x < n - 1; x++) { uint8_t s = 255; for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) s = MIN(s, b[(y + j) * n + x + i]); a[y * n + x] = s; } }
KERNEL(integral, int, uint8_t, int) { for (int x = 0; x < n; x++) a[x] = 0; for (int y = 1; y < m; y++) { int s = 0; for (int x = 0; x < n; x++) { s += b[y * n + x]; a[y * n + x] = a[(y - 1) * n + x] + s; } } }
KERNEL(dct8, float, float, float) { for (int i = 0; i < n; i++) for (int k = 0; k < 8; k++) { float s = 0; for (int j = 0; j < 8; j++) s += b[8 * i + j] * c[8 * k + j]; a[8 * i + k] = s; } }
KERNEL(fir, float, float, float) { for (int i = 0; i < n; i++) a[i] = 0.02f * b[i] + 0.1f * b[i + 1] + 0.38f * b[i + 3] + 0.3f * b[i + 4] + 0.38f * b[i + 5] - 0.1f * b[i + 7] - 0.02f * b[i + 8]; }
KERNEL(biquad, float, float, float) { for (int i = 0; i < n; i++) { float x1 = 0, x2 = 0, y1 = 0, y2 = 0; for (int t = 0; t < m; t++) { float x = b[t * n + i]; float y = 0.2f * x + 0.4f * x1 + 0.2f * x2 + 0.5f * y1 - 0.3f * y2; x2 = x1; x1 = x; y2 = y1; y1 = y; a[t * n + i] = y; } } }
KERNEL(crc_rows, uint32_t, uint8_t, uint32_t) { for (int i = 0; i < n; i++) { uint32_t s = ~0u; for (int k = 0; k < m; k++) s = c[(s ^ b[i * m + k]) & 255] ^ (s >> 8); a[i] = ~s; } }
KERNEL(base64, uint8_t, uint8_t, uint8_t) { for (int i = 0; i < n; i++) { uint32_t v = b[3 * i] << 16 | b[3 * i + 1] << 8 | b[3 * i + 2]; for (int k = 0; k < 4; k++) a[4 * i + k] = c[v >> (18 - 6 * k) & 63]; } }
KERNEL(hex, uint8_t, uint8_t, uint8_t) { for (int i = 0; i < n; i++) { uint8_t h = b[i] >> 4, l = b[i] & 15; a[2 * i] = h + (h < 10 ? '0' : 'a' - 10); a[2 * i + 1] = l + (l < 10 ? '0' : 'a' - 10); } }
KERNEL(utf8_count, int, uint8_t, uint8_t) { int k = 0; for (int i = 0; i < n; i++) k += (b[i] & 0xC0) != 0x80; a[0] = k; }
KERNEL(hamming, int, uint32_t, uint32_t) { for (int i = 0; i < n; i++) { int d = 0; for (int k = 0; k < m; k++) d += __builtin_popcount(b[k * n + i] ^ c[k]); a[i] = d; } }
KERNEL(mix_audio, int16_t, int16_t, int16_t) { for (int i = 0; i < n; i++) { int s = (b[i] * 19000 + c[i] * 23000) >> 15; a[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s; } }
KERNEL(alaw, int16_t, uint8_t, int16_t) { for (int i = 0; i < n; i++) a[i] = c[b[i]]; }
KERNEL(complex_multiply, float, float, float) { for (int i = 0; i < n; i++) { float x = b[2 * i], y = b[2 * i + 1], u = c[2 * i], v = c[2 * i + 1]; a[2 * i] = x * u - y * v; a[2 * i + 1] = x * v + y * u; } }
KERNEL(quaternions, float, float, float) { for (int i = 0; i < n; i++) { float w = b[4 * i], x = b[4 * i + 1], y = b[4 * i + 2], z = b[4 * i + 3], p = c[4 * i], q = c[4 * i + 1], r = c[4 * i + 2], s = c[4 * i + 3]; a[4 * i] = w * p - x * q - y * r - z * s; a[4 * i + 1] = w * q + x * p + y * s - z * r; a[4 * i + 2] = w * r - x * s + y * p + z * q; a[4 * i + 3] = w * s + x * r - y * q + z * p; } }
KERNEL(transform4, float, float, float) { for (int i = 0; i < n; i++) for (int r = 0; r < 4; r++) a[4 * i + r] = c[4 * r] * b[4 * i] + c[4 * r + 1] * b[4 * i + 1] + c[4 * r + 2] * b[4 * i + 2] + c[4 * r + 3] * b[4 * i + 3]; }
KERNEL(pi_points, int, uint32_t, int) { for (int i = 0; i < n; i++) { uint32_t s = b[i] | 1; int k = 0; for (int t = 0; t < m; t++) { s ^= s << 13; s ^= s >> 17; s ^= s << 5; float x = (int)(s >> 8) * (1.0f / 16777216); s ^= s << 13; s ^= s >> 17; s ^= s << 5; float y = (int)(s >> 8) * (1.0f / 16777216); if (x * x + y * y < 1) k++; } a[i] = k; } }
KERNEL(value_noise2, float, int, float) { for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) { float u = x * 0.13f, v = y * 0.17f; int i = (int)u, j = (int)v; float f = u - i, g = v - j; f = f * f * (3 - 2 * f); g = g * g * (3 - 2 * g); int p = b[i & 255], q = b[(i + 1) & 255]; float s = c[(p + j) & 255], t = c[(q + j) & 255], w = c[(p + j + 1) & 255], z = c[(q + j + 1) & 255]; float top = s + f * (t - s), low = w + f * (z - w); a[y * n + x] = top + g * (low - top); } }
KERNEL(mandelbrot64, int, double, double) { for (int i = 0; i < n; i++) { double x = 0, y = 0; int k = 0; while (k < m && x * x + y * y < 4) { double t = x * x - y * y + b[i]; y = 2 * x * y + c[i]; x = t; k++; } a[i] = k; } }
KERNEL(heat3d, float, float, float) { for (int z = 1; z < m - 1; z++) for (int y = 1; y < m - 1; y++) for (int x = 1; x < n - 1; x++) { int i = (z * m + y) * n + x; a[i] = 0.4f * b[i] + 0.1f * (b[i - 1] + b[i + 1] + b[i - n] + b[i + n] + b[i - n * m] + b[i + n * m]); } }
KERNEL(tridiagonal, float, float, float) { for (int i = 0; i < n; i++) { float w[64], p = 0, q = 0; for (int k = 0; k < m; k++) { float d = 1 / (4 - p); p = d; w[k] = d; q = (b[k * n + i] + q) * d; a[k * n + i] = q; } for (int k = m - 2; k >= 0; k--) { q = a[k * n + i] + w[k] * q; a[k * n + i] = q; } } }
KERNEL(nearest, int, float, float) { for (int i = 0; i < n; i++) { float best = 1e30f; int at = 0; for (int k = 0; k < m; k++) { float x = b[i] - c[2 * k], y = b[n + i] - c[2 * k + 1], d = x * x + y * y; if (d < best) { best = d; at = k; } } a[i] = at; } }
KERNEL(bucket_sizes, int, float, float) { for (int k = 0; k < 64; k++) a[k] = 0; for (int i = 0; i < n; i++) a[(int)(b[i] * 64)]++; }
KERNEL(relax, float, int, float) { for (int k = 0; k < m; k++) a[k] = k & 31; for (int i = 0; i < n; i++) { float d = a[b[i]] + c[i]; int to = b[n + i]; if (d < a[to]) a[to] = d; } }
KERNEL(ray_box, float, float, float) { for (int i = 0; i < n; i++) { float ix = 1 / b[i], iy = 1 / b[n + i], iz = 1 / c[i]; float x0 = -1 * ix, x1 = 2 * ix, y0 = -0.5f * iy, y1 = 1.5f * iy, z0 = 0.25f * iz, z1 = 3 * iz; float t0 = MAX(MAX(MIN(x0, x1), MIN(y0, y1)), MIN(z0, z1)), t1 = MIN(MIN(MAX(x0, x1), MAX(y0, y1)), MAX(z0, z1)); a[i] = t0 <= t1 ? t0 : -1; } }
KERNEL(ray_triangles, float, float, float) { for (int i = 0; i < n; i++) { float dx = b[i] - 0.5f, dy = b[n + i] - 0.5f, dz = 1, best = 1e30f; for (int k = 0; k < m; k++) { const float *t = c + 9 * k; float e1x = t[3], e1y = t[4], e1z = t[5], e2x = t[6], e2y = t[7], e2z = t[8]; float px = dy * e2z - dz * e2y, py = dz * e2x - dx * e2z, pz = dx * e2y - dy * e2x; float det = e1x * px + e1y * py + e1z * pz; float inv = 1 / (det + 1e-6f); float sx = -t[0], sy = -t[1], sz = -t[2]; float u = (sx * px + sy * py + sz * pz) * inv; float qx = sy * e1z - sz * e1y, qy = sz * e1x - sx * e1z, qz = sx * e1y - sy * e1x; float v = (dx * qx + dy * qy + dz * qz) * inv; float d = (e2x * qx + e2y * qy + e2z * qz) * inv; if (u >= 0 && v >= 0 && u + v <= 1 && d > 0 && d < best) best = d; } a[i] = best; } }
KERNEL(bit_reverse, uint32_t, uint32_t, uint32_t) { for (int i = 0; i < n; i++) { uint32_t v = b[i]; v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1; v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2; v = (v >> 4 & 0x0F0F0F0F) | (v & 0x0F0F0F0F) << 4; v = (v >> 8 & 0x00FF00FF) | (v & 0x00FF00FF) << 8; a[i] = v >> 16 | v << 16; } }
KERNEL(gather_u8, float, uint8_t, float) { for (int i = 0; i < n; i++) a[i] = c[b[i]]; }
KERNEL(gather_u16, int, uint16_t, int) { for (int i = 0; i < n; i++) a[i] = c[b[i]]; }
KERNEL(match_keys, int, uint8_t, uint8_t) { for (int i = 0; i < n; i++) { int k = 0; while (k < 16 && b[16 * i + k] == c[k]) k++; a[i] = k; } }
KERNEL(parse_digits, int, uint8_t, uint8_t) { for (int i = 0; i < n; i++) { int v = 0; for (int k = 0; k < 8; k++) v = v * 10 + (b[8 * i + k] - '0'); a[i] = v; } }
KERNEL(layer_norm, float, float, float) { for (int y = 0; y < m; y++) { float s = 0, q = 0; for (int x = 0; x < n; x++) { float v = b[y * n + x]; s += v; q += v * v; } float mean = s / n, scale = 1 / sqrtf(q / n - mean * mean + 1e-5f); for (int x = 0; x < n; x++) a[y * n + x] = (b[y * n + x] - mean) * scale; } }
KERNEL(absolute_differences, int, uint8_t, uint8_t) { int s = 0; for (int i = 0; i < n; i++) s += abs(b[i] - c[i]); a[0] = s; }
KERNEL(blend_over, uint8_t, uint8_t, uint8_t) { for (int i = 0; i < n; i++) { int t = 255 - b[4 * i + 3]; for (int k = 0; k < 4; k++) { int v = c[4 * i + k] * t + 128; a[4 * i + k] = b[4 * i + k] + ((v + (v >> 8)) >> 8); } } }
KERNEL(halve_bytes, uint8_t, uint8_t, uint8_t) { for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) a[y * n + x] = (b[4 * y * n + 2 * x] + b[4 * y * n + 2 * x + 1] + b[(4 * y + 2) * n + 2 * x] + b[(4 * y + 2) * n + 2 * x + 1] + 2) >> 2; }
KERNEL(double_pixels, int, int, int) { for (int i = 0; i < n; i++) { a[2 * i] = b[i]; a[2 * i + 1] = b[i]; } }
KERNEL(extremes, float, float, float) { float lo = 1e30f, hi = -1e30f; for (int i = 0; i < n; i++) { lo = MIN(lo, b[i]); hi = MAX(hi, b[i]); } a[0] = lo; a[1] = hi; }
KERNEL(stereo_to_float, float, int16_t, int16_t) { for (int i = 0; i < n; i++) { a[i] = b[2 * i] * (1 / 32768.0f); a[n + i] = b[2 * i + 1] * (1 / 32768.0f); } }
KERNEL(float_to_pcm, int16_t, float, float) { for (int i = 0; i < n; i++) { float v = b[i] * 70000 - 35000; v = MIN(MAX(v, -32768.0f), 32767.0f); a[i] = (int16_t)(int)v; } }
KERNEL(byte_swap, uint32_t, uint32_t, uint32_t) { for (int i = 0; i < n; i++) { uint32_t v = b[i]; a[i] = v << 24 | (v & 0xFF00) << 8 | (v >> 8 & 0xFF00) | v >> 24; } }
KERNEL(mix64, uint64_t, uint64_t, uint64_t) { for (int i = 0; i < n; i++) { uint64_t v = b[i] + 0x9E3779B97F4A7C15u; v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9u; v = (v ^ v >> 27) * 0x94D049BB133111EBu; a[i] = v ^ v >> 31; } }
KERNEL(bytes_to_floats, float, uint8_t, uint8_t) { for (int i = 0; i < n; i++) a[i] = (b[i] - 127.5f) * (1 / 127.5f); }
KERNEL(row_gradient, float, float, float) { for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) a[y * n + x] = b[y * n + MIN(x + 1, n - 1)] - b[y * n + MAX(x - 1, 0)]; }
KERNEL(matrix3, float, float, float) { for (int i = 0; i < n; i++) { const float *p = b + 9 * i; a[i] = p[0] * (p[4] * p[8] - p[5] * p[7]) - p[1] * (p[3] * p[8] - p[5] * p[6]) + p[2] * (p[3] * p[7] - p[4] * p[6]); } }
KERNEL(collide, float, float, float) { for (int i = 0; i < n; i++) { float x = b[i] + 0.01f * c[i], v = c[i]; if (x < 0.1f) { x = 0.2f - x; v = -v; } if (x > 0.9f) { x = 1.8f - x; v = -v * 0.5f; } a[i] = x; a[n + i] = v; } }
KERNEL(moving_average, float, float, float) { for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < m; k++) s += b[i + k]; a[i] = s / m; } }
KERNEL(dot_bytes, int, uint8_t, int8_t) { int s = 0; for (int i = 0; i < n; i++) s += b[i] * c[i]; a[0] = s; }
KERNEL(first_above, int, float, float) { for (int y = 0; y < m; y++) { int at = n; for (int x = 0; x < n; x++) if (b[y * n + x] > 0.98f) { at = x; break; } a[y] = at; } }
KERNEL(quantise, int8_t, float, float) { for (int i = 0; i < n; i++) { float v = b[i] * 300 - 150; v = MIN(MAX(v, -128.0f), 127.0f); a[i] = (int8_t)(int)v; } }
typedef void (*kernel)(void *, void *, void *, int, int);
double time_kernel(kernel f, void *a, void *b, void *c, int n, int m, int repeats) {
    struct timespec start, stop;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int r = 0; r < repeats; r++) f(a, b, c, n, m);
    clock_gettime(CLOCK_MONOTONIC, &stop);
    return ((stop.tv_sec - start.tv_sec) * 1e9 + (stop.tv_nsec - start.tv_nsec)) / repeats;
}
