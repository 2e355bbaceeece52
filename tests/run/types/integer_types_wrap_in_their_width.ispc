// claim: there are no integer promotions: 8 and 16 bit arithmetic wraps in its own width
// expect: [-56, 144, 201, -32768, 11, 65535, 0]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int8 a = 100 + (uniform int8)(n - 64);
    uniform uint8 b = 200 + (uniform uint8)(n - 64);
    uniform int16 c = 32767 - (uniform int16)(n - 64);
    int8 x = a;
    uint8 y = b;
    int16 z = c;
    uint16 t = 0;
    uniform uint8 big = 250;
    out[0] = extract((int)(int8)(x + x), 0);
    out[1] = extract((uint)(uint8)(y + y), 0);
    out[2] = extract((int)(y + 1), 0);
    out[3] = extract((int)(int16)(z + (int16)1), 0);
    out[4] = (uniform int8)5 - big;
    out[5] = extract((int)(uint16)(t - (uint16)1), 0);
    out[6] = (uniform uint8)(b + (uniform uint8)56);
}
