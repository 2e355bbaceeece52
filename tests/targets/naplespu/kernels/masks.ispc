// The smaller of two, with the mask written by hand, inside of lanes that are on already.
export void smaller(const uniform int a[], const uniform int b[], uniform int out[], uniform int outer) {
    vec16i32 x = a[programIndex], y = b[programIndex], z = -1;
    uniform int before = read_mask();
    write_mask(outer & before);
    uniform int old = __builtin_npu_read_mask_reg();
    uniform int less = __builtin_npu_mask_cmpi32_slt(x, y);
    __builtin_npu_write_mask_reg(less & old);
    z = x;
    __builtin_npu_write_mask_reg(old & ~less);
    z = y;
    __builtin_npu_write_mask_reg(old);
    write_mask(before);
    out[programIndex] = z;
    if (thread_id() == 0)
        flush(&out[0]);
}

// The same, left to the compiler.
export void smaller_of_some(const uniform int a[], const uniform int b[], uniform int out[], uniform int outer) {
    foreach (i = 0 ... 16) {
        int z = -1;
        if ((outer >> i & 1) != 0) {
            if (a[i] < b[i])
                z = a[i];
            else
                z = b[i];
        }
        out[i] = z;
    }
}

// Every comparison as a bitmap, of lanes that are off too.
export void comparisons(const uniform int a[], const uniform int b[], const uniform float f[], const uniform float g[],
                        uniform int out[]) {
    vec16i32 x = a[programIndex], y = b[programIndex];
    vec16f32 p = f[programIndex], q = g[programIndex];
    uniform int old = read_mask();
    write_mask(0x0F0F);
    uniform int found[16] = {
        __builtin_npu_mask_cmpi32_eq(x, y), __builtin_npu_mask_cmpi32_ne(x, y), __builtin_npu_mask_cmpi32_sgt(x, y),
        __builtin_npu_mask_cmpi32_sge(x, y), __builtin_npu_mask_cmpi32_slt(x, y), __builtin_npu_mask_cmpi32_sle(x, y),
        __builtin_npu_mask_cmpi32_ugt(x, y), __builtin_npu_mask_cmpi32_uge(x, y), __builtin_npu_mask_cmpi32_ult(x, y),
        __builtin_npu_mask_cmpi32_ule(x, y), __builtin_npu_mask_cmpf32_eq(p, q), __builtin_npu_mask_cmpf32_ne(p, q),
        __builtin_npu_mask_cmpf32_gt(p, q), __builtin_npu_mask_cmpf32_ge(p, q), __builtin_npu_mask_cmpf32_lt(p, q),
        __builtin_npu_mask_cmpf32_le(p, q)
    };
    write_mask(old);
    for (uniform int i = 0; i < 16; i++)
        out[i] = found[i];
    flush(&out[0]);
}
