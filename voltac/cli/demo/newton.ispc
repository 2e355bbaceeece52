// Newton's method for z^degree = 1, once for each pixel of a picture: which root a start leads to (Cayley 1879), and how soon.
struct Complex {
    float re, im;
};

static inline Complex operator*(const Complex a, const Complex b) {
    Complex product = { a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
    return product;
}

// A step goes to ((degree - 1) z + z^(1 - degree)) / degree. The power is one of 1 / z, which nothing makes overflow
// but a start next to 0.
static inline Complex improved(const Complex z, uniform int degree) {
    float scale = 1 / (z.re * z.re + z.im * z.im);
    Complex inverse = { z.re * scale, -z.im * scale };
    Complex power = inverse;
    for (uniform int k = 2; k < degree; ++k)
        power = power * inverse;
    uniform float part = 1.0f / degree;
    Complex next = { z.re + part * (power.re - z.re), z.im + part * (power.im - z.im) };
    return next;
}

// The middle of the picture is (x, y). A result is degree * steps + the number of the root, counted from 1 leftwards round.
export void newton(uniform float x, uniform float y, uniform float pixel, uniform int width, uniform int height,
                   uniform int degree, uniform int most, uniform int results[]) {
    foreach_tiled (row = 0 ... height, column = 0 ... width) {
        Complex z = { x + (column + 0.5f - 0.5f * width) * pixel, y - (row + 0.5f - 0.5f * height) * pixel };
        float moved = 1;
        int steps = 0;
        while (moved > 1e-6f && steps < most) {
            Complex next = improved(z, degree);
            moved = abs(next.re - z.re) + abs(next.im - z.im);
            z = next;
            ++steps;
        }
        int root = (int)round(atan2(z.im, z.re) * degree / 6.2831853f);
        results[row * width + column] = degree * steps + (root < 0 ? root + degree : root) % degree;
    }
}
