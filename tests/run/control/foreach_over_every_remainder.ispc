// claim: foreach ranges of every length from 0 to 20 touch exactly their elements
// expect: [sum(k < m for m in range(21)) for k in range(20)]
static noinline void add(uniform double out[], uniform int count) {
    foreach (k = 0 ... count)
        out[k] += 1;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (uniform int m = 0; m <= 20; m++)
        add(out, m);
}
