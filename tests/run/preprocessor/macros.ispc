// claim: macros with arguments, # and ## and variadic ones expand as in C
// expect: [25, 12, 6, 7]
#define SQUARE(x) ((x) * (x))
#define GLUE(a, b) a##b
#define SUM(first, ...) (first + GLUE(th, ree)(__VA_ARGS__))
#define LONG_MACRO(x) \
    ((x) + \
     1)
static uniform int three(uniform int a, uniform int b) { return a + b; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int GLUE(val, ue) = 5;
    out[0] = SQUARE(value);
    out[1] = SQUARE(1 + 1) * 3;
    out[2] = SUM(1, 2, 3);
    out[3] = LONG_MACRO(6);
}
