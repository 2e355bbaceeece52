// claim: stringizing, __VA_OPT__, GNU comma pasting and nested macros expand as in C
// prints: x + 1 = 4\nnone\n
// expect: [3, 6, 1, 10]
#define SHOW(e, v) print(#e " = %\n", v)
#define COUNT(...) (0 __VA_OPT__(+ add(__VA_ARGS__)))
#define TEXT(format, ...) print(format, ## __VA_ARGS__)
#define OUTER(v) INNER(v) * 2
#define INNER(v) (v + 2)
static uniform int add(uniform int a, uniform int b) { return a + b; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int x = n - 61;
    out[0] = COUNT(1, 2);
    out[1] = COUNT() + 6;
    out[2] = COUNT() + 1;
    out[3] = OUTER(x);
    SHOW(x + 1, x + 1);
    TEXT("none\n");
}
