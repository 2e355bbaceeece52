// claim: eight levels of divergent ifs give each lane its own path
// expect: [(k & 1) + (k & 2) * 5 + (k & 4) * 25 + (k & 8) * 3 + (k & 16) + (k & 32) * 7 for k in range(n)]
export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    foreach (k = 0 ... n) {
        int r = 0;
        if (k & 1) { r += 1; if (k & 2) { r += 10; if (k & 4) { r += 100; if (k & 8) { r += 24; if (k & 16) { r += 16;
            if (k & 32) { r += 224; } } else if (k & 32) r += 224; } else { if (k & 16) r += 16; if (k & 32) r += 224; } }
            else { if (k & 8) r += 24; if (k & 16) r += 16; if (k & 32) r += 224; } }
            else { if (k & 4) r += 100; if (k & 8) r += 24; if (k & 16) r += 16; if (k & 32) r += 224; } }
        else { if (k & 2) r += 10; if (k & 4) r += 100; if (k & 8) r += 24; if (k & 16) r += 16; if (k & 32) r += 224; }
        out[k] = r;
    }
}
