/* The same as kernels/everyday.ispc, as it is written in C. */
#include <stdint.h>
#include <stdlib.h>
#include <math.h>
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define KERNEL(name, A, B, C) void name(A *restrict a, const B *restrict b, const C *restrict c, int n, int m)
KERNEL(clamp_inplace, float, float, float) { for (int i = 0; i < n; i++) { float v = a[i] * 0.5f + b[i]; a[i] = MIN(MAX(v, -1.0f), 1.0f); } }
KERNEL(blur_bytes, uint8_t, uint8_t, uint8_t) { for (int i = 1; i < n - 1; i++) a[i] = (b[i - 1] + 2 * b[i] + b[i + 1] + 2) >> 2; }
KERNEL(box5, float, float, float) { for (int y = 2; y < m - 2; y++) for (int x = 2; x < n - 2; x++) { float s = 0; for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++) s += b[(y + j) * n + x + i]; a[y * n + x] = s * 0.04f; } }
KERNEL(jacobi, float, float, float) { for (int y = 1; y < m - 1; y++) for (int x = 1; x < n - 1; x++) a[y * n + x] = 0.25f * (b[y * n + x - 1] + b[y * n + x + 1] + b[(y - 1) * n + x] + b[(y + 1) * n + x]); }
KERNEL(rgb3, uint8_t, uint8_t, uint8_t) { for (int i = 0; i < n; i++) a[i] = (77 * b[3 * i] + 150 * b[3 * i + 1] + 29 * b[3 * i + 2] + 128) >> 8; }
KERNEL(nbody, float, float, float) { for (int i = 0; i < n; i++) { float x = b[i], y = b[n + i], z = b[2 * n + i], fx = 0, fy = 0, fz = 0;
  for (int j = 0; j < n; j++) { float dx = b[j] - x, dy = b[n + j] - y, dz = b[2 * n + j] - z; float d = dx * dx + dy * dy + dz * dz + 0.01f; float w = 1 / (d * sqrtf(d)); fx += dx * w; fy += dy * w; fz += dz * w; }
  a[i] = fx; a[n + i] = fy; a[2 * n + i] = fz; } }
