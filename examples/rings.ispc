// A picture of two rings, without a triangle: from the eye a ray goes on by the distance to the nearest ring, which it
// cannot pass, until it is there.
typedef float<3> Point;

static inline float dot(Point a, Point b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline float ring(float along, float across, float up) {
    float out = sqrt(along * along + across * across) - 1;
    return sqrt(out * out + up * up) - 0.3f;
}

// The second ring stands upright in the first one.
static inline float distance(Point p) {
    return min(ring(p.x, p.y, p.z), ring(p.x - 1, p.z, p.y));
}

static inline Point slope(Point p) {
    float h = 1e-3f;
    Point x = { h, 0, 0 }, y = { 0, h, 0 }, z = { 0, 0, h };
    Point s = { distance(p + x) - distance(p - x), distance(p + y) - distance(p - y), distance(p + z) - distance(p - z) };
    return s * rsqrt(dot(s, s));
}

export void rings(uniform float depth[height * width], uniform float light[height * width], uniform int width,
                  uniform int height) {
    uniform float pixel = 3.6f / width;
    foreach_tiled (row = 0 ... height, column = 0 ... width) {
        Point eye = { 0.5f, -3.2f, 4 }, towards = { 0, 0.62469505f, -0.78086881f }, right = { 1, 0, 0 },
              up = { 0, 0.78086881f, 0.62469505f };
        float across = (column + 0.5f - 0.5f * width) * pixel, above = (0.5f * height - row - 0.5f) * pixel;
        Point p = eye + across * right + above * up;
        float far = 0, near = 1;
        while (near > 1e-3f && far < 9) {
            near = distance(p);
            p += near * towards;
            far += near;
        }
        float shade = 0;
        cif (far < 9) {
            Point sun = { -0.4f, -0.4f, 0.8246211f };
            shade = 0.25f + 0.75f * max(dot(slope(p), sun), 0.0f);
        }
        depth[row * width + column] = far < 9 ? far : 0;
        light[row * width + column] = shade;
    }
}
