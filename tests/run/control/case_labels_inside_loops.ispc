// claim: lanes enter a loop at a case label in its body, each at its own, and go round together from then on
// where:
//   def copies(v):
//       # for (int j = 0; j < 3; j++) { a; case 2: b; case 1: c; if (j == v) continue; d; if (v == 6 && j == 1) break; }
//       labels = {0: 0, 1: 3, 2: 2, 3: 1, 4: 1, 5: 0, 6: 1}
//       r, j, at = 0, 0, labels[v % 7]
//       if at == 0:
//           return -1
//       first = at
//       while first != 1 or j < 3:
//           if first == 1: r += 1
//           if first in (1, 2): r += 10
//           first = 1
//           r += 100
//           if j == v % 7:
//               j += 1
//               continue
//           r += 1000
//           if v % 7 == 6 and j == 1: break
//           j += 1
//       return r
//   def device(count):
//       return sum(range(count)) if count else 0
// expect: [copies(k) for k in range(n)], [copies(k // 8) for k in range(n)], [device(k % 13) for k in range(n)]
int copies(int v) {
    int r = 0;
    int j = 0;
    switch (v) {
    case 3:
    case 4:
    case 6:
        for (; j < 3; j++) {
            r += 1;
    case 2:
            r += 10;
    case 1:
            r += 100;
            if (j == v)
                continue;
            r += 1000;
            if (v == 6 && j == 1)
                break;
        }
        break;
    default:
        r = -1;
    }
    return r;
}

int copies_uniform(uniform int v) {
    int r = 0;
    int j = 0;
    switch (v) {
    case 3:
    case 4:
    case 6:
        for (; j < 3; j++) {
            r += 1;
    case 2:
            r += 10;
    case 1:
            r += 100;
            if (j == v)
                continue;
            r += 1000;
            if (v == 6 && j == 1)
                break;
        }
        break;
    default:
        r = -1;
    }
    return r;
}

int device(int count) {
    int sum = 0, position = 0, rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        if (count == 0)
            break;
        do {
            sum += position++;
    case 3:
            sum += position++;
    case 2:
            sum += position++;
    case 1:
            sum += position++;
        } while (--rounds > 0);
    }
    return sum;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        out[k] = copies(k % 7);
        out[128 + k] = device(k % 13);
    }
    for (uniform int block = 0; block < 8; block++)
        foreach (k = 0 ... 8)
            out[64 + 8 * block + k] = copies_uniform(block % 7);
}
