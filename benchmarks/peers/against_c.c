/* The same as kernels/against_c.ispc, as it is written in C. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define KERNEL(name, A, B) void name(A *restrict a, const B *restrict b, const B *restrict c, int n, int m)

KERNEL(matrix_product, float, float) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            a[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                a[i * n + j] += b[i * n + k] * c[k * n + j];
    }
}

KERNEL(filter, float, float) {
    for (int i = 0; i < n; i++) {
        float sum = 0;
        for (int k = 0; k < m; k++)
            sum += c[k] * b[i + k];
        a[i] = sum;
    }
}

KERNEL(convolution, float, float) {
    for (int y = 1; y < m - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            float sum = 0;
            for (int j = 0; j < 3; j++)
                for (int i = 0; i < 3; i++)
                    sum += c[j * 3 + i] * b[(y + j - 1) * n + x + i - 1];
            a[y * n + x] = sum;
        }
}

KERNEL(shortest_ways, float, float) {
    memcpy(a, b, sizeof(float) * n * n);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++) {
            float way = a[i * n + k];
            for (int j = 0; j < n; j++)
                a[i * n + j] = MIN(a[i * n + j], way + a[k * n + j]);
        }
}

KERNEL(median, uint8_t, uint8_t) {
    for (int i = 1; i < n - 1; i++) {
        uint8_t low = MIN(b[i - 1], b[i]), high = MAX(b[i - 1], b[i]), between = MIN(high, b[i + 1]);
        a[i] = MAX(low, between);
    }
}

KERNEL(sobel, uint8_t, uint8_t) {
    for (int y = 1; y < m - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            int above = (y - 1) * n + x, here = y * n + x, below = (y + 1) * n + x;
            int across = b[above + 1] + 2 * b[here + 1] + b[below + 1] - b[above - 1] - 2 * b[here - 1] - b[below - 1];
            int down = b[below - 1] + 2 * b[below] + b[below + 1] - b[above - 1] - 2 * b[above] - b[above + 1];
            int sum = abs(across) + abs(down);
            a[here] = MIN(sum, 255);
        }
}

KERNEL(life, uint8_t, uint8_t) {
    for (int y = 1; y < m - 1; y++)
        for (int x = 1; x < n - 1; x++) {
            int above = (y - 1) * n + x, here = y * n + x, below = (y + 1) * n + x;
            uint8_t around =
                b[above - 1] + b[above] + b[above + 1] + b[here - 1] + b[here + 1] + b[below - 1] + b[below] + b[below + 1];
            a[here] = (around == 3) | ((around == 2) & (b[here] != 0));
        }
}

KERNEL(grey, uint8_t, uint8_t) {
    for (int i = 0; i < n; i++)
        a[i] = (77 * b[4 * i] + 150 * b[4 * i + 1] + 29 * b[4 * i + 2] + 128) >> 8;
}

KERNEL(blend, uint8_t, uint8_t) {
    for (int i = 0; i < n; i++) {
        uint16_t sum = b[i] * c[i] + b[n + i] * (255 - c[i]) + 128;
        a[i] = (uint16_t)(sum + (sum >> 8)) >> 8;
    }
}

KERNEL(dot_int16, int, int16_t) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += b[i] * c[i];
    a[0] = sum;
}

KERNEL(distance, int, uint8_t) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += abs(b[i] - c[i]);
    a[0] = sum;
}

KERNEL(greatest, int8_t, int8_t) {
    int8_t most = -128;
    for (int i = 0; i < n; i++)
        most = MAX(most, b[i]);
    a[0] = most;
}

KERNEL(compaction, int, int) {
    int count = 0;
    for (int i = 0; i < n; i++)
        if (b[i] > 0)
            a[count++] = b[i];
}
