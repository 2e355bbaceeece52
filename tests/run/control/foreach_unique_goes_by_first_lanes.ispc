// claim: foreach_unique takes the values in the order of their first lanes that are on, each with all its lanes, of any type
// widths: 4 8 16 32 64
// expect: [x for _ in range(5) for v in dict.fromkeys(L * 5 % 7 % 4) for x in (v, sum(L * 5 % 7 % 4 == v))], [x for v in dict.fromkeys((L * 5 % 7 % 4)[L % 3 > 0]) for x in (v, sum((L * 5 % 7 % 4 == v) & (L % 3 > 0)))], [W]
uniform int k = 0;

#define VISIT(T)                                            \
    {                                                       \
        T v = (T)(programIndex * 5 % 7 % 4);                \
        foreach_unique (x in v) {                           \
            out[k++] = x;                                   \
            out[k++] = reduce_add(1);                       \
        }                                                   \
    }

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    k = 0;
    VISIT(int8)
    VISIT(int16)
    VISIT(int)
    VISIT(int64)
    VISIT(float)
    if (programIndex % 3 > 0)
        VISIT(int)
    float zeros = (programIndex & 1) ? -0.0f : 0.0f;
    foreach_unique (x in zeros)
        out[k++] = reduce_add(1);
}
