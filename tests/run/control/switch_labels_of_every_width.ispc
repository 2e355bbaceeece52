// claim: a case label is the number it says, for switched values of any width and sign
// expect: [1, 2, 3, 4, 5, 0], [1, 2, 3, 0], [1, 0, 3, 4], [0, 2, 0], [0, 2], [1, 2, 3], np.array([1, 2, 3, 4, 5, 0, 0, 0])[np.arange(n) % 8]
enum Tone { LOW = 2, HIGH = 0x80000001 };
uniform int wide(uniform int64 x) {
    switch (x) {
    case -2147483648: return 1;
    case -2147483647 - 0: return 2;
    case -1: return 3;
    case 4294967295: return 4;
    case HIGH: return 5;
    default: return 0;
    }
}
uniform int unsigned_wide(uniform uint64 x) {
    switch (x) {
    case -1: return 1;
    case 4294967295: return 2;
    case 0x80000000: return 3;
    default: return 0;
    }
}
uniform int small(uniform int8 x) {
    switch (x) {
    case -1: return 1;
    case (0xff): return 2;
    case 127L: return 3;
    case -128L: return 4;
    default: return 0;
    }
}
uniform int unsigned_small(uniform uint8 x) {
    switch (x) {
    case -1: return 1;
    case 200L: return 2;
    default: return 0;
    }
}
uniform int unsigned_short(uniform uint16 x) {
    switch (x) {
    case -1: return 1;
    case 65535L: return 2;
    default: return 0;
    }
}
uniform int word(uniform uint32 x) {
    switch (x) {
    case -1: return 1;
    case 4000000000: return 2;
    case HIGH: return 3;
    default: return 0;
    }
}
int lanes(int64 x) {
    switch (x) {
    case -2147483648: return 1;
    case 2147483647: return 2;
    case -1: return 3;
    case 4294967295: return 4;
    case HIGH: return 5;
    default: return 0;
    }
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int64 one = n / 64;
    out[0] = wide(-one << 31);
    out[1] = wide((-one << 31) + one);
    out[2] = wide(-one);
    out[3] = wide((one << 32) - 1);
    out[4] = wide((one << 31) + 1);
    out[5] = wide(one << 31);
    out[6] = unsigned_wide(-one);
    out[7] = unsigned_wide((one << 32) - 1);
    out[8] = unsigned_wide(one << 31);
    out[9] = unsigned_wide(one << 32);
    out[10] = small(-one);
    out[11] = small(one);
    out[12] = small((one << 7) - 1);
    out[13] = small(one << 7);
    out[14] = unsigned_small(-one);
    out[15] = unsigned_small((one << 7) + 72);
    out[16] = unsigned_small(one);
    out[17] = unsigned_short(one);
    out[18] = unsigned_short(-one);
    out[19] = word(-one);
    out[20] = word((one << 32) - 294967296);
    out[21] = word((one << 31) + 1);
    foreach (k = 0 ... n) {
        int64 x = (int64)-1 << 31;
        if (k % 8 == 1)
            x = ((int64)1 << 31) - 1;
        else if (k % 8 == 2)
            x = -1;
        else if (k % 8 == 3)
            x = ((int64)1 << 32) - 1;
        else if (k % 8 == 4)
            x = ((int64)1 << 31) + 1;
        else if (k % 8 > 4)
            x = ((int64)k << 32) - (((int64)1 << 31));
        out[22 + k] = lanes(x);
    }
}
