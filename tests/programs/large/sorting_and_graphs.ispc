// claim: sorts by networks, digits, samples and heaps, searches of graphs, sparse systems and clusters give what numpy gives
// where:
//   def lcg(s, count):
//       r = []
//       for _ in range(count): s = (s * 1566083941 + 1) & 0x7fffffff; r.append(s >> 8)
//       return r
//   keys = lcg(42, 200)
//   ordered = sorted(keys)
//   N = 60
//   edges = [[(v * 7 + 3 * e * e + 1) % N for e in range(v % 4 + 1)] for v in range(N)]
//   weight = lambda v, e: (v * 5 + e * 11) % 13 + 1
//   level = [-1] * N; level[0] = 0; front = [0]
//   while front:
//       nxt = []
//       for v in front:
//           for w in edges[v]:
//               if level[w] < 0: level[w] = level[v] + 1; nxt.append(w)
//       front = nxt
//   dist = [10**6] * N; dist[0] = 0
//   for _ in range(N):
//       for v in range(N):
//           for e, w in enumerate(edges[v]): dist[w] = min(dist[w], dist[v] + weight(v, e))
//   parent = list(range(N))
//   def find(v):
//       while parent[v] != v: v = parent[v]
//       return v
//   for v in range(N):
//       if v % 3 == 0:
//           for w in edges[v]:
//               a, b = find(v), find(w)
//               parent[max(a, b)] = min(a, b)
//   comp = [find(v) for v in range(N)]
//   A = np.zeros((N, N))
//   for v in range(N):
//       A[v, v] = 4 + v % 3
//       for d in (1, 8):
//           if v + d < N: A[v, v + d] = A[v + d, v] = -1
//   x = np.linalg.solve(A, np.array([(v % 5) - 2.0 for v in range(N)]))
//   heap = sorted(keys[:24])[:12]
//   kth = [sorted((k * 37 + j * j * 101) % 997 for j in range(15))[k % 15] for k in range(16)]
//   pts = np.array([[(k * 37 % 11) + 20 * (k % 3), (k * 53 % 13) + 15 * (k % 3)] for k in range(48)], dtype=np.float64)
//   cen = pts[:3].copy()
//   for _ in range(6):
//       who = np.argmin(((pts[:, None] - cen) ** 2).sum(2), 1)
//       cen = np.array([pts[who == c].mean(0) for c in range(3)])
// expect: ordered, heap, kth, level, dist, comp, x, who, cen, [1, 1, 1, 1, 1]
// tolerance: 1e-5
#define KEYS 200
#define N 60
#define INFINITE 1000000

static uniform int keys[KEYS], work[KEYS], scratch[KEYS];

static void make_keys(uniform int to[]) {
    uniform unsigned int s = 42;
    for (uniform int k = 0; k < KEYS; ++k) {
        s = (s * 1566083941 + 1) & 0x7fffffff;
        to[k] = s >> 8;
    }
}

static uniform bool same_keys(const uniform int a[], const uniform int b[], uniform int count) {
    bool differ = false;
    foreach (k = 0 ... count) if (a[k] != b[k]) differ = true;
    return !any(differ);
}

// --- bitonic sort in registers: lanes exchange by shuffles -------------------------------------------------

template <typename T> inline void order(T &a, T &b) { T low = min(a, b); b = max(a, b); a = low; }

template <typename T> static T sort_lanes(T v) {
    for (uniform int size = 2; size <= programCount; size <<= 1)
        for (uniform int stride = size >> 1; stride > 0; stride >>= 1) {
            T other = shuffle(v, programIndex ^ stride);
            bool up = (programIndex & size) == 0, lower = (programIndex & stride) == 0;
            v = up == lower ? min(v, other) : max(v, other);
        }
    return v;
}

static uniform bool lanes_sort() {
    uniform bool good = true;
    for (uniform int seed = 0; seed < 5; ++seed) {
        int v = (programIndex * 29 + seed * 13) % 31;
        int sorted = sort_lanes(v);
        float fsorted = sort_lanes((float)v / 4);
        int64 wide = sort_lanes((int64)v << 33);
        int previous = shift(sorted, -1);
        good &= all(programIndex == 0 || previous <= sorted) && reduce_add(v) == reduce_add(sorted);
        good &= all((int)(fsorted * 4) == sorted) && all(wide >> 33 == (int64)sorted);
    }
    return good;
}

// --- radix sort: a histogram for each lane -----------------------------------------------------------------------

