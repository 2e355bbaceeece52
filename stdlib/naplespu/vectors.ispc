// Vectors of NaplesPU under the manual's names (NaplesPU 4.1): a vector is a varying value, a mask a number with a bit a lane.
//
// Comparisons look at all lanes, active or not.

static inline uniform int bitmap(bool lanes) { return (uniform int)__pack_bits(lanes); }

varying int splat(uniform int value) { return value; }
varying float splat(uniform float value) { return value; }
// Bit 0 of each lane.
uniform int createmask(int lanes) { return bitmap((lanes & 1) != 0); }

// The lanes that are on; write_mask(bits) switches them on and off outside of varying control flow.
uniform int read_mask() { return bitmap(__active()); }
uniform int __builtin_npu_read_mask_reg() { return bitmap(__active()); }

varying int __builtin_npu_makevectori32(uniform int value) { return value; }
varying float __builtin_npu_makevectorf32(uniform float value) { return value; }
int __builtin_npu_shufflei32(int value, int lanes) { return __shuffle(value, lanes); }
float __builtin_npu_shufflef32(float value, int lanes) { return __shuffle(value, lanes); }
uniform int __builtin_npu_createmaskv16i32(int lanes) { return bitmap((lanes & 1) != 0); }
int __builtin_npu_clzv16i32(int value) { return __leading_zeros(value); }
int __builtin_npu_ctzv16i32(int value) { return __trailing_zeros(value); }
uniform int __builtin_npu_clzi32(uniform int value) { return __leading_zeros(value); }
uniform int __builtin_npu_ctzi32(uniform int value) { return __trailing_zeros(value); }

uniform int __builtin_npu_mask_cmpi32_eq(int a, int b) { return bitmap(a == b); }
uniform int __builtin_npu_mask_cmpi32_ne(int a, int b) { return bitmap(a != b); }
uniform int __builtin_npu_mask_cmpi32_sgt(int a, int b) { return bitmap(a > b); }
uniform int __builtin_npu_mask_cmpi32_sge(int a, int b) { return bitmap(a >= b); }
uniform int __builtin_npu_mask_cmpi32_slt(int a, int b) { return bitmap(a < b); }
uniform int __builtin_npu_mask_cmpi32_sle(int a, int b) { return bitmap(a <= b); }
uniform int __builtin_npu_mask_cmpi32_ugt(unsigned int a, unsigned int b) { return bitmap(a > b); }
uniform int __builtin_npu_mask_cmpi32_uge(unsigned int a, unsigned int b) { return bitmap(a >= b); }
uniform int __builtin_npu_mask_cmpi32_ult(unsigned int a, unsigned int b) { return bitmap(a < b); }
uniform int __builtin_npu_mask_cmpi32_ule(unsigned int a, unsigned int b) { return bitmap(a <= b); }
uniform int __builtin_npu_mask_cmpf32_eq(float a, float b) { return bitmap(a == b); }
uniform int __builtin_npu_mask_cmpf32_ne(float a, float b) { return bitmap(a != b); }
uniform int __builtin_npu_mask_cmpf32_gt(float a, float b) { return bitmap(a > b); }
uniform int __builtin_npu_mask_cmpf32_ge(float a, float b) { return bitmap(a >= b); }
uniform int __builtin_npu_mask_cmpf32_lt(float a, float b) { return bitmap(a < b); }
uniform int __builtin_npu_mask_cmpf32_le(float a, float b) { return bitmap(a <= b); }