KERNEL(spheres, float, float, float) { for (int i = 0; i < n; i++) { float dx = b[i], dy = c[i], dz = 1, best = 1e30f; for (int j = 0; j < m; j++) { float ox = b[j] * 4, oy = c[j] * 4, oz = 3 + j; float B = dx * ox + dy * oy + dz * oz, A = dx * dx + dy * dy + dz * dz; float C = ox * ox + oy * oy + oz * oz - 1; float D = B * B - A * C; if (D > 0) { float t = (B - sqrtf(D)) / A; if (t > 0 && t < best) best = t; } } a[i] = best; } }
KERNEL(oddeven, int, int, int) { for (int i = 0; i < n; i++) a[i] = b[i]; for (int p = 0; p < 32; p++) for (int i = 0; i < (n - (p & 1)) / 2; i++) { int k = 2 * i + (p & 1); int lo = MIN(a[k], a[k + 1]), hi = MAX(a[k], a[k + 1]); a[k] = lo; a[k + 1] = hi; } }
KERNEL(ell, float, int, float) { for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < m; k++) s += c[k * n + i] * c[b[k * n + i]]; a[i] = s; } }
KERNEL(noise1, float, float, float) { for (int i = 0; i < n; i++) { float x = b[i] * 50; int k = (int)floorf(x); float f = x - k; uint32_t h0 = k * 374761393u, h1 = (k + 1) * 374761393u; h0 = (h0 ^ (h0 >> 13)) * 1274126177u; h1 = (h1 ^ (h1 >> 13)) * 1274126177u; float v0 = (int)(h0 >> 8) * (1.0f / 16777216), v1 = (int)(h1 >> 8) * (1.0f / 16777216); float s = f * f * (3 - 2 * f); a[i] = v0 + s * (v1 - v0); } }
KERNEL(matvec, float, float, float) { for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += b[i * n + j] * c[j]; a[i] = s; } }
KERNEL(matvec_t, float, float, float) { for (int j = 0; j < n; j++) a[j] = 0; for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[j] += b[i * n + j] * c[i]; }
KERNEL(lcg, float, uint32_t, uint32_t) { for (int i = 0; i < n; i++) { uint32_t s = b[i]; float sum = 0; for (int k = 0; k < m; k++) { s = s * 1664525u + 1013904223u; sum += (int)(s >> 9); } a[i] = sum; } }
KERNEL(running_max, int, int, int) { int most = -2147483647 - 1; for (int i = 0; i < n; i++) { most = MAX(most, b[i]); a[i] = most; } }
KERNEL(count_above, int, float, float) { int k = 0; for (int i = 0; i < n; i++) k += b[i] > 0.3f; a[0] = k; }
KERNEL(argmin, int, float, float) { float best = 1e30f; int at = 0; for (int i = 0; i < n; i++) if (b[i] < best) { best = b[i]; at = i; } a[0] = at; }
KERNEL(lower, uint8_t, uint8_t, uint8_t) { for (int i = 0; i < n; i++) { uint8_t x = b[i]; a[i] = x >= 'A' && x <= 'Z' ? x + 32 : x; } }
KERNEL(lower_inplace, uint8_t, uint8_t, uint8_t) { for (int y = 0; y < 31; y++) for (int i = 0; i < n; i++) { uint8_t x = a[y*n+i]; a[y*n+i] = x >= 'A' && x <= 'Z' ? x + 32 : x; } }
KERNEL(count_letter, int, uint8_t, uint8_t) { int k = 0; for (int i = 0; i < n; i++) k += b[i] == 'e'; a[0] = k; }
KERNEL(xor_bytes, uint8_t, uint8_t, uint8_t) { for (int i = 0; i < n; i++) a[i] = b[i] ^ c[i & 15]; }
KERNEL(normalise4, float, float, float) { for (int i = 0; i < n; i++) { float x = b[4 * i], y = b[4 * i + 1], z = b[4 * i + 2]; float r = 1 / sqrtf(x * x + y * y + z * z + 1e-9f); a[4 * i] = x * r; a[4 * i + 1] = y * r; a[4 * i + 2] = z * r; a[4 * i + 3] = 0; } }
KERNEL(aos3, float, float, float) { for (int i = 0; i < n; i++) { float x = b[3 * i], y = b[3 * i + 1], z = b[3 * i + 2]; a[3 * i] = y; a[3 * i + 1] = z * 2; a[3 * i + 2] = x + z; } }
KERNEL(every_fourth, float, float, float) { for (int i = 0; i < n; i++) a[i] = b[4 * i]; }
KERNEL(reverse, float, float, float) { for (int i = 0; i < n; i++) a[i] = b[n - 1 - i]; }
KERNEL(int16_add_sat, int16_t, int16_t, int16_t) { for (int i = 0; i < n; i++) { int s = b[i] + c[i]; a[i] = s > 32767 ? 32767 : s < -32768 ? -32768 : s; } }
KERNEL(transpose64, double, double, double) { for (int y = 0; y < m; y++) for (int x = 0; x < n; x++) a[x * m + y] = b[y * n + x]; }
KERNEL(isqrt_int, int, int, int) { for (int i = 0; i < n; i++) { int x = b[i], r = 0; for (int bit = 1 << 14; bit > 0; bit >>= 1) if ((r + bit) * (r + bit) <= x) r += bit; a[i] = r; } }
KERNEL(binary_search, int, int, int) { for (int i = 0; i < n; i++) { int x = b[i], lo = 0; for (int step = 512; step > 0; step >>= 1) if (c[lo + step - 1] < x) lo += step; a[i] = lo; } }
KERNEL(popcounts, int, int, int) { for (int i = 0; i < n; i++) a[i] = __builtin_popcount(b[i]); }
KERNEL(daxpy, double, double, double) { for (int i = 0; i < n; i++) a[i] = 2 * b[i] + c[i]; }
KERNEL(int_div, int, int, int) { for (int i = 0; i < n; i++) a[i] = b[i] / (c[i] | 1); }
KERNEL(mod7, int, int, int) { for (int i = 0; i < n; i++) a[i] = b[i] % 7; }
