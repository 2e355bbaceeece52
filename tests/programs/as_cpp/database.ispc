// call: scan: Z(4000), Z(8,np.int64), I(4000,0,50,np.uint8), I(4000,-1000,1000,np.int16), I(4000,-10**9,10**9,np.int64), F(4000,0,100), 4000, 10, 40
// call: hash_join: Z(600), I(300,0,400,np.uint32), I(600,0,400,np.uint32), 300, 600
// call: dictionary: Z(500,np.uint16), Z(500), I(500*4,97,100,np.uint8), 500
// call: bitmaps: Z(64,np.uint64), Z(64), I(64*64,0,1000,np.uint16), 64, 400
// call: varint: Z(700*10,np.uint8), Z(700), Z(700,np.uint64), I(700,0,2**40,np.int64), 700
// call: search: Z(300), np.sort(I(1000,-5000,5000)), I(300,-5100,5100), 1000, 300
// call: window: Z(800,np.float64), Z(800,np.int32), D(800,-5,5), 800, 9
// call: btree: Z(200), I(255,-1000,1000), I(200,-1000,1000), 200
enum Kind { SMALL = -2, USUAL, LARGE, OTHER = 1048576 };
struct Row { uint8 key; int16 delta; int64 amount; float price; Kind kind; bool live[3]; };
struct Totals { int64 amount; int count; double price; };
static inline Kind kind_of(int64 amount) {
    if (amount < -500000000) return SMALL;
    if (amount > 500000000) return LARGE;
    return amount & 1 ? OTHER : USUAL;
}
static bool passes(const Row &row, uniform int low, uniform int high) {
    bool good = row.key >= low && row.key < high;
    good &= row.live[0] | row.live[2];
    return good && (row.kind != OTHER || row.price > 50.0f);
}
export void scan(uniform int chosen[], uniform int64 totals[], uniform uint8 keys[], uniform int16 deltas[], uniform int64 amounts[], uniform float prices[], uniform int n, uniform int low, uniform int high) {
    foreach (i = 0 ... n) {
        Row row;
        row.key = keys[i]; row.delta = deltas[i]; row.amount = amounts[i]; row.price = prices[i];
        row.kind = kind_of(row.amount);
        for (uniform int k = 0; k < 3; k++) row.live[k] = (row.delta >> k) & 1;
        if (!passes(row, low, high)) { chosen[i] = -1; continue; }
        int slot = row.kind == SMALL ? 0 : row.kind == USUAL ? 1 : row.kind == LARGE ? 2 : 3;
        chosen[i] = slot * 1000 + row.key + (row.live[1] ? 100000 : 0);
        atomic_add_global(&totals[slot], row.amount);
        atomic_max_global(&totals[4 + slot], (int64)row.delta);
    }
}
static inline uint32 mixed(uint32 x) { x ^= x >> 16; x *= 0x85ebca6bu; x ^= x >> 13; x *= 0xc2b2ae35u; return x ^ (x >> 16); }
static inline uniform uint32 mixed(uniform uint32 x, uniform bool one) { x ^= x >> 16; x *= 0x85ebca6bu; x ^= x >> 13; x *= 0xc2b2ae35u; return x ^ (x >> 16); }
export void hash_join(uniform int found[], uniform uint32 build[], uniform uint32 probe[], uniform int b, uniform int p) {
    uniform uint32 keys[1024];
    uniform int values[1024];
    for (uniform int k = 0; k < 1024; k++) values[k] = -1;
    for (uniform int k = 0; k < b; k++) {
        uniform uint32 at = mixed(build[k], true) & 1023;
        while (values[at] >= 0 && keys[at] != build[k]) at = (at + 1) & 1023;
        keys[at] = build[k];
        if (values[at] < 0) values[at] = k; else values[at] += 1000;
    }
    foreach (i = 0 ... p) {
        uint32 at = mixed(probe[i]) & 1023;
        int result = -1;
        do {
            if (values[at] < 0) break;
            if (keys[at] == probe[i]) { result = values[at]; break; }
            at = (at + 1) & 1023;
        } while (true);
        found[i] = result;
    }
}
export void dictionary(uniform uint16 codes[], uniform int sizes[], uniform uint8 words[], uniform int n) {
    foreach (i = 0 ... n) {
        uint16 code = 0;
        int size = 0;
        for (uniform int k = 0; k < 4; k++) {
            uint8 c = words[i * 4 + k];
            switch (c) {
            case 97: code = code * 3; size += 1; break;
            case 98: code = code * 3 + 1; size += 2;
            case 99: code = code * 3 + 2; size += 4; break;
            default: code ^= 0xFFFF;
            }
            code += (uint16)((int)c << 8);
        }
        codes[i] = code;
        sizes[i] = size;
    }
}
export void bitmaps(uniform uint64 maps[], uniform int counts[], uniform uint16 values[], uniform int n, uniform int limit) {
    foreach (i = 0 ... n) {
        uint64 map = 0;
        for (uniform int k = 0; k < 64; k++)
            if (values[i * 64 + k] < limit) map |= (uint64)1 << k;
        maps[i] = map;
        int runs = popcnt((int64)(map & ~(map << 1)));
        int longest = 0;
        uint64 m = map;
        while (m != 0) { m &= m << 1; longest++; }
        counts[i] = runs * 100 + longest;
    }
}
export void varint(uniform uint8 out[], uniform int sizes[], uniform uint64 again[], uniform int64 values[], uniform int n) {
    foreach (i = 0 ... n) {
        uint64 v = (uint64)values[i];
        if (i % 5 == 0) v = ~v;
        int k = 0;
        for (; v >= 128; k++) { out[i * 10 + k] = (uint8)(v | 128); v >>= 7; }
        out[i * 10 + k++] = (uint8)v;
        sizes[i] = k;
        uint64 back = 0;
        for (int j = k - 1; j >= 0; --j) back = (back << 7) | (out[i * 10 + j] & 127);
        again[i] = back;
    }
}
export void search(uniform int found[], uniform int sorted[], uniform int wanted[], uniform int n, uniform int m) {
    foreach (i = 0 ... m) {
        int low = 0, high = n, key = wanted[i];
        while (low < high) {
            int middle = low + ((high - low) >> 1);
            if (sorted[middle] < key) low = middle + 1; else high = middle;
        }
        found[i] = low < n && sorted[low] == key ? low : -low - 1;
    }
}
export void window(uniform double sums[], uniform int ranks[], uniform double values[], uniform int n, uniform int size) {
    foreach (i = 0 ... n) {
        double sum = 0; int rank = 0;
        int first = max(0, i - size / 2), last = min(n - 1, i + size / 2);
        double own = values[i];
        for (int k = first; k <= last; k++) { sum += values[k]; if (values[k] < own) rank++; else if (values[k] == own && k < i) rank += 100; }
        sums[i] = sum / (last - first + 1);
        ranks[i] = rank;
    }
}
struct Node { uniform int key; uniform int left, right; };
export void btree(uniform int out[], uniform int keys[], uniform int wanted[], uniform int n) {
    uniform Node nodes[256];
    uniform int used = 0;
    for (uniform int k = 0; k < 255; k++) {
        nodes[used].key = keys[k]; nodes[used].left = -1; nodes[used].right = -1;
        uniform int at = 0;
        while (used > 0) {
            uniform int * uniform link = keys[k] < nodes[at].key ? &nodes[at].left : &nodes[at].right;
            if (*link < 0) { *link = used; break; }
            at = *link;
        }
        used++;
    }
    foreach (i = 0 ... n) {
        uniform Node * varying p = nodes;
        int depth = 0, nearest = (int)1 << 30;
        while (true) {
            int d = abs(p->key - wanted[i]);
            if (d < nearest) nearest = d;
            int next = wanted[i] < p->key ? p->left : p->right;
            if (next < 0) break;
            p = &nodes[next];
            depth++;
        }
        out[i] = depth * 10000 + nearest;
    }
}
