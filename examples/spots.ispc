// One step of two substances that spread and react: u is fed and eaten, v eats u and dies.
//   u' = du lap(u) - u v^2 + feed (1 - u)        v' = dv lap(v) + u v^2 - (feed + kill) v
static inline float spread(uniform float a[], int at, uniform int width) {
    float sides = a[at - 1] + a[at + 1] + a[at - width] + a[at + width];
    float corners = a[at - width - 1] + a[at - width + 1] + a[at + width - 1] + a[at + width + 1];
    return 0.2f * sides + 0.05f * corners - a[at];
}

export void react(uniform float u[height * width], uniform float v[height * width], uniform float next_u[height * width],
                  uniform float next_v[height * width], uniform float feed, uniform float kill, uniform int width,
                  uniform int height) {
    foreach (y = 1 ... height - 1, x = 1 ... width - 1) {
        int at = y * width + x;
        float eaten = u[at] * v[at] * v[at];
        next_u[at] = u[at] + spread(u, at, width) - eaten + feed * (1 - u[at]);
        next_v[at] = v[at] + 0.5f * spread(v, at, width) + eaten - (feed + kill) * v[at];
    }
}
