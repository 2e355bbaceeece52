// The distances of each pixel to the nearest and the second nearest of some sites; where they are equal is a border.
export void cells(uniform float site_x[m], uniform float site_y[m], uniform int owner[height * width],
                  uniform float margin[height * width], uniform int width, uniform int height, uniform int m) {
    foreach (row = 0 ... height, column = 0 ... width) {
        float x = (column + 0.5f) / width, y = (row + 0.5f) / height;
        float first = 1e30f, second = 1e30f;
        int mine = 0;
        for (uniform int k = 0; k < m; ++k) {
            float dx = site_x[k] - x, dy = site_y[k] - y;
            float square = dx * dx + dy * dy;
            second = min(second, max(first, square));
            if (square < first) {
                first = square;
                mine = k;
            }
        }
        owner[row * width + column] = mine;
        margin[row * width + column] = sqrt(second) - sqrt(first);
    }
}
