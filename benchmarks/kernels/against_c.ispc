// Kernels of images, matrices and sums, one head for all: a is written, b and c are read, n and m are sizes.
#define ARRAYS(T) uniform T a[], const uniform T b[], const uniform T c[], uniform int n, uniform int m

export void matrix_product(ARRAYS(float)) {
    for (uniform int i = 0; i < n; i++)
        foreach (j = 0 ... n) {
            float sum = 0;
            for (uniform int k = 0; k < n; k++)
                sum += b[i * n + k] * c[k * n + j];
            a[i * n + j] = sum;
        }
}

// A filter of m taps.
export void filter(ARRAYS(float)) {
    foreach (i = 0 ... n) {
        float sum = 0;
        for (uniform int k = 0; k < m; k++)
            sum += c[k] * b[i + k];
        a[i] = sum;
    }
}

export void convolution(ARRAYS(float)) {
    for (uniform int y = 1; y < m - 1; y++)
        foreach (x = 1 ... n - 1) {
            float sum = 0;
            for (uniform int j = 0; j < 3; j++)
                for (uniform int i = 0; i < 3; i++)
                    sum += c[j * 3 + i] * b[(y + j - 1) * n + x + i - 1];
            a[y * n + x] = sum;
        }
}

// Shortest ways between n places (Floyd and Warshall).
export void shortest_ways(ARRAYS(float)) {
    foreach (i = 0 ... n * n)
        a[i] = b[i];
    for (uniform int k = 0; k < n; k++)
        for (uniform int i = 0; i < n; i++) {
            uniform float way = a[i * n + k];
            foreach (j = 0 ... n)
                a[i * n + j] = min(a[i * n + j], way + a[k * n + j]);
        }
}

// Of three bytes in a row: the one in the middle of their order.
export void median(ARRAYS(uint8)) {
    foreach (i = 1 ... n - 1) {
        uint8 low = min(b[i - 1], b[i]), high = max(b[i - 1], b[i]);
        a[i] = max(low, min(high, b[i + 1]));
    }
}

export void sobel(ARRAYS(uint8)) {
    foreach (y = 1 ... m - 1, x = 1 ... n - 1) {
        int above = (y - 1) * n + x, here = y * n + x, below = (y + 1) * n + x;
        int across = b[above + 1] + 2 * (int)b[here + 1] + b[below + 1] - b[above - 1] - 2 * (int)b[here - 1] - b[below - 1];
        int down = b[below - 1] + 2 * (int)b[below] + b[below + 1] - b[above - 1] - 2 * (int)b[above] - b[above + 1];
        a[here] = (uint8)min(abs(across) + abs(down), 255);
    }
}

// Conway's game of life.
export void life(ARRAYS(uint8)) {
    foreach (y = 1 ... m - 1, x = 1 ... n - 1) {
        int above = (y - 1) * n + x, here = y * n + x, below = (y + 1) * n + x;
        uint8 around = b[above - 1] + b[above] + b[above + 1] + b[here - 1] + b[here + 1] + b[below - 1] + b[below] + b[below + 1];
        a[here] = around == 3 || (around == 2 && b[here] != 0) ? 1 : 0;
    }
}

export void grey(ARRAYS(uint8)) {
    foreach (i = 0 ... n) {
        int red = b[4 * i], green = b[4 * i + 1], blue = b[4 * i + 2];
        a[i] = (uint8)((77 * red + 150 * green + 29 * blue + 128) >> 8);
    }
}

// a over b, c is the opacity of each byte.
export void blend(ARRAYS(uint8)) {
    foreach (i = 0 ... n) {
        uint16 opacity = c[i], front = b[i], back = b[n + i];
        uint16 sum = front * opacity + back * ((uint16)255u - opacity) + (uint16)128u;
        a[i] = (uint8)((uint16)(sum + (sum >> 8)) >> 8);
    }
}

export void dot_int16(uniform int a[], const uniform int16 b[], const uniform int16 c[], uniform int n, uniform int m) {
    int sum = 0;
    foreach (i = 0 ... n)
        sum += (int)b[i] * (int)c[i];
    a[0] = reduce_add(sum);
}

export void distance(uniform int a[], const uniform uint8 b[], const uniform uint8 c[], uniform int n, uniform int m) {
    int sum = 0;
    foreach (i = 0 ... n)
        sum += abs((int)b[i] - (int)c[i]);
    a[0] = reduce_add(sum);
}

export void greatest(ARRAYS(int8)) {
    int8 most = -128;
    foreach (i = 0 ... n)
        most = max(most, b[i]);
    a[0] = reduce_max(most);
}

// The positive ones, closed up.
export void compaction(uniform int a[], const uniform int b[], const uniform int c[], uniform int n, uniform int m) {
    uniform int count = 0;
    foreach (i = 0 ... n)
        if (b[i] > 0)
            count += packed_store_active(&a[count], b[i]);
}
