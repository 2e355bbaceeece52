// claim: loops that step from gang to gang count a uniform variable beside, and access whole vectors in unmasked blocks
// where:
//   x = np.arange(64)
//   rows = np.arange(128) * 3 % 50
//   sums = [np.where((x >= 3) & (x < 61), rows[64 * y + np.clip(x - 3, 0, 63)] + y, 0) for y in (0, 1)]
//   left = np.where(np.arange(128) % 64 < -(-58 // W) * W, -1, rows)
// expect: sums[0], sums[1], left
struct Part { varying float value[128 / programCount]; };
__attribute__((aligned(256))) static uniform float rows[128];
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (uniform int k = 0; k < 128; ++k)
        rows[k] = k * 3 % 50;
    uniform Part * uniform part = (uniform Part * uniform)&rows[0];
    uniform double * uniform to = out;
    for (uniform int y = 0; y < 2; ++y) {
        uniform int chunk = y * 64 / programCount;
        for (int x = 3 + programIndex; x < 61; x += programCount, chunk++) {
            unmasked {
                float sum = part->value[chunk] + y;
            }
            to[x] = sum;
            unmasked {
                part->value[chunk] = -1;
            }
        }
        to += 64;
    }
    foreach (k = 0 ... 128)
        out[128 + k] = rows[k];
}
