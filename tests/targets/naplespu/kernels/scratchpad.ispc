__scratchpad uniform int table[64];
__scratchpad uniform float scale = 0.5f;

// Turned by n, through the core's own memory; lanes that are off leave it as it was.
export void turned(const uniform int given[], uniform int out[], uniform int n, uniform int limit) {
    foreach (i = 0 ... 64)
        table[i] = -1;
    foreach (i = 0 ... 64)
        if (given[i] < limit)
            table[i] = given[i];
    foreach (i = 0 ... 64)
        out[i] = table[(i + n) & 63];
}

export void scaled(const uniform float given[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = given[i] * scale;
}
