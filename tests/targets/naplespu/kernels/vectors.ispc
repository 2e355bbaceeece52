export void conversions(const uniform int a[], const uniform float f[], uniform int ints[], uniform float floats[],
                        uniform unsigned int words[]) {
    foreach (i = 0 ... 16) {
        vec16f32 given = f[i];
        ints[i] = __builtin_convertvector(given, vec16i32);
        floats[i] = (float)a[i];
        words[i] = (unsigned int)f[i];
        floats[16 + i] = (float)(unsigned int)a[i];
    }
}

export void lanes(const uniform int a[], uniform int out[]) {
    vec16i32 x = a[programIndex];
    out[programIndex] = __builtin_npu_shufflei32(x, 15 - programIndex);
    out[16 + programIndex] = __builtin_npu_shufflei32(x, programIndex + 3);
    out[32 + programIndex] = __builtin_npu_makevectori32(extract(x, 5));
    out[48 + programIndex] = rotate(x, -2);
    for (uniform int i = 0; i < 64; i += 16)
        flush(&out[i]);
}

// A count that is no multiple of 16, and some lanes off: the neighbours keep their values.
export void halves(const uniform int a[], uniform int out[], uniform int n) {
    foreach (i = 0 ... n)
        if ((a[i] & 1) == 0)
            out[i] = a[i] / 2;
}
export void bytes(const uniform int8 a[], const uniform unsigned int16 b[], uniform int8 c[], uniform unsigned int16 d[],
                  uniform int n) {
    foreach (i = 0 ... n) {
        c[i] = a[i] + 1;
        d[i] = b[i] * 3;
    }
}
export void shifted(const uniform int a[], uniform int out[], uniform int n) {
    foreach (i = 1 ... n - 1)
        out[i] = a[i - 1] + a[i + 1];
}
export uniform float total(const uniform float a[], uniform int n) {
    float sum = 0;
    foreach (i = 0 ... n)
        sum += a[i];
    return reduce_add(sum);
}
