export void add(const uniform int a[], const uniform int b[], uniform int c[], uniform int n) {
    foreach (i = 0 ... n)
        c[i] = a[i] + b[i];
}

export void saxpy(uniform float s, const uniform float x[], const uniform float y[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = s * x[i] + y[i];
}

export void scalar_product(const uniform int a[], const uniform int b[], uniform int c[], uniform int n) {
    uniform int gang = core_id() * thread_count() + thread_id();
    for (uniform int i = gang; i < n; i += core_count() * thread_count())
        for (uniform int j = 0; j < n; j++) {
            uniform int sum = 0;
            for (uniform int k = 0; k < n; k++)
                sum += a[i * n + k] * b[k * n + j];
            c[i * n + j] = sum;
        }
}

export void vector_product(const vec16i32 * uniform a, const vec16i32 * uniform b, vec16i32 * uniform c, uniform int n) {
    uniform int columns = n / 16;
    uniform int gang = core_id() * thread_count() + thread_id();
    for (uniform int i = gang; i < n; i += core_count() * thread_count())
        for (uniform int column = 0; column < columns; column++) {
            vec16i32 sum = 0;
            for (uniform int j = 0; j < columns; j++) {
                vec16i32 left = a[i * columns + j];
                for (uniform int k = 0; k < 16; k++)
                    sum += extract(left, k) * b[(16 * j + k) * columns + column];
            }
            c[i * columns + column] = sum;
        }
}

// Turns of Henon's map (1976) until a start of a grid leaves the strip |x| < 3: lanes leave one after the other.
export void henon(uniform float left, uniform float low, uniform float step, uniform int width, uniform int height,
                  uniform int most, uniform int turns[]) {
    foreach (j = 0 ... height, i = 0 ... width) {
        float x = left + i * step, y = low + j * step;
        float square = x * x;
        int turn = 0;
        while (square < 9.0f && turn < most) {
            float fold = y + 1.0f - 1.4f * square;
            y = 0.3f * x;
            x = fold;
            square = x * x;
            turn++;
        }
        turns[j * width + i] = turn;
    }
}

export void neighbours(const uniform int a[], uniform int out[], uniform int n, uniform int p, uniform int q, uniform int r) {
    foreach (i = 0 ... n)
        out[i] = p * a[i] + q * a[i + 1] + r * a[i + 2];
}

export void matrix_vector(const uniform float a[], const uniform float x[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float sum = 0;
        for (uniform int j = 0; j < n; j++)
            sum += a[j * n + i] * x[j];
        out[i] = sum;
    }
}

export void lookup(const uniform int table[], const uniform int index[], uniform int out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = table[index[i]];
}
