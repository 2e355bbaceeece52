// Streaming and strided kernels. All share one signature, so that one harness times them all.

export void increment(uniform float a[], uniform float b[], uniform float c[], uniform float s, uniform int n) {
    foreach (i = 0 ... n)
        a[i] += 1;
}

export void copy(uniform float a[], uniform float b[], uniform float c[], uniform float s, uniform int n) {
    foreach (i = 0 ... n)
        a[i] = b[i];
}

export void saxpy(uniform float a[], uniform float b[], uniform float c[], uniform float s, uniform int n) {
    foreach (i = 0 ... n)
        a[i] = s * b[i] + c[i];
}

export void triad(uniform float a[], uniform float b[], uniform float c[], uniform float s, uniform int n) {
    foreach (i = 0 ... n)
        a[i] = b[i] + s * c[i];
}

// Every input is used twice.
export void reduce(uniform float a[], uniform float b[], uniform float c[], uniform float s, uniform int n) {
    foreach (i = 0 ... n)
        a[i] = b[i / 2];
}

// b holds 2n values, even ones to a, odd ones to c.
export void deinterleave(uniform float a[], uniform float b[], uniform float c[], uniform float s, uniform int n) {
    foreach (i = 0 ... n) {
        a[i] = b[2 * i];
        c[i] = b[2 * i + 1];
    }
}

struct Point {
    float x, y, z;
};

static inline void lengths(uniform float a[], uniform Point * uniform points, uniform int n) {
    foreach (i = 0 ... n)
        a[i] = points[i].x * points[i].x + points[i].y * points[i].y + points[i].z * points[i].z;
}

// b holds n structs of three floats.
export void structs(uniform float a[], uniform float b[], uniform float c[], uniform float s, uniform int n) {
    lengths(a, (uniform Point * uniform)b, n);
}
