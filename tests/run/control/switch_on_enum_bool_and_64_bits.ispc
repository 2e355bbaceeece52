// claim: a switch tests enums, bools and whole 64-bit values
// expect: [2, 20, 0, 1], np.where(np.arange(n) % 2 == 0, 4, 5)
enum Colour { RED, GREEN = 5, BLUE };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Colour c = BLUE;
    uniform int r = 0;
    switch (c) {
    case RED: r = 1; break;
    case BLUE: r = 2; break;
    case GREEN: r = 3; break;
    }
    out[0] = r;
    uniform bool b = n > 5;
    r = 0;
    switch (b) {
    case true: r = 20; break;
    case false: r = 30; break;
    }
    out[1] = r;
    uniform int64 big = ((uniform int64)1 << 32) + n - 63;
    r = 0;
    switch (big) {
    case 1: r = 1; break;
    }
    out[2] = r;
    switch (big - ((uniform int64)1 << 32)) {
    case 1: r = 1; break;
    }
    out[3] = r;
    foreach (k = 0 ... n) {
        int s = 0;
        switch (k % 2 == 0) {
        case true: s = 4; break;
        default: s = 5;
        }
        out[4 + k] = s;
    }
}
