// A pendulum over magnets: above which of them does it come to rest, for each place where it may be let go, and when?
// Force: a spring to the middle, friction, and each magnet pulls with 1 / distance^2, at a height of 0.2 below the pendulum.
export void magnets(uniform float magnet_x[m], uniform float magnet_y[m], uniform int which[height * width],
                    uniform int steps[height * width], uniform float extent, uniform float friction, uniform int most,
                    uniform int width, uniform int height, uniform int m) {
    uniform float dt = 0.01f, pixel = 2 * extent / width;
    foreach_tiled (row = 0 ... height, column = 0 ... width) {
        float x = (column + 0.5f - 0.5f * width) * pixel, y = (0.5f * height - row - 0.5f) * pixel;
        float vx = 0, vy = 0;
        int rests = -1, step = 0;
        while (rests < 0 && step < most) {
            float ax = -0.2f * x - friction * vx, ay = -0.2f * y - friction * vy;
            int below = -1;
            for (uniform int k = 0; k < m; ++k) {
                float dx = magnet_x[k] - x, dy = magnet_y[k] - y;
                float flat = dx * dx + dy * dy;
                float square = flat + 0.04f;
                float pull = 1 / (square * sqrt(square));
                ax += dx * pull;
                ay += dy * pull;
                if (flat < 0.02f)
                    below = k;
            }
            vx += dt * ax;
            vy += dt * ay;
            x += dt * vx;
            y += dt * vy;
            if (vx * vx + vy * vy < 0.05f)
                rests = below;
            ++step;
        }
        which[row * width + column] = rests;
        steps[row * width + column] = step;
    }
}
