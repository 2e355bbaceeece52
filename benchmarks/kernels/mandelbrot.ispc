// Iterations until |z| > 2 for every pixel of the rectangle.
export void mandelbrot(uniform float x0, uniform float y0, uniform float x1, uniform float y1, uniform int width,
                       uniform int height, uniform int limit, uniform int counts[]) {
    uniform float dx = (x1 - x0) / width, dy = (y1 - y0) / height;
    for (uniform int row = 0; row < height; ++row) {
        foreach (column = 0 ... width) {
            float cx = x0 + column * dx, cy = y0 + row * dy;
            float x = cx, y = cy;
            int count = 0;
            while (count < limit && x * x + y * y <= 4) {
                float next = x * x - y * y + cx;
                y = 2 * x * y + cy;
                x = next;
                ++count;
            }
            counts[row * width + column] = count;
        }
    }
}
