// claim: streaming accesses move W elements whatever the mask, prefetching has no visible effect
// widths: 4 8 16 32 64
// expect: f[:W] + 1, [f[5]]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    prefetch_l1(&f[0]);
    prefetchw_l2(&out[programIndex]);
    prefetch_nt(&i[programIndex]);
    float v = streaming_load(f) + 1;
    if (programIndex == 1)
        streaming_store(out, (double)v);
    streaming_store(&out[programCount], (uniform double)streaming_load_uniform(&f[5]));
}
