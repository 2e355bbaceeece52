// Edge-preserving smoothing of an RGB picture, three bytes a pixel: each pixel becomes the mean of its
// neighbourhood, weighted by nearness in place and in colour (Tomasi and Manduchi 1998).
export void bilateral(uniform uint8 from[], uniform uint8 to[], uniform int width, uniform int height,
                      uniform int radius, uniform float place, uniform float colour) {
    for (uniform int y = radius; y < height - radius; ++y) {
        foreach (x = radius ... width - radius) {
            int at = 3 * (y * width + x);
            float red = from[at], green = from[at + 1], blue = from[at + 2];
            float sum_red = 0, sum_green = 0, sum_blue = 0, sum = 0;
            for (uniform int dy = -radius; dy <= radius; ++dy) {
                for (uniform int dx = -radius; dx <= radius; ++dx) {
                    int there = at + 3 * (dy * width + dx);
                    float r = from[there], g = from[there + 1], b = from[there + 2];
                    float apart = (r - red) * (r - red) + (g - green) * (g - green) + (b - blue) * (b - blue);
                    float weight = exp(-place * (dx * dx + dy * dy) - colour * apart);
                    sum_red += weight * r;
                    sum_green += weight * g;
                    sum_blue += weight * b;
                    sum += weight;
                }
            }
            to[at] = (int)(sum_red / sum + 0.5f);
            to[at + 1] = (int)(sum_green / sum + 0.5f);
            to[at + 2] = (int)(sum_blue / sum + 0.5f);
        }
    }
}
