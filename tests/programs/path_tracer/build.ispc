// The tree over triangles is built by uniform code, with memory from new, recursion and a struct of functions.
#include "scene.h"
#include "vec.isph"

static const uniform float BIG = 1e30f;
#define BINS 8

struct Reference { Box box; V3 mid; int32 id; };

struct Builder {
    Reference *refs;
    Node *nodes;
    int32 nnodes;
    uniform int32 depth;
};

static uniform Box empty_box() {
    uniform Box b = { { BIG, BIG, BIG }, { -BIG, -BIG, -BIG } };
    return b;
}

typedef uniform float (*uniform Cost)(const uniform Box &, uniform int);

static uniform float sah(const uniform Box &b, uniform int n) { return n ? area(b) * n : 0.0f; }
static uniform float even(const uniform Box &b, uniform int n) { return (uniform float)(n * n); }

static uniform int partition(uniform Reference * uniform refs, uniform int lo, uniform int hi, uniform int axis, uniform float at) {
    uniform int i = lo, j = hi - 1;
    for (;;) {
        while (i <= j && component(refs[i].mid, axis) < at) ++i;
        while (i <= j && !(component(refs[j].mid, axis) < at)) --j;
        if (i >= j) break;
        const uniform Reference t = refs[i];
        refs[i] = refs[j];
        refs[j] = t;
    }
    return i;
}

static void split(uniform Builder * uniform self, uniform int node, uniform int lo, uniform int hi, uniform int depth, Cost cost) {
    uniform Builder &b = *self;
    if (depth > b.depth) b.depth = depth;
    uniform Box box = empty_box(), mids = empty_box();
    for (uniform int k = lo; k < hi; k++) {
        extend(box, b.refs[k].box);
        extend(mids, b.refs[k].mid);
    }
    uniform Node * uniform n = b.nodes + node;
    n->bounds = box;
    const uniform V3 d = mids.hi - mids.lo;
    const uniform int axis = d.x >= d.y && d.x >= d.z ? 0 : d.y >= d.z ? 1 : 2;
    n->axis = axis;
    const uniform float span = component(d, axis);
    if (hi - lo <= MAX_LEAF || span <= 0) {
        goto leaf;
    }
    {
        uniform Box boxes[BINS];
        uniform int counts[BINS];
        for (uniform int k = 0; k < BINS; ++k) { boxes[k] = empty_box(); counts[k] = 0; }
        const uniform float start = component(mids.lo, axis);
        for (uniform int k = lo; k < hi; k++) {
            uniform int bin = (uniform int)((component(b.refs[k].mid, axis) - start) / span * BINS);
            bin = min(bin, BINS - 1);
            counts[bin]++;
            extend(boxes[bin], b.refs[k].box);
        }
        uniform float best = BIG;
        uniform int where = 0;
        for (uniform int cut = 1; cut < BINS; cut++) {
            uniform Box left = empty_box(), right = empty_box();
            uniform int nl = 0, nr = 0;
            for (uniform int k = 0; k < BINS; k++) {
                if (k < cut) { extend(left, boxes[k]); nl += counts[k]; }
                else { extend(right, boxes[k]); nr += counts[k]; }
            }
            if (!nl || !nr) continue;
            uniform float c = cost(left, nl) + cost(right, nr);
            if (c < best) best = c, where = cut;
        }
        if (where == 0) goto leaf;
        uniform int middle = partition(b.refs, lo, hi, axis, start + span * where / BINS);
        if (middle == lo || middle == hi) middle = (lo + hi) >> 1;
        n->count = 0;
        n->first = b.nnodes;
        b.nnodes += 2;
        const uniform int child = n->first;
        split(self, child, lo, middle, depth + 1, cost);
        split(self, child + 1, middle, hi, depth + 1, cost);
        return;
    }
leaf:
    n->first = lo;
    n->count = (uniform uint8)(hi - lo);
}

// Gives the number of nodes; order receives the triangles in the order of the leaves.
export uniform int32 build(const uniform V3 vertices[], const uniform Triangle triangles[], uniform int count,
                           uniform Node nodes[], uniform int32 order[], uniform int32 &depth, uniform bool balanced) {
    uniform Builder builder = { 0, nodes, 1, 0 };
    builder.refs = uniform new uniform Reference[count];
    foreach (k = 0 ... count) {
        const Triangle t = triangles[k];
        Box box;
        box.lo = box.hi = vertices[t.v[0]];
        for (uniform int c = 1; c < 3; c++) extend(box, vertices[t.v[c]]);
        Reference r;
        r.box = box;
        r.mid = 0.5f * (box.lo + box.hi);
        r.id = k;
        builder.refs[k] = r;
    }
    split(&builder, 0, 0, count, 0, balanced ? even : sah);
    foreach (k = 0 ... count) order[k] = builder.refs[k].id;
    depth = builder.depth;
    delete[] builder.refs;
    return builder.nnodes;
}
