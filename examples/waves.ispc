// One step of the wave equation on a grid: what was before becomes what will be. `speed` is (c dt / dx)^2, 0 in a wall.
export void wave(uniform float now[height * width], uniform float before[height * width],
                 uniform float speed[height * width], uniform int width, uniform int height) {
    foreach (y = 1 ... height - 1, x = 1 ... width - 1) {
        int at = y * width + x;
        float bend = now[at - 1] + now[at + 1] + now[at - width] + now[at + width] - 4 * now[at];
        before[at] = speed[at] > 0 ? 2 * now[at] - before[at] + speed[at] * bend : 0;
    }
}
