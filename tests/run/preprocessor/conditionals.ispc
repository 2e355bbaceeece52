// claim: #if, #ifdef, #elif, #else and defined choose the text
// expect: [1, 2, 3, 4]
#define LEVEL 3
#ifdef LEVEL
#define FIRST 1
#else
#define FIRST 100
#endif
#if LEVEL < 2
#define SECOND 200
#elif LEVEL == 3 && defined(FIRST)
#define SECOND 2
#else
#define SECOND 201
#endif
#undef LEVEL
#ifndef LEVEL
#define THIRD 3
#endif
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    out[0] = FIRST;
    out[1] = SECOND;
    out[2] = THIRD;
#if 0
    this is no program
#endif
    out[3] = 4;
}
