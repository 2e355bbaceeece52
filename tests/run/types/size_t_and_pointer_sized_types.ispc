// claim: size_t is 32 bits with 32-bit addressing, the pointer-sized types are as wide as pointers
// expect: [4, P, P, P, 2.0 ** 32 - 1]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = sizeof(uniform size_t);
    out[1] = sizeof(uniform ptrdiff_t);
    out[2] = sizeof(uniform intptr_t);
    out[3] = sizeof(uniform uintptr_t);
    uniform size_t s = 0;
    s -= 1;
    out[4] = s;
}
