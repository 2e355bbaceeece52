// claim: nearest neighbours through a k-d tree (Friedman, Bentley, Finkel 1977), a stack for each lane or for the gang, are those of numpy
// where:
//   state, P = 20031977, []
//   for k in range(3 * 90):
//       state = (state * 2891336453 + 1) % 2 ** 32
//       P.append((state >> 12) / 2 ** 20 * 8)
//   P = np.array(P).reshape(90, 3)
//   Q = np.array([[(k % 8) * 1.0625, (k // 8) * 1.0625, 8 - 0.125 * k] for k in range(64)])
//   D = ((Q[:, None] - P) ** 2).sum(2)
//   best = D.argmin(1)
//   second = np.sort(D)[:, 1]
// expect: best, best, D.min(1), second, [1, 90, 1]
// tolerance: 1e-5
#define SITES 90
#define IN_A_LEAF 3
#define LARGEST_DEPTH 16

typedef float<3> place;

struct Site {
    float at[3];
    int number;
    int16 spare[2];
};

struct Cell {
    float box[2][3];
    unsigned int first;
    uint8 sites;
    uint8 axis;
    uint16 above;
};

// Of a gang: what is the same for its lanes is uniform.
struct Search {
    place at;
    float reach, second;
    int number;
    uniform bool upper_first[3];
    uniform unsigned int visits;
};

struct Totals {
    uniform int cells;
    uniform int sites;
};

static uniform Site sites[SITES];
static uniform Cell cells[2 * SITES];
static uniform int used;

// A congruential generator with a multiplier of L'Ecuyer's table (1999).
static uniform unsigned int state = 20031977;
static uniform float next_coordinate() {
    state = state * 2891336453u + 1;
    return (state >> 12) * (8.0f / (1 << 20));
}

static void scatter_sites() {
    for (uniform int k = 0; k < SITES; ++k) {
        for (uniform int axis = 0; axis < 3; ++axis) sites[k].at[axis] = next_coordinate();
        sites[k].number = k;
    }
}

static void bound(uniform float box[2][3], uniform int first, uniform int end) {
    for (uniform int axis = 0; axis < 3; ++axis) {
        float low = FLT_MAX, high = -FLT_MAX;
        foreach (k = first ... end) {
            low = min(low, sites[k].at[axis]);
            high = max(high, sites[k].at[axis]);
        }
        box[0][axis] = reduce_min(low);
        box[1][axis] = reduce_max(high);
    }
}

// Cells lie in the order of a walk downwards: the lower half follows its cell, 'above' says where the upper one is.
static uniform int divide(uniform int first, uniform int end) {
    uniform int number = used++;
    uniform Cell &cell = cells[number];
    bound(cell.box, first, end);
    cell.first = first;
    cell.sites = end - first <= IN_A_LEAF ? end - first : 0;
    cell.above = 0;
    if (cell.sites > 0)
        return number;

    uniform float longest = -1;
    for (uniform int axis = 0; axis < 3; ++axis) {
        uniform float side = cell.box[1][axis] - cell.box[0][axis];
        if (side > longest) {
            longest = side;
            cell.axis = axis;
        }
    }
    for (uniform int k = first; k < end; ++k) {
        uniform int hole = k;
        uniform Site moving = sites[k];
        while (hole > first && moving.at[cell.axis] < sites[hole - 1].at[cell.axis]) {
            sites[hole] = sites[hole - 1];
            --hole;
        }
        sites[hole] = moving;
    }
    uniform int half = (first + end) / 2;
    divide(first, half);
    cells[number].above = divide(half, end);
    return number;
}

static inline void begin(Search &search, const place at) {
    search.at = at;
    search.reach = search.second = 1e30;
    search.number = -1;
    search.visits = 0;
    for (uniform int axis = 0; axis < 3; ++axis)
        search.upper_first[axis] = popcnt(at[axis] > 4) * 2 > popcnt(lanemask());
}

