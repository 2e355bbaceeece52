// One step of the 5-point stencil on the inside of a width x height grid.
export void stencil(uniform float from[], uniform float to[], uniform int width, uniform int height) {
    for (uniform int y = 1; y < height - 1; ++y) {
        foreach (x = 1 ... width - 1) {
            uniform int row = y * width;
            to[row + x] = 0.5f * from[row + x] +
                0.125f * (from[row + x - 1] + from[row + x + 1] + from[row - width + x] + from[row + width + x]);
        }
    }
}
