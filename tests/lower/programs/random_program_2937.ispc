// Random program 2937: a block that leads to a phi in several ways had several scalar twins of its value, and LLVM ended.
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
static uint32 g1(int16 p2, int16 p3, uniform float f[], uniform int32 i[]) {
    p2 = (int16)((((int16)((((int16)(p3)) | ((int8)0)))) & (int16)63) * (((int16)(p3)) & (int16)63));
    p3 = (((int16)((((int16)(p2)) & ((int16)2)))) & (((uint8)(((uint8)2))) >> (((int32)(p2)) & 7)));
     {
        if (i[14] > 4) goto label4;
         {
            p3 = (((int16)((((int16)(((int16)32767))) | p3))) >> (((int32)((int32)(p3))) & 15));
        }
        label4: ;
    }
    return (uint32)((((uint32)((((uint32)(p2)) << (((int32)(p2)) & 31)))) >> (((int32)((((int32)(((int32)5))) % ((((int32)(((int32)2))) & (int32)7) + (int32)1)))) & 31)));
}
static noinline uint64 g6(int8 p7, uint32 p8, uniform float f[], uniform int32 i[]) {
    p7 = (int8)((((uint64)(p7)) + p7));
    p8 = (uint32)((((uint16)(((uint16)100))) - ((uint16)32768)));
    p8 = (((((uint8)(p7)) | p7) < (((uint8)(p7)) / ((((uint8)(p7)) & (uint8)7) + (uint8)1))) ? ((uint32)(((((uint64)100ull) > p8) ? ((uint32)(p7)) : ((uint32)(p7))))) : ((uint32)((((uint32)(((uint32)100))) / ((((uint32)(p7)) & (uint32)7) + (uint32)1)))));
    cfor (int32 j9 = 0; j9 < (((int32)(p7)) & 7); j9++) {
        uint64 v10 = ((uint64)bytes[((int32)(((int32)(~((int32)(p7)))))) & 15]);
    }
    return (uint64)((((uint64)((((uint64)(((uint64)0ull))) / ((((uint64)(p8)) & (uint64)7) + (uint64)1)))) + (int64)((((int64)(p7)) & (int64)1073741823) - (((int64)(p8)) & (int64)1073741823))));
}
static uint64 g11(uint8 p12, uniform float f[], uniform int32 i[]) {
    if (((p12 != ((uint8)items[((int32)(p12)) & 15].b)) || (p12 < p12))) {
        return (uint64)((((uint64)((((uint64)(p12)) / ((((uint64)(p12)) & (uint64)7) + (uint64)1)))) / ((((uint64)((((uint64)(((uint64)5ull))) % ((((uint64)(((uint64)5ull))) & (uint64)7) + (uint64)1)))) & (uint64)7) + (uint64)1)));
    }
    if ((((int8)(~((int8)(((int8)25))))) <= (((int8)(((int8)26))) % ((((int8)(((int8)64))) & (int8)7) + (int8)1)))) {
        cif ((((int8)g1((int16)(p12), (int16)(p12), f, i)) < (int8)(p12))) {
            p12 = (uint8)(((((int64)5ull) > ((int64)7ull)) ? ((int32)(p12)) : ((int32)(p12))));
        }
        else {
            uint64 v13 = (((uint64)(((uint64)bytes[((int32)(p12)) & 15]))) / ((((uint64)((((uint64)(p12)) % ((((uint64)(p12)) & (uint64)7) + (uint64)1)))) & (uint64)7) + (uint64)1));
            v13 = (((uint64)(((((int8)64) != ((int8)64)) ? ((uint64)(p12)) : ((uint64)(((uint64)1ull)))))) | p12);
        }
    }
    int8 v14 = ((int8)(~((int8)(((int8)i[((int32)(p12)) & 63])))));
    if (((((uint16)table[((int32)(((int32)2135978141))) & 15]) == (((uint16)(((uint16)1))) % ((((uint16)(((uint16)1))) & (uint16)7) + (uint16)1))) || (((int32)2) > ((int32)1)))) {
        for (int32 j15 = 0; j15 < ((((int32)g6((int8)(v14), (uint32)(v14), f, i))) & 7); j15++) {
            switch ((int32)((((int8)(v14)) / ((((int8)(v14)) & (int8)7) + (int8)1))) & 7) {
                case 5:
                 {
                    v14 = v14;
                    v14 = ((int8)(int32)(((((int64)7ull) >= p12) ? -13.5 : ((float)(((int32)((int32)table[((int32)(((int32)2))) & 15])) & 255) * 0.25)) * 16));
                }
                break;
                if ((((int32)(p12) & 1) != 0)) {
                     {
                        uint16 v16 = (((uint16)((uint16)(v14))) << (((int32)(((j15 == ((uint64)3ull)) ? ((int32)(j15)) : ((int32)(v14))))) & 15));
                        p12--;
                    }
                    case 1:
                     {
                        p12 = (((uint8)((uint8)(p12))) + (((int8)(((int8)100))) >> (((int32)(j15)) & 7)));
                    }
                }
                if (!(((j15 != p12) ? ((int64)(j15)) : ((int64)(j15))) < (int64)((((int64)(((int64)0ull))) & (int64)1073741823) - (((int64)(p12)) & (int64)1073741823)))) break;
                default:
                 {
                    int32 v17 = (((int32)((int32)(p12))) & (((int32)(j15)) | j15));
                }
                if (((((int32)i[((int32)(j15)) & 63]) <= (int32)((((int32)(v14)) & (int32)16383) + (((int32)(p12)) & (int32)16383))) && (((uint8)7) != p12))) break;
                ;
            }
        }
         {
            if (i[33] > 1) goto label18;
             {
                p12 -= ((((int32)((((int32)(v14)) & (int32)16383) * (((int32)(p12)) & (int32)16383)) == ((v14 > v14) ? ((int32)(v14)) : ((int32)(v14)))) || (v14 != p12)) ? ((uint8)((((uint8)(((uint8)255))) + v14))) : ((uint8)((((uint8)(v14)) >> (((int32)(p12)) & 7)))));
            }
            label18: ;
        }
    }
    return (uint64)(((uint64)g1((int16)((((int16)(((int16)0))) >> (((int32)(v14)) & 15))), (int16)((int16)((((int16)(p12)) & (int16)63) * (((int16)(((int16)5))) & (int16)63))), f, i)));
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 16) {
        table[k] = k * 2654435761; bytes[k] = k * 37; words[k] = k * 1000;
        items[k].a = k; items[k].b = k * 3; items[k].c = k;
    }
    uniform uint16 u20 = ((uint16)1);
    uniform uint16 u21 = ((uint16)65535);
    foreach (k = 0 ... n) {
        int8 v22 = ((int8)7);
        int32 v23 = ((int32)(~((int32)(((int32)g11((uint8)(v22), f, i))))));
        int8 v24 = (int8)(((uint64)i[((int32)(((int32)7))) & 63]));
        foreach_unique (l25 in (varying int32)((((int32)(((int32)g6((int8)(v24), (uint32)(((uint32)4294967295)), f, i)))) ^ ((int8)64))) & 3) {
            foreach_unique (l26 in (varying int32)((int32)((((int32)(u20)) & (int32)16383) - (((int32)((((int32)(((int32)3))) >> (((int32)(v24)) & 31)))) & (int32)16383))) & 3) {
                if (((((uint32)(int32)(((float)(((int32)v22) & 255) * 0.25) * 16)) < (((uint32)(u21)) - u21)) || (u20 != n))) {
                    if ((v22 >= n)) {
                        v23 = (((((int64)(n)) / ((((int64)(v22)) & (int64)7) + (int64)1)) < (!(v22 <= l25) ? ((int64)(((int64)1ull))) : ((int64)(l25)))) ? ((int32)((int32)((((int32)(((int32)5))) & (int32)16383) - (((int32)(v24)) & (int32)16383)))) : ((int32)(l26)));
                        uint64 v27 = (((uint64)(((uint64)i[((int32)(l26)) & 63]))) * (int32)(k));
                    }
                    else {
                        v22 = v22;
                    }
                    v22 = (((int8)(((((uint32)3) > u20) ? ((int8)(((int8)0))) : ((int8)(v24))))) / ((((int8)(v22)) & (int8)7) + (int8)1));
                }
            }
            if (((((uint8)(((uint8)7))) + ((uint8)1)) != (((uint8)(((uint8)255))) | ((int8)64)))) {
                if ((u21 <= (((uint32)(l25)) + ((int32)3)))) {
                    v24 = (((int8)(v22)) ^ v22);
                    v23 = (((int32)((((int32)(((int32)5))) >> (((int32)(((int32)3))) & 31)))) ^ ((int8)(~((int8)(v24)))));
                }
            }
        }
        { int32 x28 = u20 & 15; uint64 y29 = ((uint64)4473311558142209062ull); items[x28].c = y29; }
        v22 = (int8)((((int8)((((int8)(v22)) % ((((int8)(v22)) & (int8)7) + (int8)1)))) & (int8)3) + (((int8)(v22)) & (int8)3));
        v22 = v22;
        out[0 + k] = (double)(v22 & (int8)0x7fffffff);
        out[64 + k] = (double)(v23 & (int32)0x7fffffff);
        out[128 + k] = (double)(v24 & (int8)0x7fffffff);
    }
    foreach (k = 0 ... 16) {
        out[192 + k] = table[k]; out[208 + k] = bytes[k];
        out[224 + k] = words[k]; out[240 + k] = items[k].a + (int)items[k].b;
    }
}
