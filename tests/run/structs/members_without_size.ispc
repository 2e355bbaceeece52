// claim: the last member may be an array without a size, which adds nothing to its struct and reaches what lies behind it
// expect: [4, 8, 12, 4 * W, 32 * W, 0], np.arange(16) * 1.5, [9, 9, 3, W * (W - 1) / 2 + W, 17], np.where(np.arange(32) % 8 == 3, 50 + np.arange(32) // 8, 0) * (np.arange(32) // 8 < W), [13, 16]
struct Tail { int count; float values[0]; };
struct Open { int8 count; double values[][2]; };
struct Outer { float x; float y; Tail tail; };
struct Lanes { float x; varying double pad[]; };
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Tail some[3];
    out[0] = sizeof(uniform Tail);
    out[1] = sizeof(uniform Open);
    out[2] = sizeof(uniform Outer);
    out[3] = sizeof(varying Tail);
    out[4] = sizeof(uniform Lanes) * 4;
    out[5] = sizeof(some[0].values);
    uniform Open * uniform open = (uniform Open * uniform)(uniform new uniform double[17]);
    foreach (j = 0 ... 16)
        open->values[j / 2][j & 1] = j * 1.5;
    foreach (j = 0 ... 16)
        out[6 + j] = open->values[j / 2][j & 1];
    delete (uniform double * uniform)open;
    // Copies are of the struct alone.
    uniform int32 words[8] = { 0, 0, 9, 1, 0, 0, 3, 2 };
    uniform Outer * uniform outer = (uniform Outer * uniform)&words[0];
    out[22] = outer->tail.count;
    uniform Outer * uniform next = (uniform Outer * uniform)&words[4];
    *next = *outer;
    out[23] = words[6];
    outer->tail.values[3] = 0x1p-149f * 3;
    out[24] = next->tail.count;
    varying Tail v = { programIndex }, w;
    v.count += 1;
    w = v;
    out[25] = reduce_add(w.count);
    some[2].count = 17;
    uniform Tail copied[1];
    copied[0] = some[2];
    out[26] = copied[0].count;
    uniform float rows[64][8];
    for (uniform int j = 0; j < 512; ++j)
        rows[j / 8][j & 7] = 0;
    uniform Tail * varying each = (uniform Tail * varying)&rows[programIndex][0];
    each->values[2] = 50 + programIndex;
    for (uniform int j = 0; j < 32; ++j)
        out[27 + j] = rows[j / 8][j & 7];
    soa<4> Tail blocks[2];
    blocks[1].count = 13;
    out[59] = blocks[1].count;
    out[60] = sizeof(blocks) / 2;
}
