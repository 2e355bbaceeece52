// claim: members that are references name objects, in locals, globals and what a shorter initializer leaves out
// expect: [5, 7, 11, 7, 3, 9, 1]
struct V { float x; };
static uniform V global = { 1 };
struct Holder { uniform V &of; uniform V own; };
struct Both { int a; uniform int &b; };
static uniform Holder held = { global, { 3 } };
static uniform int zero = 0;
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform V local = { 4 };
    uniform Holder h = { local };
    h.of.x += 1;
    out[0] = local.x;
    uniform Holder copy = h;
    copy.of.x = 7;
    out[1] = h.of.x;
    held.of.x += 10;
    out[2] = global.x;
    out[3] = copy.of.x + copy.own.x;
    out[4] = held.own.x;
    Both b = { programIndex, zero };
    b.b = 9;
    out[5] = zero;
    out[6] = reduce_min(b.a) + 1;
    global.x = 1;
    zero = 0;
}