static void radix_pass(const uniform int from[], uniform int to[], uniform int count, uniform int shift_by) {
    uniform int histogram[16][programCount];
    foreach (lane = 0 ... programCount) for (uniform int d = 0; d < 16; ++d) histogram[d][lane] = 0;
    uniform int per = (count + programCount - 1) / programCount;
    int first = programIndex * per;
    int last = min(first + per, count);
    for (int k = first; k < last; ++k) histogram[(from[k] >> shift_by) & 15][programIndex]++;
    uniform int sum = 0;
    for (uniform int d = 0; d < 16; ++d) {
        int h = histogram[d][programIndex];
        histogram[d][programIndex] = sum + exclusive_scan_add(h);
        sum += reduce_add(h);
    }
    for (int k = first; k < last; ++k) {
        int key = from[k];
        to[histogram[(key >> shift_by) & 15][programIndex]++] = key;
    }
}

static void radix_sort(uniform int a[], uniform int tmp[], uniform int count) {
    uniform int * uniform from = a, * uniform to = tmp;
    for (uniform int s = 0; s < 24; s += 4) {
        radix_pass(from, to, count, s);
        uniform int * uniform t = from; from = to; to = t;
    }
    if (from != a) memcpy(a, from, count * sizeof(uniform int));
}

// --- sample sort: tasks --------------------------------------------------------------------------------------------

#define BUCKETS 8
struct Split { int pivots[BUCKETS - 1]; int counts[BUCKETS]; int offsets[BUCKETS + 1]; };

task void count_bucket(const uniform int a[], uniform int count, uniform Split * uniform split, uniform int to[]) {
    uniform int low = taskIndex == 0 ? -1 : split->pivots[taskIndex - 1];
    uniform int high = taskIndex == taskCount - 1 ? INT32_MAX : split->pivots[taskIndex];
    uniform int found = 0;
    foreach (k = 0 ... count) {
        int v = a[k];
        if (v > low && v <= high) {
            if (to != NULL) found += packed_store_active(&to[split->offsets[taskIndex] + found], v);
            else found += popcnt(lanemask());
        }
    }
    split->counts[taskIndex] = found;
    if (to != NULL) {
        // insertion sort of the bucket
        uniform int * uniform bucket = to + split->offsets[taskIndex];
        for (uniform int k = 1; k < found; ++k) {
            uniform int v = bucket[k], j = k;
            for (; j > 0 && bucket[j - 1] > v; --j) bucket[j] = bucket[j - 1];
            bucket[j] = v;
        }
    }
}

static void sample_sort(uniform int a[], uniform int tmp[], uniform int count) {
    uniform Split split;
    uniform int sample[BUCKETS * 3];
    for (uniform int k = 0; k < BUCKETS * 3; ++k) sample[k] = a[(k * 7919) % count];
    for (uniform int k = 1; k < BUCKETS * 3; ++k)
        for (uniform int j = k; j > 0 && sample[j - 1] > sample[j]; --j) {
            uniform int t = sample[j]; sample[j] = sample[j - 1]; sample[j - 1] = t;
        }
    for (uniform int k = 0; k < BUCKETS - 1; ++k) split.pivots[k] = sample[3 * k + 3];
    launch[BUCKETS] count_bucket(a, count, &split, NULL);
    sync;
    split.offsets[0] = 0;
    for (uniform int k = 0; k < BUCKETS; ++k) split.offsets[k + 1] = split.offsets[k] + split.counts[k];
    launch[BUCKETS] count_bucket(a, count, &split, tmp);
    sync;
    memmove(a, tmp, count * sizeof(uniform int));
}

// --- radix exchange (Hildebrandt and Isbitz 1959) with an explicit stack and goto ------------------------------

static void exchange_sort(uniform int a[], uniform int count) {
    uniform int ends[32], bits[32], depth = 0, first = 0, end = count, bit = 1 << 30;
next:
    if (end - first > 1 && bit != 0) {
        uniform int low = first, high = end;
        while (low < high) {
            if ((a[low] & bit) == 0) { ++low; continue; }
            uniform int t = a[--high];
            a[high] = a[low];
            a[low] = t;
        }
        bit >>= 1;
        ends[depth] = end;
        bits[depth++] = bit;
        end = low;
        goto next;
    }
    if (depth == 0) goto done;
    first = end;
    end = ends[--depth];
    bit = bits[depth];
    goto next;
done:
    return;
}

// --- a binary heap for each lane, and selection ---------------------------------------------------------------------

struct Heap { int item[32]; int size; };

static void heap_push(Heap &h, int v) {
    int at = h.size++;
    while (at > 0) {
        int up = (at - 1) >> 1;
        if (h.item[up] <= v) break;
        h.item[at] = h.item[up];
        at = up;
    }
    h.item[at] = v;
}

static int heap_pop(Heap &h) {
    int top = h.item[0], v = h.item[--h.size], at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= h.size) break;
        if (child + 1 < h.size && h.item[child + 1] < h.item[child]) ++child;
        if (v <= h.item[child]) break;
        h.item[at] = h.item[child];
        at = child;
    }
    h.item[at] = v;
    return top;
}

