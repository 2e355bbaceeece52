// The tree: references sorted by the code of their centers, in tasks, and split where the codes differ first.
#include "geometry.ih"

#define RADIX_BITS 6
#define BUCKETS (1 << RADIX_BITS)
#define BLOCKS 4

static inline varying uint32 spread(varying uint32 x) {
    x &= 0x3ff;
    x = (x | x << 16) & 0x30000ff;
    x = (x | x << 8) & 0x300f00f;
    x = (x | x << 4) & 0x30c30c3;
    return (x | x << 2) & 0x9249249;
}

static inline uint32 code_of(const uniform box3f &all, const vec3f &p) {
    uint32 code = 0;
    const uniform vec3f size = all.upper - all.lower;
    for (uniform int axis = 0; axis < 3; axis++) {
        const uniform float extent = axis_of(size, axis);
        const float place = extent > 0 ? (axis_of(p, axis) - axis_of(all.lower, axis)) / extent : 0;
        code |= spread((uint32)min(place * 1024, 1023.0f)) << (2 - axis);
    }
    return code;
}

task void bound(const Scene *uniform scene, uniform box3f boxes[], const uniform int32 begins[]) {
    const Geometry *uniform g = scene->geometries[taskIndex1];
    const uniform int begin = g->count * taskIndex0 / taskCount0, end = g->count * (taskIndex0 + 1) / taskCount0;
    for (uniform int k = begin; k < end; k++)
        g->bounds(g, k, boxes[begins[taskIndex1] + k]);
}

struct Sorting {
    uniform Reference *uniform from, *uniform to;
    uniform int32 count, shift;
    uniform int32 counts[BLOCKS][BUCKETS];
    uniform int32 offsets[BLOCKS][BUCKETS];
};

static inline uniform int block_begin(const uniform Sorting &s, uniform int block) { return (uniform int)((uniform int64)s.count * block / BLOCKS); }

task void count_digits(Sorting *uniform s) {
    uniform int32 *uniform counts = s->counts[taskIndex];
    memset(counts, 0, sizeof(uniform int32) * BUCKETS);
    foreach (i = block_begin(*s, taskIndex) ... block_begin(*s, taskIndex + 1)) {
        const int digit = (s->from[i].code >> s->shift) & (BUCKETS - 1);
        atomic_add_local(&counts[digit], 1);
    }
}

task void move(Sorting *uniform s) {
    uniform int32 at[BUCKETS];
    for (uniform int b = 0; b < BUCKETS; b++)
        at[b] = s->offsets[taskIndex0][b];
    for (uniform int i = block_begin(*s, taskIndex0); i < block_begin(*s, taskIndex0 + 1); ++i) {
        const uniform int digit = (s->from[i].code >> s->shift) & (BUCKETS - 1);
        s->to[at[digit]++] = s->from[i];
    }
}

static void sort(uniform Reference *uniform references, uniform int count) {
    uniform Reference *uniform other = uniform new uniform Reference[count];
    Sorting *uniform s = uniform new Sorting;
    s->from = references, s->to = other, s->count = count;
    for (uniform int shift = 0; shift < BITS_OF_CODE; shift += RADIX_BITS) {
        s->shift = shift;
        launch[BLOCKS] count_digits(s);
        sync;
        uniform int32 before = 0;
        for (uniform int digit = 0; digit < BUCKETS; digit++)
            for (uniform int block = 0; block < BLOCKS; block++) {
                s->offsets[block][digit] = before;
                before += s->counts[block][digit];
            }
        assert(before == count);
        launch[BLOCKS, 1, 1] move(s);
        sync;
        uniform Reference *uniform swap = s->from;
        s->from = s->to;
        s->to = swap;
    }
    if (s->from != references) {
        memcpy(references, s->from, count * sizeof(uniform Reference));
    }
    delete s;
    delete other;
}

