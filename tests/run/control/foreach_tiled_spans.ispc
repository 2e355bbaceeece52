// claim: the tile of a two-dimensional foreach_tiled is 2x2, 2x4 or 4x4 lanes, filled row by row
// where:
//   rows, columns = {4: (2, 2), 8: (2, 4), 16: (4, 4)}[W]
//   lane = [[(j % rows) * columns + k % columns for k in range(8)] for j in range(8)]
//   group = [[(j // rows) * (8 // columns) + k // columns for k in range(8)] for j in range(8)]
// widths: 4 8 16
// expect: np.ravel(lane), np.ravel(group)
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform int group = 0;
    foreach_tiled (j = 0 ... 8, k = 0 ... 8) {
        out[j * 8 + k] = programIndex;
        out[64 + j * 8 + k] = group;
        group++;
    }
}
