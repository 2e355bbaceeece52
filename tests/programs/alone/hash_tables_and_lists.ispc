// claim: hash tables, linked lists and search trees made with new, walked through varying pointers and freed
// where:
//   vals = [int(v) for v in i]
//   from collections import Counter
//   cnt = Counter(vals)
//   class T: pass
//   def depth(keys):
//       tree, best = {}, 0
//       root = None
//       for v in keys:
//           node, d, parent = root, 1, None
//           while node is not None and node[0] != v:
//               parent = node; node = node[1] if v < node[0] else node[2]; d += 1
//           if node is None:
//               new = [v, None, None]
//               if parent is None: root = new
//               elif v < parent[0]: parent[1] = new
//               else: parent[2] = new
//               best = max(best, d)
//       return best
// expect: [cnt[v] for v in vals], [sum(range(k % 7)) for k in range(64)], [depth(vals), len(cnt), min(vals), max(vals)], [sum(vals[:k+1][::-1][j] * (1 if j % 2 == 0 else -1) for j in range(min(k + 1, 5))) for k in range(16)]
struct Node {
    int key, count;
    Node *next;
};
#define BUCKETS 16
static Node * uniform buckets[BUCKETS];

static unsigned int hash(int key) {
    unsigned int h = key;
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    return h;
}
static uniform unsigned int hash(uniform int key) {
    uniform unsigned int h = key;
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    return h;
}

static uniform Node * uniform insert_key(uniform int key) {
    uniform unsigned int b = hash(key) % BUCKETS;
    for (uniform Node * uniform p = buckets[b]; p != NULL; p = p->next)
        if (p->key == key) { p->count++; return p; }
    uniform Node * uniform fresh = uniform new uniform Node;
    fresh->key = key;
    fresh->count = 1;
    fresh->next = buckets[b];
    buckets[b] = fresh;
    return fresh;
}

static int lookup(int key) {
    uniform Node * varying p = buckets[hash(key) % BUCKETS];
    while (p) {
        if (p->key == key) return p->count;
        p = p->next;
    }
    return 0;
}

static void freeAll() {
    for (uniform int b = 0; b < BUCKETS; ++b) {
        uniform Node * uniform p = buckets[b];
        while (p != NULL) {
            uniform Node * uniform next = p->next;
            delete p;
            p = next;
        }
        buckets[b] = NULL;
    }
}

struct Cell { int value; uniform Cell * uniform next; };

// each lane has a list of its own length
static int sumOfList(int length) {
    struct Item { int value; Item *next; };
    Item *head = NULL;
    for (int k = 0; k < length; ++k) {
        uniform Item * varying fresh = new Item;
        fresh->value = k;
        fresh->next = (uniform Item * varying)head;
        head = fresh;
    }
    int sum = 0;
    while (head != NULL) {
        uniform Item * varying next = head->next;
        sum += head->value;
        delete head;
        head = next;
    }
    return sum;
}

struct Tree { int key; Tree *left, *right; };

static uniform Tree * uniform grow(uniform Tree * uniform root, uniform int key) {
    if (root == NULL) {
        uniform Tree * uniform fresh = uniform new uniform Tree(key, NULL, NULL);
        return fresh;
    }
    if (key < root->key) root->left = grow(root->left, key);
    else if (key > root->key) root->right = grow(root->right, key);
    return root;
}
static uniform int height(const uniform Tree * uniform t) { return t == NULL ? 0 : 1 + max(height(t->left), height(t->right)); }
static uniform int size(uniform Tree * uniform t) { if (!t) return 0; return size(t->left) + 1 + size(t->right); }
static int contains(uniform Tree * varying t, int key) {
    if (t == NULL) return 0;
    int here = t->key;
    if (here == key) return 1;
    return contains(key < here ? t->left : t->right, key);
}
static void cut(uniform Tree * uniform t) {
    if (t == NULL) return;
    cut(t->left);
    cut(t->right);
    delete t;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    for (uniform int k = 0; k < n; ++k) insert_key(i[k]);
    foreach (k = 0 ... n) {
        out[k] = lookup(i[k]);
        out[64 + k] = sumOfList(k % 7);
    }
    freeAll();
    uniform Tree * uniform root = NULL;
    for (uniform int k = 0; k < n; ++k) root = grow(root, i[k]);
    out[128] = height(root);
    out[129] = size(root);
    uniform int found = 0;
    foreach (k = 0 ... n) { found += reduce_add(contains((uniform Tree * varying)root, i[k])); }
    if (found != n) out[129] = -1;
    uniform Tree * uniform least = root, * uniform most = root;
    while (least->left) least = least->left;
    while (most->right) most = most->right;
    out[130] = least->key;
    out[131] = most->key;
    cut(root);
    // a ring buffer of varying values on the heap of the gang
    varying int * uniform ring = uniform new varying int[5];
    for (uniform int k = 0; k < 5; k++) ring[k] = 0;
    for (uniform int k = 0; k < 16; ++k) {
        ring[k % 5] = i[k] + programIndex;
        int total = 0;
        for (uniform int j = 0; j < 5 && j <= k; ++j) {
            int v = ring[(k - j) % 5] - programIndex;
            total += (j & 1) ? -v : v;
        }
        out[132 + k] = extract(total, programCount - 1);
    }
    delete[] ring;
}