static uniform int split_of(const uniform Reference r[], uniform int first, uniform int last) {
    const uniform uint32 a = r[first].code, b = r[last].code;
    if (a == b)
        return (first + last) >> 1;
    const uniform int same = count_leading_zeros((uniform int32)(a ^ b));
    uniform int split = first, step = last - first;
    do {
        step = (step + 1) >> 1;
        if (split + step < last) {
            const uniform uint32 code = r[split + step].code;
            if (code == a || count_leading_zeros((uniform int32)(code ^ a)) > same)
                split += step;
        }
    } while (step > 1);
    return split;
}

static uniform int emit(Tree *uniform tree, const uniform box3f boxes[], const uniform int32 begins[], uniform int first,
                        uniform int last, uniform int depth) {
    const uniform int at = tree->node_count++;
    uniform Node &node = tree->nodes[at];
    tree->depth = max(tree->depth, depth);
    node.leaf = last - first < LEAF_SIZE;
    node.first = first;
    node.second = 0;
    node.axis = (int8)depth % 3;
    node.references = last - first + 1;
    if (node.leaf) {
        node.bounds = empty_box();
        for (uniform int k = first; k <= last; ++k) {
            const uniform Reference r = tree->references[k];
            node.bounds = node.bounds | boxes[begins[r.geometry] + r.primitive];
        }
        return at;
    }
    const uniform int split = split_of(tree->references, first, last);
    const uniform int left = emit(tree, boxes, begins, first, split, depth + 1);
    const uniform int right = emit(tree, boxes, begins, split + 1, last, depth + 1);
    node.second = right;
    node.bounds = tree->nodes[left].bounds | tree->nodes[right].bounds;
    uniform float widest = -1;
    for (uniform int8 axis = 0; axis < 3; axis++) {
        const uniform float apart =
            abs(axis_of(center(tree->nodes[left].bounds), axis) - axis_of(center(tree->nodes[right].bounds), axis));
        if (apart <= widest)
            continue;
        widest = apart;
        node.axis = axis;
    }
    return at;
}

export void *uniform Scene_new(void *uniform geometries[], uniform int count) {
    Scene *uniform scene = uniform new Scene;
    scene->count = count;
    scene->geometries = uniform new GeometryPointer[count];
    uniform int32 *uniform begins = uniform new uniform int32[count + 1];
    begins[0] = 0;
    for (uniform int g = 0; g < count; g++) {
        scene->geometries[g] = (Geometry *uniform)geometries[g];
        begins[g + 1] = begins[g] + scene->geometries[g]->count;
    }
    const uniform int n = scene->primitives = begins[count];

    uniform box3f *uniform boxes = uniform new uniform box3f[n];
    launch[3, count] bound(scene, boxes, begins);
    sync;

    Tree *uniform tree = uniform new Tree;
    scene->tree = tree;
    vec3f low = vec3(1e30f), high = vec3(-1e30f);
    foreach (i = 0 ... n) {
        const vec3f c = center((varying box3f)boxes[i]);
        low = lowest(low, c);
        high = highest(high, c);
    }
    tree->bounds.lower = make_vec3_3(reduce_min(low.x), reduce_min(low.y), reduce_min(low.z));
    tree->bounds.upper = make_vec3_3(reduce_max(high.x), reduce_max(high.y), reduce_max(high.z));
    tree->references = uniform new uniform Reference[n];
    tree->reference_count = n;
    for (uniform int g = 0; g < count; g++)
        foreach (k = 0 ... scene->geometries[g]->count) {
            uniform Reference *varying r = &tree->references[begins[g] + k];
            r->geometry = g;
            r->primitive = k;
            r->code = code_of(tree->bounds, center((varying box3f)boxes[begins[g] + k]));
        }
    sort(tree->references, n);
    tree->nodes = uniform new uniform Node[2 * n];
    tree->node_count = tree->depth = 0;
    emit(tree, boxes, begins, 0, n - 1, 1);
    delete boxes;
    delete begins;
    return scene;
}

export void Scene_delete(void *uniform self) {
    Scene *uniform scene = (Scene *uniform)self;
    delete scene->tree->nodes;
    delete scene->tree->references;
    delete scene->tree;
    delete scene->geometries;
    delete scene;
}

