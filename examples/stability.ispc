// x -> r x (1 - x) with r taken from two numbers in turn, as a word of 0 and 1 says. Do neighbours come together or part?
// The mean of log |r (1 - 2 x)| tells: below zero they come together.
export void stability(uniform int word[letters], uniform float low, uniform float high, uniform float exponent[size * size],
                      uniform int steps, uniform int letters, uniform int size) {
    uniform float pixel = (high - low) / size;
    foreach_tiled (row = 0 ... size, column = 0 ... size) {
        float a = low + (column + 0.5f) * pixel, b = high - (row + 0.5f) * pixel;
        float x = 0.5f, sum = 0;
        for (uniform int step = 0; step < steps; ++step) {
            float r = word[step % letters] == 0 ? a : b;
            x = r * x * (1 - x);
            if (step > steps / 8)  // the beginning is forgotten
                sum += log(max(abs(r * (1 - 2 * x)), 1e-6f));
        }
        exponent[row * size + column] = sum / (steps - steps / 8 - 1);
    }
}
