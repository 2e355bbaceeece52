// claim: rows of varying data are stored under masks through pointers made of integers, of other pointers and of lanes
// widths: 4 8 16 32 64
// expect: np.where(L < 3, L + 0.5, 0), np.where(L & 1, 7.0, 0), np.where(L > 1, 2.0 * L, 0), np.where(L < W - 1, L - 9.0, 0), np.where(L & 1, L + 1.0, L), np.where(L > 0, 4.0, 0), np.where(L < 2, 6.0, 0)
static void fill(varying double * uniform p, double value, bool on) { if (on) *p = value; }
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform intptr_t place = (uniform intptr_t)out;
    if (programIndex < 3) *((varying double * uniform)place) = programIndex + 0.5;
    // rounded to the size of a row, as one does by hand to align memory
    uniform intptr_t row = sizeof(double);
    uniform intptr_t next = ((place / 8 + i[0] - i[0]) * 8 + row) & ~(uniform intptr_t)7;
    if (programIndex & 1) *((varying double * uniform)next) = 7;
    // counted from one pointer by the distance of two others
    uniform int8 * uniform first = (uniform int8 * uniform)(void * uniform)f;
    uniform int8 * uniform second = first + 2 * row;
    uniform int8 * uniform bytes = (uniform int8 * uniform)(void * uniform)out;
    varying double * uniform third = (varying double * uniform)(void * uniform)(bytes + ((uniform intptr_t)second - (uniform intptr_t)first));
    if (programIndex > 1) *third = 2 * programIndex;
    // one lane of a vector of pointers
    intptr_t places = place + (3 + (programIndex & 1)) * row;
    foreach_unique (each in places) {
        if (each == place + 3 * row) {
            varying double * uniform p = (varying double * uniform)each;
            unmasked { if (programIndex < programCount - 1) *p = programIndex - 9; }
        } else {
            varying double * uniform p = (varying double * uniform)each;
            unmasked { *p = programIndex; if (programIndex & 1) *p += 1; }
        }
    }
    double * equal = (double *)(void *)(intptr_t)(place + 5 * row);
    uniform intptr_t same = extract((intptr_t)equal, 1);
    fill((varying double * uniform)same, 4, programIndex > 0);
    uniform intptr_t word = *((uniform intptr_t * uniform)&same) + row;
    fill((varying double * uniform)word, 6, programIndex < 2);
}
