// claim: cases that do nothing and a branch cheap enough to be run always meet at the end of a switch
// expect: [k + 100 if (way := k // 8 % 12) == 3 else k * 7 if way == 8 else k if way in (1, 4, 9) else i[k] if k % 3 == 1 else k for k in range(n)]
static int chosen(int x, uniform int way, uniform int32 i[]) {
    switch (way) {
    case 1:
    case 4:
    case 9:
        break;
    case 3:
        x += 100;
        break;
    case 8:
        x *= 7;
        break;
    default:
        if (x % 3 == 1)
            x = i[x];
    }
    return x;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (uniform int first = 0; first < n; first += 8)
        foreach (k = first ... min(first + 8, n))
            out[k] = chosen(k, first / 8 % 12, i);
}