static int select_kth(int a[15], int kth) {
    int low = 0, high = 14;
    while (low < high) {
        int pivot = a[(low + high) >> 1], i = low - 1, j = high + 1;
        while (true) {
            do ++i; while (a[i] < pivot);
            do --j; while (a[j] > pivot);
            if (i >= j) break;
            int t = a[i]; a[i] = a[j]; a[j] = t;
        }
        if (kth <= j) high = j; else low = j + 1;
    }
    return a[kth];
}

// --- graphs in compressed rows ------------------------------------------------------------------------------------

struct Graph { int first[N + 1]; int * uniform target; int * uniform weight; };

static void make_graph(uniform Graph &g) {
    g.first[0] = 0;
    for (uniform int v = 0; v < N; ++v) g.first[v + 1] = g.first[v] + v % 4 + 1;
    g.target = uniform new uniform int[g.first[N]];
    g.weight = uniform new uniform int[g.first[N]];
    foreach (v = 0 ... N) {
        int degree = v % 4 + 1;
        for (int e = 0; e < degree; ++e) {
            g.target[g.first[v] + e] = (v * 7 + 3 * e * e + 1) % N;
            g.weight[g.first[v] + e] = (v * 5 + e * 11) % 13 + 1;
        }
    }
}

static void breadth_first(const uniform Graph &g, uniform int level[]) {
    uniform int fronts[2][N], size = 1, now = 0;
    foreach (v = 0 ... N) level[v] = -1;
    level[0] = 0;
    fronts[0][0] = 0;
    for (uniform int depth = 1; size > 0; ++depth, now ^= 1) {
        uniform int next = 0;
        foreach (k = 0 ... size) {
            int v = fronts[now][k];
            for (int e = g.first[v]; e < g.first[v + 1]; ++e) {
                int w = g.target[e];
                if (atomic_compare_exchange_local(&level[w], -1, depth) == -1)
                    next += packed_store_active(&fronts[1 - now][next], w);
            }
        }
        size = next;
    }
}

task void relax(const uniform Graph * uniform g, uniform int dist[], uniform int * uniform changed) {
    uniform int per = (N + taskCount - 1) / taskCount;
    foreach (v = taskIndex * per ... min((uniform int)((taskIndex + 1) * per), N)) {
        cfor (int e = g->first[v]; e < g->first[v + 1]; ++e) {
            int w = g->target[e], d = dist[v] + g->weight[e];
            int old = atomic_min_global(&dist[w], d);
            if (d < old) atomic_add_global(changed, 1);
        }
    }
}

static uniform int root_of(uniform int parent[], uniform int v) {
    if (parent[v] == v) return v;
    return parent[v] = root_of(parent, parent[v]);
}

static int root_of(const uniform int parent[], int v) {
    while (parent[v] != v) v = parent[v];
    return v;
}

// --- conjugate gradients -------------------------------------------------------------------------------------------

struct Csr { int first[N + 1]; int column[5 * N]; double value[5 * N]; };

static void make_system(uniform Csr &m, uniform double b[]) {
    uniform int at = 0;
    const uniform int offsets[5] = { -8, -1, 0, 1, 8 };
    for (uniform int v = 0; v < N; ++v) {
        m.first[v] = at;
        for (uniform int k = 0; k < 5; ++k) {
            uniform int w = v + offsets[k];
            if (w < 0 || w >= N) continue;
            m.column[at] = w;
            m.value[at++] = w == v ? 4 + v % 3 : -1;
        }
        b[v] = (v % 5) - 2.0d;
    }
    m.first[N] = at;
}

static void multiply(const uniform Csr &m, const uniform double x[], uniform double y[]) {
    foreach (v = 0 ... N) {
        double sum = 0;
        for (int e = m.first[v]; e < m.first[v + 1]; ++e) sum += m.value[e] * x[m.column[e]];
        y[v] = sum;
    }
}

static uniform double dot(const uniform double a[], const uniform double b[]) {
    double sum = 0;
    foreach (v = 0 ... N) sum += a[v] * b[v];
    return reduce_add(sum);
}

#define AXPY(y, s, x) foreach (v_ = 0 ... N) (y)[v_] += (s) * (x)[v_]

static uniform int conjugate_gradients(const uniform Csr &m, const uniform double b[], uniform double x[], uniform double eps) {
    uniform double r[N], p[N], q[N];
    foreach (v = 0 ... N) { x[v] = 0; r[v] = p[v] = b[v]; }
    uniform double rho = dot(r, r);
    uniform int steps = 0;
    while (rho > eps * eps && steps < 200) {
        multiply(m, p, q);
        uniform double alpha = rho / dot(p, q);
        AXPY(x, alpha, p);
        AXPY(r, -alpha, q);
        uniform double next = dot(r, r);
        uniform double beta = next / rho;
        foreach (v = 0 ... N) p[v] = r[v] + beta * p[v];
        rho = next;
        ++steps;
    }
    return steps;
}

