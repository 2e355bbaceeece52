// claim: comments are blanks and a backslash at the end of a line joins it with the next
// expect: [12, 3, 2]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int a /* between */ = 1 /* not nested /* */ + 2; // until the end \
       of the joined line: a = 100;
    out[0] = a * 4;
    out[\
1] = a;
    out[2] = 4 /**// 2;
}
