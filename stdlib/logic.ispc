// Logic without short circuit, selection, sign extension.
#include "types.isph"

bool and(bool a, bool b) { return a & b; }
uniform bool and(uniform bool a, uniform bool b) { return a & b; }
bool or(bool a, bool b) { return a | b; }
uniform bool or(uniform bool a, uniform bool b) { return a | b; }

#define SELECT(T) \
    T select(bool c, T t, T f) { return c ? t : f; } \
    T select(uniform bool c, T t, T f) { return c ? t : f; } \
    uniform T select(uniform bool c, uniform T t, uniform T f) { return c ? t : f; }
NUMBERS(SELECT)

int32 sign_extend(bool v) { return v ? -1 : 0; }
uniform int32 sign_extend(uniform bool v) { return v ? -1 : 0; }