// --- k-means on an soa array -----------------------------------------------------------------------------------------

struct Point { float x, y; int cluster; };

static void k_means(soa<8> Point points[], uniform int count, uniform float centers[3][2], uniform int rounds) {
    for (uniform int round = 0; round < rounds; ++round) {
        float sx[3] = { 0, 0, 0 }, sy[3] = { 0, 0, 0 };
        int members[3] = { 0, 0, 0 };
        foreach (k = 0 ... count) {
            float best = FLT_MAX;
            int who = 0;
            for (uniform int c = 0; c < 3; ++c) {
                float dx = points[k].x - centers[c][0], dy = points[k].y - centers[c][1];
                float d = dx * dx + dy * dy;
                if (d < best) { best = d; who = c; }
            }
            points[k].cluster = who;
            sx[who] += points[k].x;
            sy[who] += points[k].y;
            members[who]++;
        }
        for (uniform int c = 0; c < 3; ++c) {
            uniform int all_members = reduce_add(members[c]);
            if (all_members == 0) continue;
            centers[c][0] = reduce_add(sx[c]) / all_members;
            centers[c][1] = reduce_add(sy[c]) / all_members;
        }
    }
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform double * uniform o = out;
    uniform bool good[5];
    make_keys(keys);
    make_keys(work);
    radix_sort(work, scratch, KEYS);
    foreach (k = 0 ... KEYS) o[k] = work[k];
    uniform int other[KEYS];
    make_keys(other);
    sample_sort(other, scratch, KEYS);
    good[0] = same_keys(work, other, KEYS);
    make_keys(other);
    exchange_sort(other, KEYS);
    good[1] = same_keys(work, other, KEYS);
    good[2] = lanes_sort();
    o += KEYS;

    Heap heap;
    heap.size = 0;
    for (uniform int k = 0; k < 24; ++k) heap_push(heap, keys[(k + programIndex * 5) % 24]);
    bool equal = true;
    for (uniform int k = 0; k < 12; ++k) {
        int top = heap_pop(heap);
        equal &= top == broadcast(top, 0);
        o[k] = extract(top, 0);
    }
    good[3] = all(equal);
    o += 12;
    foreach (k = 0 ... 16) {
        int a[15];
        for (uniform int j = 0; j < 15; ++j) a[j] = (k * 37 + j * j * 101) % 997;
        o[k] = select_kth(a, k % 15);
    }
    o += 16;

    uniform Graph graph;
    make_graph(graph);
    uniform int level[N];
    breadth_first(graph, level);
    foreach (v = 0 ... N) o[v] = level[v];
    o += N;
    uniform int dist[N], changed;
    foreach (v = 0 ... N) dist[v] = v == 0 ? 0 : INFINITE;
    do {
        changed = 0;
        launch[3] relax(&graph, dist, &changed);
        sync;
    } while (changed != 0);
    foreach (v = 0 ... N) o[v] = dist[v];
    o += N;
    uniform int parent[N];
    foreach (v = 0 ... N) parent[v] = v;
    for (uniform int v = 0; v < N; v += 3)
        for (uniform int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
            uniform int a = root_of(parent, v), b = root_of(parent, graph.target[e]);
            parent[max(a, b)] = min(a, b);
        }
    foreach (v = 0 ... N) o[v] = root_of(parent, v);
    o += N;
    delete[] graph.target;
    delete graph.weight;

    uniform Csr * uniform system = uniform new uniform Csr;
    uniform double b[N];
    make_system(*system, b);
    good[4] = conjugate_gradients(*system, b, o, 1e-9) < N;
    delete system;
    o += N;

    soa<8> Point points[48];
    foreach (k = 0 ... 48) {
        points[k].x = (k * 37 % 11) + 20 * (k % 3);
        points[k].y = (k * 53 % 13) + 15 * (k % 3);
    }
    uniform float centers[3][2];
    for (uniform int c = 0; c < 3; ++c) { centers[c][0] = points[c].x; centers[c][1] = points[c].y; }
    k_means(points, 48, centers, 6);
    foreach (k = 0 ... 48) o[k] = points[k].cluster;
    o += 48;
    for (uniform int c = 0; c < 3; ++c) for (uniform int d = 0; d < 2; ++d) o[2 * c + d] = centers[c][d];
    o += 6;
    for (uniform int k = 0; k < 5; ++k) o[k] = good[k];
}
