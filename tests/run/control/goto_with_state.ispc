// claim: goto in a uniform state machine jumps between blocks and loops
// expect: [0, 1, 3, 7, 15, 31, 63, 127], [8]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int state = 0, value = 0, step = 0;
next:
    if (state == 0)
        goto store;
    value = 2 * value + 1;
store: {
        out[step] = value;
        state = 1;
        step++;
    }
    while (step < 100) {
        if (step < 8)
            goto next;
        break;
    }
    out[8] = step;
}
