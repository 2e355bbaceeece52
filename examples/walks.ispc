// The temperature in a plate whose border has a known one, by chance: from each point walks jump to a random place of the
// largest circle around them, until they are at the border, and the mean of the border's temperatures is the answer.
static inline float border(float x, float y) {
    return x * x - y * y;
}

export void walks(uniform float mean[size * size], uniform int count, uniform unsigned int seed, uniform int size) {
    RNGState state;
    seed_rng(&state, seed + programIndex);
    foreach (row = 0 ... size, column = 0 ... size) {
        float sum = 0;
        for (uniform int walk = 0; walk < count; ++walk) {
            float x = 2 * (column + 0.5f) / size - 1, y = 1 - 2 * (row + 0.5f) / size;
            float room = 1 - max(abs(x), abs(y));
            while (room > 1e-3f) {
                float s, c;
                sincos(2 * PI * frandom(&state), &s, &c);
                x += room * c;
                y += room * s;
                room = 1 - max(abs(x), abs(y));
            }
            sum += border(x, y);
        }
        mean[row * size + column] = sum / count;
    }
}
