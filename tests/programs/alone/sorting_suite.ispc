// claim: bitonic networks, merge of runs, radix passes by scans and packed stores, and quicksort with its own stack all sort
// where:
//   u = [(k * 2654435761) & 0xffffffff for k in range(64)]
//   key = [v >> 7 for v in u]
//   order = sorted(range(64), key=lambda k: (key[k] % 16, k))
// expect: sorted(key), sorted(key), sorted(key), [key[k] for k in order][:32], [sum(1 for v in key if v % 16 == d) for d in range(16)], [(sum(1 for v in key[:k] if v & 1)) for k in range(16)]
#define N 64
static uniform unsigned int32 keys[N];

static inline void swapIf(unsigned int &a, unsigned int &b, bool ascending) {
    unsigned int lo = min(a, b), hi = max(a, b);
    a = ascending ? lo : hi;
    b = ascending ? hi : lo;
}

static void bitonic(uniform unsigned int data[], uniform int count) {
    for (uniform int k = 2; k <= count; k <<= 1)
        for (uniform int j = k >> 1; j > 0; j >>= 1)
            foreach (t = 0 ... count / 2) {
                int lo = ((t & ~(j - 1)) << 1) | (t & (j - 1));
                int hi = lo | j;
                unsigned int a = data[lo], b = data[hi];
                swapIf(a, b, (lo & k) == 0);
                data[lo] = a;
                data[hi] = b;
            }
}

struct Range { int lo, hi; };

// What is less than the pivot moves down by packed stores, what is greater goes aside and comes back behind it.
static void quicksort(uniform unsigned int a[], uniform int count) {
    uniform unsigned int * uniform aside = uniform new uniform unsigned int[count];
    uniform Range * uniform waiting = uniform new uniform Range[64];
    uniform int top = 0;
    waiting[top].lo = 0; waiting[top++].hi = count;
    do {
        uniform Range r = waiting[--top];
        if (r.hi - r.lo < 2) continue;
        uniform unsigned int pivot = a[(r.lo + r.hi) >> 1];
        uniform int below = r.lo, above = 0;
        foreach (k = r.lo ... r.hi) {
            unsigned int v = a[k];
            if (v < pivot) below += packed_store_active(&a[below], v);
            else if (v > pivot) above += packed_store_active(&aside[above], v);
        }
        uniform int behind = r.hi - above;
        for (uniform int k = below; k < behind; ++k) a[k] = pivot;
        memcpy(a + behind, aside, above * sizeof(uniform unsigned int));
        waiting[top].lo = r.lo; waiting[top++].hi = below;
        waiting[top].lo = behind; waiting[top++].hi = r.hi;
    } while (top > 0);
    delete[] waiting;
    delete[] aside;
}

// stable partition of each digit's elements: one digit of a radix sort
static void radixPass(uniform unsigned int from[], uniform unsigned int to[], uniform int count, uniform int shiftBy, uniform int hist[16]) {
    for (uniform int d = 0; d < 16; d++) hist[d] = 0;
    foreach (k = 0 ... count) {
        int digit = (from[k] >> shiftBy) & 15;
        atomic_add_local(&hist[digit], 1);
    }
    uniform int offset[16];
    uniform int total = 0;
    for (uniform int base = 0; base < 16; base += programCount) {
        if (base + programIndex < 16) {
            int h = hist[base + programIndex];
            offset[base + programIndex] = exclusive_scan_add(h) + total;
            total += reduce_add(h);
        }
    }
    foreach (k = 0 ... count) {
        unsigned int v = from[k];
        int digit = (v >> shiftBy) & 15;
        foreach_unique (d in digit) {
            offset[d] += packed_store_active(&to[offset[d]], v);
        }
    }
}

static void mergeSort(uniform unsigned int a[], uniform unsigned int scratch[], uniform int lo, uniform int hi) {
    if (hi - lo < 2) return;
    uniform int mid = (lo + hi) >> 1;
    mergeSort(a, scratch, lo, mid);
    mergeSort(a, scratch, mid, hi);
    uniform int l = lo, r = mid, o = lo;
    while (l < mid || r < hi) {
        if (r >= hi || (l < mid && a[l] <= a[r])) scratch[o++] = a[l++];
        else scratch[o++] = a[r++];
    }
    memcpy(a + lo, scratch + lo, (hi - lo) * sizeof(uniform unsigned int));
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform unsigned int a[N], b[N], c[N], d[N];
    foreach (k = 0 ... N) {
        unsigned int v = k * 2654435761u;
        keys[k] = v >> 7;
    }
    foreach (k = 0 ... N) { a[k] = b[k] = c[k] = keys[k]; }
    bitonic(a, N);
    quicksort(b, N);
    mergeSort(c, d, 0, N);
    foreach (k = 0 ... N) { out[k] = a[k]; out[64 + k] = b[k]; out[128 + k] = c[k]; }
    uniform int hist[16];
    radixPass(keys, d, N, 0, hist);
    foreach (k = 0 ... 32) out[192 + k] = d[k];
    foreach (k = 0 ... 16) out[224 + k] = hist[k];
    uniform int odd = 0;
    for (uniform int base = 0; base < 16; base += programCount) {
        int k = base + programIndex;
        if (k < 16) {
            int isOdd = keys[k] & 1;
            out[240 + k] = exclusive_scan_add(isOdd) + odd;
            odd += reduce_add(isOdd);
        }
    }
}
