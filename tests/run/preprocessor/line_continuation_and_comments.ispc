// claim: comments are blanks and a backslash at the end of a line joins it with the next
// expect: [12, 3, 2, 5, 7]
#define DECLARE(name, value)                  \
    static uniform int name()                 \
    /* over two lines, joined                 \
     * by a backslash */                      \
    { return value /* and over two lines that
                      nothing joins */        \
          + 1; } // the last one              \
    { return 0; }
DECLARE(four, 4)
DECLARE(six, 6) /*
*/
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int a /* between */ = 1 /* not nested /* */ + 2; // until the end \
       of the joined line: a = 100;
    out[0] = a * 4;
    out[\
1] = a;
    out[2] = 4 /**// 2;
    out[3] = four();
    out[4] = six();
}
