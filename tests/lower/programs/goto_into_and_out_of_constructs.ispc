// goto past returns of some lanes, into and out of loops, switches and unmasked blocks that other lanes left
static noinline uniform int lanes_on(uniform int add) { return popcnt((varying bool)true) + add; }
static int h1(int v, uniform int a) {
    int r = 0;
    uniform int k = 0;
    for (; lanes_on(0) > 0 && k < 4; k++) {
        r += 1;
        if (v == k) break;
        for (uniform int j = 0; j < 3; j++) {
            if (v == j + 4) { r += 50; continue; }
            r += 100;
            if (a == j) goto inner;
            if (v == 3 && j == 1) return r;
        }
        r += 1000;
inner:
        r += lanes_on(0) * 100000;
    }
    r += lanes_on(0) * 10000000;
    return r;
}
static int h2(int v, uniform int a) {
    int r = 0;
    if (v == 1) return -1;
    if (a == 0) goto deep;
    if (a < 5) {
        r += 1;
        if (v == 2) return -2;
deep:
        r += lanes_on(0);
        if (v == 3) return -3;
        r += 10;
    } else {
        r += 7;
    }
    r += lanes_on(0) * 1000;
    a++;
    if (a == 1) goto deep;
    return r;
}
static int h3(int v, uniform int a) {
    int r = 0;
    if (v == 1) return -1;
    unmasked {
        r += 1;
        if (a == 1) goto out;
        r += 10;
    }
    r += 100 * lanes_on(0);
out:
    r += 10000 * lanes_on(0);
    return r;
}
static int h4(int v, uniform int a) {
    int r = 0;
    switch (a) {
    case 0:
        if (v == 0) break;
        r += 1;
    again:
    case 1:
        r += 10 * lanes_on(0);
        if (v == 1) break;
        a += 5;
        if (a < 10) goto again;
        r += 1000;
    case 2:
        if (v == 2) return -7;
        r += 5;
        if (a == 2) goto done;
    }
    r += lanes_on(0) * 100000;
done:
    return r + lanes_on(0) * 10000000;
}
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    int l = programIndex;
    for (uniform int k = 0; k < 4; k++) {
        int a = h1(l, k), b = h2(l, k), c = h3(l, k), d = h4(l, k);
        foreach_active (z) { if (z < 8) { out[k * 32 + z] = extract(a, z); out[k * 32 + 8 + z] = extract(b, z); out[k * 32 + 16 + z] = extract(c, z); out[k * 32 + 24 + z] = extract(d, z); } }
    }
}
