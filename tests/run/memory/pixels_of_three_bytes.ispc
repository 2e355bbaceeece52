// claim: bytes in groups of three are read with stride and written as one plane
// where:
//   rgb = [(k * 29 + 3) & 0xff for k in range(180)]
// expect: [(77 * rgb[3 * k] + 150 * rgb[3 * k + 1] + 29 * rgb[3 * k + 2]) >> 8 for k in range(60)], rgb[1:180:3]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform uint8 rgb[180], green[60];
    foreach (k = 0 ... 180)
        rgb[k] = k * 29 + 3;
    foreach (k = 0 ... 60) {
        int r = rgb[3 * k], g = rgb[3 * k + 1], b = rgb[3 * k + 2];
        out[k] = (77 * r + 150 * g + 29 * b) >> 8;
        green[k] = g;
    }
    foreach (k = 0 ... 60)
        out[60 + k] = green[k];
}
