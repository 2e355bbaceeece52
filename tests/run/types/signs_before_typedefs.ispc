// claim: 'unsigned' before the typedef of an integer is the unsigned type; unary plus of a struct is the struct
// expect: [4294967295, 255, 3, 65535, 1, 2, 7, 2 ** 31], [8, 2]
typedef int Word;
typedef int8 Byte;
typedef uniform int16 Half;
struct V { float x; float y; };
struct W { int k; };
static uniform V operator+(const uniform V &a, const uniform V &b) { uniform V r = { a.x + b.x, a.y + b.y }; return r; }
static W operator+(W a) { W r = { a.k + 1 }; return r; }
static uniform unsigned Word half(uniform unsigned Word n) { return n / 2; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    unsigned uniform Word all = -1;
    unsigned Byte b = i[0] * 0 + 255;
    unsigned Half h = -1;
    out[0] = all;
    out[1] = reduce_max((uint32)b);
    out[2] = (uniform unsigned Byte)259;
    out[3] = h;
    uniform V v = { 1, 2 };
    uniform V w = +v;
    out[4] = w.x;
    out[5] = (+v).y;
    W k = { 6 };
    k = +k;
    out[6] = reduce_max(k.k);
    out[7] = half(0) + 1.0 * half(all) + 1;
    out[8] = reduce_max((+k).k);
    out[9] = (half(4) + all - all);
}