export uniform uint64 Scene_hash(const void *uniform self, uniform int sizes[3]) {
    const Scene *uniform scene = (const Scene *uniform)self;
    sizes[0] = scene->tree->node_count;
    sizes[1] = scene->tree->reference_count;
    sizes[2] = scene->tree->depth;
    uniform uint64 hash = 0xcbf29ce484222325ull;
    for (uniform int k = 0; k < scene->tree->reference_count; k++) {
        hash ^= scene->tree->references[k].code ^ ((uniform uint64)scene->tree->references[k].primitive << 32);
        hash *= 0x100000001b3ull;
    }
    return hash;
}

static inline bool meets(const uniform box3f &box, const vec3f &org, const vec3f &inverse, float near, float far, float &enter) {
    float t0 = near, t1 = far;
#define SLAB(x)                                                                                   \
    do {                                                                                          \
        const float a = (box.lower.x - org.x) * inverse.x, b = (box.upper.x - org.x) * inverse.x; \
        t0 = max(t0, min(a, b));                                                                  \
        t1 = min(t1, max(a, b));                                                                  \
    } while (false);
    SLAB(x) SLAB(y) SLAB(z)
    enter = t0;
    return t0 <= t1;
}

// One stack for the gang: a node is visited with the rays that meet its box.
void trace(const Scene *uniform scene, varying Ray &ray, varying uint32 &boxes) {
    const Tree *uniform tree = scene->tree;
    uniform int stack[MAX_DEPTH];
    uniform int top = 0;
    const vec3f inverse = vec3(1 / ray.dir.x, 1 / ray.dir.y, 1 / ray.dir.z);
    stack[top++] = 0;
    ray.geometry = ray.primitive = -1;
    do {
        const uniform Node *uniform node = tree->nodes + stack[--top];
        float enter;
        if (!meets(node->bounds, ray.org, inverse, ray.near, ray.far, enter))
            continue;
        boxes++;
        if (node->leaf) {
            for (uniform int k = 0; k < node->references; k++) {
                const uniform Reference &r = tree->references[node->first + k];
                const Geometry *uniform g = scene->geometries[r.geometry];
                g->intersect(g, r.primitive, ray);
            }
        } else {
            const uniform int first = (uniform int)(node - tree->nodes) + 1;
            stack[top++] = node->second;
            stack[top++] = first;
        }
    } while (top > 0);
    if (ray.geometry >= 0) {
        foreach_unique (id in ray.geometry) {
            const Geometry *uniform g = scene->geometries[id];
            g->surface(g, ray);
        }
    } else
        ray.flags |= RAY_ESCAPED;
}

// Each ray has a stack of its own, and primitives are asked one after the other.
bool occluded(const Scene *uniform scene, varying Ray ray) {
    const Tree *uniform tree = scene->tree;
    int16 stack[MAX_DEPTH];
    int8 top = 0;
    const vec3f inverse = vec3(1 / ray.dir.x, 1 / ray.dir.y, 1 / ray.dir.z);
    stack[top++] = 0;
    ray.geometry = -1;
    while (top > 0) {
        const uniform Node *varying node = &tree->nodes[stack[--top]];
        const varying box3f bounds = node->bounds;
        const vec3f a = (bounds.lower - ray.org) * inverse, b = (bounds.upper - ray.org) * inverse;
        const float t0 = max(max(max(min(a.x, b.x), min(a.y, b.y)), min(a.z, b.z)), ray.near);
        const float t1 = min(min(min(max(a.x, b.x), max(a.y, b.y)), max(a.z, b.z)), ray.far);
        if (t0 > t1)
            continue;
        if (!node->leaf) {
            stack[top] = node->second;
            stack[top + 1] = (int)(node - tree->nodes) + 1;
            top += 2;
            continue;
        }
        for (int k = 0; k < node->references; k++) {
            const int at = node->first + k;
            foreach_unique (which in at) {
                const uniform Reference r = tree->references[which];
                const Geometry *uniform g = scene->geometries[r.geometry];
                g->intersect(g, r.primitive, ray);
            }
            if (ray.geometry >= 0)
                return true;
        }
    }
    return false;
}
