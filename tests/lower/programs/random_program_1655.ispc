// Random program 1655: wrong at -O0 on AVX-512 targets with the instruction selector that LLVM falls back to.
struct Item { int32 a; uint8 b; uint64 c; };
struct Inner { int16 x; uint32 y[2]; };
struct Outer { uint8 p; Inner q; };
static uniform uint32 table[16];
static uniform uint8 bytes[16];
static uniform int64 words[16];
static uniform Item items[16];
typedef uint32 (*Function)(uint32, uint32);
static uint32 mix(uint32 a, uint32 b) { return a * 31 + b; }
static uint32 pick(uint32 a, uint32 b) { if (a & 1) return b >> 3; return a ^ b; }
static noinline unmasked uniform uint32 total(uniform int32 m, uniform int32 i[]) {
    uint32 s = 0;
    foreach (k = 0 ... m) { if (i[k] > 0) s += i[k]; else s += 3 * k; }
    return reduce_add(s);
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 16) {
        table[k] = k * 2654435761; bytes[k] = k * 37; words[k] = k * 1000;
        items[k].a = k; items[k].b = k * 3; items[k].c = k;
    }
    uniform uint16 u1 = ((uint16)7);
    uniform int8 u2 = ((int8)2);
    foreach (k = 0 ... n) {
        int16 v3 = u2;
        uint16 v4 = (((((uint32)items[((int32)(v3)) & 15].c) < (((uint32)(n)) + v3)) && !(((uint32)7) <= k)) ? ((uint16)(((uint16)32768))) : ((uint16)(((uint16)(int32)(-10.25 * 16)))));
        uint16 v5 = v4;
        { int32 x6 = (((int32)((int32)(((int8)127)))) | ((uint8)items[((int32)(k)) & 15].c)) & 15; uint8 y7 = (((uint8)((((uint8)(u2)) * u2))) % ((((uint8)(((uint8)i[((int32)(v3)) & 63]))) & (uint8)7) + (uint8)1)); bytes[x6] = y7; }
        v3 = ((((uint64)(~((uint64)(n)))) != ((uint64)(~((uint64)(((uint64)5ull)))))) ? ((int16)(((((int16)32767) != v3) ? ((int16)(u2)) : ((int16)(((int16)100)))))) : ((int16)(u2)));
        v4--;
        for (int32 j8 = 0; j8 < (((!(v5 <= u2) ? ((int32)(((int32)100))) : ((int32)(((int32)1))))) & 7); j8++) {
            v3 = ((int16)bytes[((int32)((int32)(v3))) & 15]);
            for (uniform int32 j9 = 0; j9 < ((((u2 >= u1) ? ((int32)(u2)) : ((int32)(((int32)5))))) & 7); j9++) {
                v5 = (((uint16)((((uint16)(v3)) + u2))) >> (((int32)((((int32)(u1)) & ((int32)0)))) & 15));
                v5 += (((uint16)(((uint16)items[((int32)(j8)) & 15].c))) << (((int32)((!(j8 > v5) ? ((int32)(v4)) : ((int32)(v4))))) & 15));
            }
        }
         {
            int32 j10 = 0;
            while (j10 < 1 && ((u2 & 1) != 0)) {
                j10++;
                v4 *= (((uint16)(v5)) >> (((int32)(((int32)items[((int32)(j10)) & 15].b))) & 15));
                { int32 x11 = k & 15; uint32 y12 = (((uint32)(((uint32)bytes[((int32)(u2)) & 15]))) >> (((int32)(((int32)i[((int32)(n)) & 63]))) & 31)); table[x11] = y12; }
            }
        }
        foreach_active (l13) {
            v4 = (((uint16)((((uint16)(v4)) >> (((int32)(((int32)0))) & 15)))) / ((((uint16)(v4)) & (uint16)7) + (uint16)1));
        }
        out[0 + k] = (double)(v3 & (int16)0x7fffffff);
        out[64 + k] = (double)(v4 & (uint16)0x7fffffff);
        out[128 + k] = (double)(v5 & (uint16)0x7fffffff);
    }
    foreach (k = 0 ... 16) {
        out[192 + k] = table[k]; out[208 + k] = bytes[k];
        out[224 + k] = words[k]; out[240 + k] = items[k].a + (int)items[k].b;
    }
}
