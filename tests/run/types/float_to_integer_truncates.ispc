// claim: conversion of floats to integers truncates toward zero
// expect: np.trunc(f), np.trunc(f * 3), [-1, 199, 44]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = (int)f[k];
        double d = f[k] * 3;
        out[64 + k] = (int64)d;
    }
    uniform float x = -1.75 + (n - 64);
    out[128] = (uniform int8)x;
    out[129] = (uniform uint8)(201.5 + x);
    out[130] = (uniform uint8)300.0;
}
