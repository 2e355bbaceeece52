__scratchpad uniform int near[32];
uniform int far[32];

noinline static uniform int sum_of(const uniform int values[], uniform int n) {
    uniform int sum = 0;
    for (uniform int i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

noinline static void fill(uniform int values[], uniform int n, uniform int first) {
    foreach (i = 0 ... n)
        values[i] = first + i;
}

// Pointers that lead into the scratchpad or to main memory, as it turns out.
export void sums(uniform int out[]) {
    fill(near, 32, 1);
    fill(far, 32, 100);
    for (uniform int i = 0; i < 4; i++) {
        uniform int * uniform which = (i & 1) != 0 ? near : far;
        out[i] = sum_of(which + i, 8);
    }
    uniform int * varying place = (programIndex & 1) != 0 ? &near[programIndex] : &far[programIndex];
    out[4 + programIndex] = *place;
    *place = -programIndex;
    out[20] = sum_of(near, 32);
    out[21] = sum_of(far, 32);
}
