// The median of each byte and its eight neighbours, which removes specks and keeps edges: columns of three are sorted, then
// the median of nine is the middle one of the greatest low, the middle of the middle ones, and the least high.
static inline uint8 middle(uint8 a, uint8 b, uint8 c) {
    return max(min(a, b), min(max(a, b), c));
}

static inline uint8 least(uint8 a, uint8 b, uint8 c) {
    return min(min(a, b), c);
}

static inline uint8 greatest(uint8 a, uint8 b, uint8 c) {
    return max(max(a, b), c);
}

export void median(uniform uint8 image[height * width], uniform uint8 out[height * width], uniform int width,
                   uniform int height) {
    for (uniform int y = 1; y < height - 1; ++y) {
        uniform uint8 * uniform above = image + (y - 1) * width, * uniform here = image + y * width,
                      * uniform below = image + (y + 1) * width;
        foreach (x = 1 ... width - 1) {
            uint8 low[3], mid[3], high[3];
            for (uniform int k = 0; k < 3; ++k) {
                uint8 a = above[x + k - 1], b = here[x + k - 1], c = below[x + k - 1];
                low[k] = least(a, b, c);
                mid[k] = middle(a, b, c);
                high[k] = greatest(a, b, c);
            }
            out[y * width + x] = middle(greatest(low[0], low[1], low[2]), middle(mid[0], mid[1], mid[2]),
                                        least(high[0], high[1], high[2]));
        }
    }
}
