// claim: filters on bytes and 16-bit pixels: saturating blend, box blur, median of three, Sobel, dithering, gamma by table
// where:
//   W_, H_ = 32, 8
//   img = np.array([[(x * 31 + y * 57 + x * y) & 255 for x in range(W_)] for y in range(H_)])
//   g = lambda y, x: int(img[min(max(y, 0), H_ - 1)][min(max(x, 0), W_ - 1)])
//   add = np.minimum(img + 100, 255); sub = np.maximum(img - 100, 0)
//   avg = (img[:, :-1] + img[:, 1:] + 1) // 2
//   def s8(v): return (v + 128) % 256 - 128
//   med = [sorted((g(y, x - 1), g(y, x), g(y, x + 1)))[1] for y in (3,) for x in range(W_)]
//   sob = [min(255, abs(g(2, x+1) + 2*g(3, x+1) + g(4, x+1) - g(2, x-1) - 2*g(3, x-1) - g(4, x-1)) + abs(g(4, x-1) + 2*g(4, x) + g(4, x+1) - g(2, x-1) - 2*g(2, x) - g(2, x+1))) for x in range(W_)]
//   def dither():
//       row = [int(v) for v in img[5]]; res = []
//       err = 0
//       for v in row:
//           v += err; o = 255 if v >= 128 else 0; err = v - o; res.append(o)
//       return res
//   mul = [max(-32768, min(32767, (int(v) - 128) * 300)) for v in img[6]]
// expect: add[1], sub[2], avg[4][:31], [0], med, sob, dither(), [min(127, max(-128, s8(int(v)) + 90)) for v in img[7]], mul
#define WIDTH 32
#define HEIGHT 8
typedef uint8 Pixel;
static uniform Pixel image[HEIGHT][WIDTH];

static inline uniform Pixel pixel(uniform int y, uniform int x) {
    return image[clamp(y, 0, HEIGHT - 1)][clamp(x, 0, WIDTH - 1)];
}
static inline Pixel pixel(uniform int y, varying int x) {
    return image[clamp(y, 0, HEIGHT - 1)][clamp(x, 0, WIDTH - 1)];
}
static inline int16 sobel(uniform int y, int x) {
    int16 a = pixel(y - 1, x - 1), b = pixel(y - 1, x), c = pixel(y - 1, x + 1);
    int16 d = pixel(y, x - 1), e = pixel(y, x + 1);
    int16 g = pixel(y + 1, x - 1), h = pixel(y + 1, x), k = pixel(y + 1, x + 1);
    int16 two = 2;
    int16 gx = (c + two * e + k) - (a + two * d + g);
    int16 gy = (g + two * h + k) - (a + two * b + c);
    return abs(gx) + abs(gy);
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (y = 0 ... HEIGHT, x = 0 ... WIDTH)
        image[y][x] = (x * 31 + y * 57 + x * y);
    foreach (x = 0 ... WIDTH) {
        Pixel hundred = 100;
        out[x] = saturating_add(image[1][x], hundred);
        out[32 + x] = saturating_sub(image[2][x], hundred);
        if (x < WIDTH - 1) {
            Pixel a = image[4][x], b = image[4][x + 1];
            out[64 + x] = avg_up(a, b);
        }
        Pixel l = pixel(3, x - 1), m = pixel(3, x), r = pixel(3, x + 1);
        out[96 + x] = max(min(l, m), min(max(l, m), r));
        out[128 + x] = min(sobel(3, x), (int16)255);
        int8 v = (int8)image[7][x];
        out[192 + x] = saturating_add(v, (varying int8)90);
        int16 wide = (int16)image[6][x] - (int16)128;
        out[224 + x] = saturating_mul(wide, (varying int16)300);
    }
    uniform int error = 0;
    for (uniform int x = 0; x < WIDTH; x++) {
        uniform int v = image[5][x] + error;
        uniform uint8 o = v >= 128 ? 255 : 0;
        error = v - o;
        out[160 + x] = o;
    }
}
