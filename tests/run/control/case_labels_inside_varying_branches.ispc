// claim: lanes join at case labels inside the branches of an if, of a varying and of a uniform switch
// where:
//   def path(v, c):
//       # The program as sequential code: 0 to 5 are the places of the labels, in order.
//       r, at = 0, {0: 0, 1: 1, 2: 2, 3: 3, 4: 4}.get(v, 5)
//       if at == 0: r += 1
//       inner = at in (1, 2, 3) or (at == 0 and (c & 1) == 0)
//       if inner:
//           if at == 0: r += 10
//           if at in (0, 1): r += 100
//           if at in (0, 1, 2) and c & 2: return r + 1000
//           r += 10000
//       else:
//           if at == 0: r += 20
//           r += 200
//       if at == 5: return r - 200 + 5
//       return r + 100000
// expect: [path(k % 7, k // 7) for k in range(n)], [path(k // 8 % 7, k % 8) for k in range(n)]
int varying_switch(int v, int c) {
    int r = 0;
    switch (v) {
    case 0:
        r += 1;
        if ((c & 1) == 0) {
            r += 10;
    case 1:
            r += 100;
    case 2:
            if (c & 2) {
                r += 1000;
                break;
            }
    case 3:
            r += 10000;
        } else {
            r += 20;
    case 4:
            r += 200;
        }
        r += 100000;
        break;
    default:
        r += 5;
    }
    return r;
}

int uniform_switch(uniform int v, int c) {
    int r = 0;
    switch (v) {
    case 0:
        r += 1;
        if ((c & 1) == 0) {
            r += 10;
    case 1:
            r += 100;
    case 2:
            if (c & 2) {
                r += 1000;
                break;
            }
    case 3:
            r += 10000;
        } else {
            r += 20;
    case 4:
            r += 200;
        }
        r += 100000;
        break;
    default:
        r += 5;
    }
    return r;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n)
        out[k] = varying_switch(k % 7, k / 7);
    for (uniform int block = 0; block < 8; block++)
        foreach (k = 0 ... 8)
            out[64 + 8 * block + k] = uniform_switch(block % 7, k);
}
