// Four threads each add a pair of vectors, two of them pairs of sums, one the rest; only the last sum is flushed.
export void add_vectors(const uniform int given[], uniform int sums[]) {
    uniform int t = thread_id();
    if (t < 4) {
        sums[t * 16 + programIndex] = given[2 * t * 16 + programIndex] + given[(2 * t + 1) * 16 + programIndex];
        __builtin_npu_barrier(1, 3);
    }
    if (t < 2) {
        sums[(4 + t) * 16 + programIndex] = sums[2 * t * 16 + programIndex] + sums[(2 * t + 1) * 16 + programIndex];
        __builtin_npu_barrier(2, 1);
    }
    if (t == 0) {
        sums[6 * 16 + programIndex] = sums[4 * 16 + programIndex] + sums[5 * 16 + programIndex];
        flush(&sums[6 * 16]);
    }
}
