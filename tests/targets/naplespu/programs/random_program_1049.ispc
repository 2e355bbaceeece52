// Random program 1049: a block that only jumps on was dropped, though a call by address went to it.
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
static inline int8 g1(uint64 p2, uniform float f[], uniform int32 i[]) {
    switch (((int32)381475840) & 7) {
        case 2:
         {
            if (((((uint16)100) == ((uint16)table[((int32)(((int32)1073741824))) & 15])) || (((uint64)7ull) <= ((uint64)7ull)))) {
                if (!((((int16)(((int16)5))) >> (((int32)(((int32)1073741824))) & 15)) <= (((int16)(((int16)16384))) | ((int8)3)))) {
                    uint32 v3 = ((uint32)0);
                    p2 = (((uint64)(((uint64)(~((uint64)(p2)))))) ^ ((uint8)i[((int32)(((int32)2))) & 63]));
                }
                else {
                    p2--;
                }
                if ((((uint32)1) == (((uint32)(((uint32)1))) | ((uint8)3)))) {
                    return (int8)((((int8)((((int8)(((int8)3))) & ((int8)3)))) >> (((int32)((!(((uint8)0) != ((uint8)128)) ? ((int32)(((int32)7))) : ((int32)(((int32)7)))))) & 7)));
                }
            }
            else {
                switch ((((int32)(((int32)100))) >> (((int32)(((int32)(~((int32)(((int32)1))))))) & 31)) & 7) {
                    case 1:
                     {
                        p2 = p2;
                    }
                    if (!((((int64)(((int64)9223372036854775807ull))) >> (((int32)(((int32)3))) & 63)) == (int64)((((int64)(((int64)0ull))) & (int64)1073741823) + (((int64)(((int64)7ull))) & (int64)1073741823)))) break;
                    case 2:
                     {
                        p2 = (((uint64)((((uint64)(((uint64)18446744073709551615ull))) & ((uint8)0)))) << (((int32)(((int32)i[((int32)(((int32)2))) & 63]))) & 63));
                    }
                    if (((((int16)i[((int32)(((int32)3))) & 63]) < ((int16)i[((int32)(((int32)5))) & 63])) && ((((int32)2147483647) & 1) != 0))) break;
                    default:
                     {
                        int64 v4 = ((int64)i[((int32)(((((int32)100) <= ((int32)1073741824)) ? ((int32)(((int32)1073741824))) : ((int32)(((int32)2147483647)))))) & 63]);
                        int16 v5 = ((((uint64)(~((uint64)(v4)))) == (((uint64)(p2)) + v4)) ? ((int16)(((((uint32)2147483648) > ((uint32)100)) ? ((int16)(((int16)100))) : ((int16)(((int16)2)))))) : ((int16)(((((int16)1) != ((int16)3)) ? ((int16)(((int16)1))) : ((int16)(((int16)3)))))));
                    }
                    break;
                    ;
                }
                if (!(((int64)9223372036854775807ull) != ((int64)i[((int32)(((int32)1073741824))) & 63]))) {
                    p2 = ((uint64)i[((int32)(((int32)0))) & 63]);
                }
            }
        }
        case 0:
         {
            p2 = ((((((int16)(((int16)2))) ^ ((int8)80)) < (int16)((((int16)(((int16)23847))) & (int16)63) + (((int16)(((int16)16384))) & (int16)63))) || (((uint8)0) == ((uint8)0))) ? ((uint64)((((uint64)(p2)) + ((uint8)255)))) : ((uint64)((((uint64)(p2)) % ((((uint64)(p2)) & (uint64)7) + (uint64)1)))));
        }
        break;
        case 6:
         {
            p2 += (((uint64)(((uint64)3ull))) & ((uint64)(~((uint64)(p2)))));
        }
        break;
        case 5:
         {
            if (!((((uint8)(((uint8)7))) >> (((int32)(((int32)2))) & 7)) <= ((uint8)table[((int32)(((int32)2147483647))) & 15]))) {
                int8 v6 = (int8)((((int8)((((int8)(((int8)67))) >> (((int32)(((int32)2))) & 7)))) & (int8)3) * (((int8)((int8)((((int8)(((int8)2))) & (int8)3) - (((int8)(((int8)100))) & (int8)3)))) & (int8)3));
            }
            if (((((uint64)(p2)) * ((int64)5ull)) <= (((uint64)(p2)) ^ ((int64)9223372036854775807ull)))) {
                if (((int8)(((int64)1ull)) > ((int8)table[((int32)(((int32)5))) & 15]))) {
                    p2 = ((((int8)(int32)(f[((int32)((int32)2147483647)) & 63] * 16)) <= (!(((int8)64) < ((int8)100)) ? ((int8)(((int8)100))) : ((int8)(((int8)64))))) ? ((uint64)((((uint64)(p2)) * ((int32)1)))) : ((uint64)((((uint64)(p2)) + ((int64)0ull)))));
                }
                else {
                    p2 = (((uint64)((((uint64)(p2)) / ((((uint64)(p2)) & (uint64)7) + (uint64)1)))) - (((int8)(((int8)64))) ^ ((int8)5)));
                    p2 += (((uint64)((((uint64)(((uint64)100ull))) + ((uint8)2)))) + (uint16)(((int8)127)));
                }
            }
            else {
                cif ((((int64)i[((int32)(((int32)1073741824))) & 63]) < ((int64)8554515172375732819ull))) {
                    int64 v7 = (((int64)((int64)((((int64)(((int64)9223372036854775807ull))) & (int64)1073741823) + (((int64)(((int64)2239663272366402186ull))) & (int64)1073741823)))) | ((uint16)(~((uint16)(((uint16)3))))));
                    v7 = (int64)(((int32)2147483647));
                }
            }
        }
        ;
    }
    int32 v8 = ((int32)1073741824);
    if (!((uint64)(v8) >= (((uint64)(((uint64)3ull))) + ((int64)7550664946256963904ull)))) {
        return (int8)((((int8)(((int8)(int32)(f[((int32)((int32)2147483647)) & 63] * 16)))) | (((int8)(((int8)64))) >> (((int32)(((int32)2))) & 7))));
    }
    return (int8)((((int8)(((v8 != v8) ? ((int8)(((int8)2))) : ((int8)(((int8)5)))))) / ((((int8)((((int8)(((int8)7))) / ((((int8)(((int8)0))) & (int8)7) + (int8)1)))) & (int8)7) + (int8)1)));
}
uint8 g9(uint8 p10, int32 p11, int32 p12, uniform float f[], uniform int32 i[]) {
     {
        double a13 = (((float)(((int32)((int32)g1((uint64)(p12), f, i))) & 255) * 0.25) * -13.25);
        int64 b14 = (int64)(a13 * 1024);
        if (a13 > (((float)(((int32)(((int32)(((int32)2))) >> (((int32)(p11)) & 31))) & 255) * 0.25) * 7.75)) p10 = b14;
        else p10 = total(23, i);
    }
     {
        int32 j16 = 0;
        do {
            j16++;
             {
                int32 j17 = 0;
                cwhile (j17 < 6 && ((((uint32)(p11)) * ((int8)7)) <= j16)) {
                    j17++;
                    cif ((((((int32)7) > j17) ? ((uint64)(((uint64)100ull))) : ((uint64)(((uint64)7ull)))) >= ((uint64)(~((uint64)(j17)))))) {
                        if ((((j17 > p11) ? ((uint32)(p12)) : ((uint32)(j17))) >= j16)) {
                            p12 = (((int32)(((int32)(~((int32)(p11)))))) % ((((int32)(((int32)i[((int32)(p11)) & 63]))) & (int32)7) + (int32)1));
                        }
                        else {
                            p12 = ((int32)items[((int32)((((int32)(j16)) & p10))) & 15].a);
                        }
                    }
                    else {
                        switch ((((int32)((int32)(j17))) / ((((int32)(((int32)2147483647))) & (int32)7) + (int32)1)) & 7) {
                            case 6:
                             {
                                p11 = (int32)((((int32)(((int32)i[((int32)(j16)) & 63]))) & (int32)16383) + (((int32)((int32)((((int32)(p11)) & (int32)16383) * (((int32)(((int32)0))) & (int32)16383)))) & (int32)16383));
                            }
                            break;
                            default:
                             {
                                p10++;
                            }
                            break;
                            ;
                        }
                    }
                     {
                        Function a18 = (((((int16)(p10)) / ((((int16)(p10)) & (int16)7) + (int16)1)) & 1) != 0) ? mix : pick;
                        p10 = a18((((uint32)(((p10 != p11) ? ((uint32)(j17)) : ((uint32)(p12))))) ^ ((int16)(~((int16)(p10))))), ((uint32)4294967295));
                    }
                }
            }
        } while (j16 < (((!(p10 <= p10) ? ((int32)(p12)) : ((int32)(p10)))) & 3));
    }
    p10 -= (((uint8)((((uint8)(p10)) + ((int8)0)))) ^ ((uint8)items[((int32)(p10)) & 15].b));
    p12 = (((int32)(((((int64)5ull) >= p11) ? ((int32)(p12)) : ((int32)(((int32)5)))))) % ((((int32)(p11)) & (int32)7) + (int32)1));
    return (uint8)(((uint8)(~((uint8)(((uint8)g1((uint64)(p12), f, i)))))));
}
static noinline int8 g21(int8 p22, uniform float f[], uniform int32 i[]) {
    p22 = ((int8)61);
     {
        if (i[46] > 20) goto label23;
         {
             {
                if (i[25] > 17) goto label25;
                 {
                    p22 = (((int8)(((int8)g1((uint64)(((uint64)0ull)), f, i)))) & p22);
                    p22 = (((int8)(p22)) % ((((int8)(((int8)i[((int32)(p22)) & 63]))) & (int8)7) + (int8)1));
                }
                label25: ;
            }
        }
        label23: ;
    }
    int8 v27 = ((int8)table[((int32)((int32)((((int32)(p22)) & (int32)16383) * (((int32)(((int32)2))) & (int32)16383)))) & 15]);
    cfor (int32 j28 = 0; j28 < (((int32)((((int32)(p22)) & (int32)16383) - (((int32)(v27)) & (int32)16383))) & 7); j28++) {
        p22 = (((int8)(((int8)(int32)(-5.75 * 16)))) / ((((int8)((((int8)(v27)) ^ p22))) & (int8)7) + (int8)1));
    }
    return (int8)((int8)((((int8)((((v27 & 1) != 0) ? ((int8)(((int8)7))) : ((int8)(((int8)127)))))) & (int8)3) - (((int8)((((int8)(p22)) | ((int8)2)))) & (int8)3)));
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... 16) {
        table[k] = k * 2654435761; bytes[k] = k * 37; words[k] = k * 1000;
        items[k].a = k; items[k].b = k * 3; items[k].c = k;
    }
    uniform int16 u29 = ((int16)100);
    uniform uint64 u30 = ((uint64)18446744073709551615ull);
    foreach (k = 0 ... n) {
        uint16 v31 = (((uint16)(u29)) << (((int32)(((int32)g1((uint64)(k), f, i)))) & 15));
        uint8 v32 = (((uint8)(((uint8)5))) - ((int8)bytes[((int32)(u29)) & 15]));
        int64 v33 = (((int64)(((int64)(~((int64)(n)))))) ^ (((int16)(((int16)0))) >> (((int32)(k)) & 15)));
        foreach_active (l34) {
             {
                int32 j43 = 0;
                switch ((int32)((((int32)((((int32)(n)) % ((((int32)(n)) & (int32)7) + (int32)1)))) & (int32)16383) + (((int32)((!(n > u29) ? ((int32)(((int32)2147483647))) : ((int32)(u29))))) & (int32)16383)) & 7) {
                    case 5:
                     {
                        v31 &= (((uint16)(((uint16)words[((int32)(v32)) & 15]))) & (((int8)(((int8)3))) ^ ((int8)2)));
                        { int32 x35 = (int32)(((uint64)words[((int32)(((int32)7))) & 15])) & 15; uint32 y36 = (((uint32)((((uint32)(n)) * ((int8)0)))) << (((int32)(((int32)bytes[((int32)(k)) & 15]))) & 31)); { uniform uint32 * varying p = &table[x35]; *p = y36; } }
                    }
                    break;
                    for (; j43 < (((((int32)(v31)) % ((((int32)(((int32)9042700))) & (int32)7) + (int32)1))) & 3); j43++) {
                         {
                            v32--;
                             {
                                uint16 &a40 = v31;
                                if (((((int8)(((int8)3))) % ((((int8)(((int8)2))) & (int8)7) + (int8)1)) != (int8)(v32))) a40 = (((uint32)(((v31 >= v31) ? ((uint32)(u29)) : ((uint32)(v32))))) + (((uint8)(((uint8)1))) - ((uint8)1)));
                                a40 += 3;
                            }
                        }
                        default:
                         {
                            if ((((((int16)(v32)) >> (((int32)(k)) & 15)) != u29) || !(((uint32)3) > ((uint32)7)))) {
                                v32 = (!((((int16)(u29)) % ((((int16)(v32)) & (int16)7) + (int16)1)) == ((int16)items[((int32)(((int32)1073741824))) & 15].a)) ? ((uint8)((((uint8)(v32)) * v32))) : ((uint8)(((uint8)bytes[((int32)(((int32)1))) & 15]))));
                            }
                            else {
                                v32 *= ((uint8)(~((uint8)((((uint8)(v32)) + ((uint8)101))))));
                                v33 = (int64)((((int64)((((int64)(v31)) / ((((int64)(l34)) & (int64)7) + (int64)1)))) & (int64)1073741823) + (((int64)(v31)) & (int64)1073741823));
                            }
                             {
                                Function a37 = (((int16)((((int16)(u29)) & (int16)63) - (((int16)(u29)) & (int16)63)) >= ((int16)bytes[((int32)(n)) & 15])) || ((n & 1) != 0)) ? mix : pick;
                                v32 = a37((((uint32)(v31)) * (int32)(v32)), (((uint32)((((uint32)(((uint32)3119063566))) * u29))) >> (((int32)((((int32)(((int32)1))) / ((((int32)(k)) & (int32)7) + (int32)1)))) & 31)));
                            }
                        }
                    }
                    ;
                }
            }
        }
         {
            Function a44 = (k >= v32) ? mix : pick;
            v32 = a44((((v32 < ((uint8)i[((int32)(v32)) & 63])) && (v33 > v32)) ? ((uint32)((((uint32)(((uint32)1))) ^ ((int32)2147483647)))) : ((uint32)((((uint32)(v32)) / ((((uint32)(((uint32)2758496580))) & (uint32)7) + (uint32)1))))), ((uint32)1265453513));
        }
        v32 = (((uint8)((((v32 & 1) != 0) ? ((uint8)(((uint8)100))) : ((uint8)(v32))))) ^ (((uint8)(v32)) | ((int8)5)));
         {
            Function a47 = ((((((int8)0) == ((int8)100)) ? ((uint32)(((uint32)5))) : ((uint32)(n))) & 1) != 0) ? mix : pick;
            v31 = a47((uint32)(((n != k) ? ((uint32)(v32)) : ((uint32)(k)))), (uint32)((((int64)(u29)) | ((uint8)0))));
        }
        out[0 + k] = (double)(v31 & (uint16)0x7fffffff);
        out[64 + k] = (double)(v32 & (uint8)0x7fffffff);
        out[128 + k] = (double)(v33 & (int64)0x7fffffff);
    }
    foreach (k = 0 ... 16) {
        out[192 + k] = table[k]; out[208 + k] = bytes[k];
        out[224 + k] = words[k]; out[240 + k] = items[k].a + (int)items[k].b;
    }
}