static inline void consider(Search &search, const place site, int number) {
    place apart = site - search.at;
    apart *= apart;
    float distance = apart.x + apart.y + apart.z;
    if (distance < search.reach) {
        search.second = search.reach;
        search.reach = distance;
        search.number = number;
    } else if (distance < search.second)
        search.second = distance;
}

static bool may_hold(const uniform Cell &cell, const Search &search) {
    uniform place low = { cell.box[0][0], cell.box[0][1], cell.box[0][2] };
    uniform place high = { cell.box[1][0], cell.box[1][1], cell.box[1][2] };
    float distance = 0;
    for (uniform int axis = 0; axis < 3; ++axis) {
        float beyond = max(low[axis] - search.at[axis], search.at[axis] - high[axis]);
        if (beyond > 0) distance += beyond * beyond;
    }
    return distance < search.second;
}

// The gang goes where any of its lanes wants to.
static bool search_together(Search &search, uniform Totals &totals) {
    uniform int waiting[LARGEST_DEPTH], depth = 1;
    waiting[0] = 0;
    do {
        uniform int number = waiting[--depth];
        uniform Cell cell = cells[number];
        search.visits++;
        if (!any(may_hold(cell, search))) continue;
        uniform unsigned int count = cell.sites;
        for (uniform unsigned int k = cell.first; k < cell.first + count; ++k) {
            totals.sites++;
            uniform place at = { sites[k].at[0], sites[k].at[1], sites[k].at[2] };
            consider(search, at, sites[k].number);
        }
        if (count > 0) continue;
        uniform bool upper = search.upper_first[cell.axis];
        waiting[depth++] = upper ? number + 1 : cell.above;
        waiting[depth++] = upper ? cell.above : number + 1;
    } while (depth > 0);
    totals.cells += search.visits;
    return search.number >= 0;
}

// Each lane goes its own way: cells and sites are gathered, the stack is one of varying numbers.
static bool search_alone(Search &search) {
    int waiting[LARGEST_DEPTH];
    int depth = 0, current = 0;
    cdo {
        const uniform Cell * varying cell = &cells[current];
        float distance = 0;
        for (uniform int axis = 0; axis < 3; ++axis) {
            float inside = clamp(search.at[axis], cell->box[0][axis], cell->box[1][axis]);
            distance += (search.at[axis] - inside) * (search.at[axis] - inside);
        }
        if (distance < search.second && cell->sites == 0) {
            int lower = current + 1, upper = cell->above;
            bool swapped = search.at[cell->axis] > cells[lower].box[1][cell->axis];
            current = swapped ? upper : lower;
            waiting[depth++] = swapped ? lower : upper;
            continue;
        }
        for (int k = 0; k < cell->sites; ++k) {
            if (distance >= search.second) break;
            Site site = sites[cell->first + k];
            place at = { site.at[0], site.at[1], site.at[2] };
            consider(search, at, site.number);
        }
        if (depth == 0) break;
        current = waiting[--depth];
    } while (true);
    return search.number >= 0;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    scatter_sites();
    divide(0, SITES);
    uniform Totals totals = { 0, 0 };
    uniform int found = 0;
    for (uniform int base = 0; base < n; base += programCount) {
        int k = base + programIndex;
        place at = { (k % 8) * 1.0625f, (k / 8) * 1.0625f, 8 - 0.125f * k };
        Search together, alone;
        begin(together, at);
        alone = together;
        bool one = search_together(together, totals), other = search_alone(alone);
        out[k] = together.number;
        out[n + k] = alone.number;
        out[2 * n + k] = together.reach;
        out[3 * n + k] = alone.second;
        found += popcnt(one && other);
    }
    uniform int total = 0;
    for (uniform int k = 0; k < used; ++k) total += cells[k].sites;
    out[4 * n] = found == n ? 1 : 0;
    out[4 * n + 1] = total;
    out[4 * n + 2] = totals.cells > 0 && totals.sites < SITES * n / programCount;
}
