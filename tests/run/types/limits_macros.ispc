// claim: the limit macros have the values of their types
// expect: [-128, 127, 255, -32768, 32767, 65535, -2.0**31, 2.0**31 - 1, 2.0**32 - 1, -2.0**63, 2.0**-126, float(np.finfo(np.float32).max), float(np.finfo(np.float64).max)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = INT8_MIN;
    out[1] = INT8_MAX;
    out[2] = UINT8_MAX;
    out[3] = INT16_MIN;
    out[4] = INT16_MAX;
    out[5] = UINT16_MAX;
    out[6] = INT32_MIN;
    out[7] = INT32_MAX;
    out[8] = UINT32_MAX;
    out[9] = INT64_MIN;
    out[10] = FLT_MIN;
    out[11] = FLT_MAX;
    out[12] = DBL_MAX;
}
