// Smoke: a field of cells in blocks of lanes, moved and pressed, marched through, and what is told of it.
#include "vec.ih"

#define SIDE 16
#define CELLS 4096
#define AT(x, y, z) (((z) * SIDE + (y)) * SIDE + (x))
#define LIMITED(v) clamp(v, 0, SIDE - 1)

struct Cell {
    float density;
    int16 speed[3];
    uint8 kind;
    struct Heat {
        double sum;
        int64 times;
    } heat;
};

// A cell as hosts have it.
struct PlainCell {
    float density;
    int16 speed[3];
    uint8 kind;
    double sum;
    int64 times;
};

struct Smoke {
    soa<16> Cell *uniform cells;
    uniform float *uniform scratch;
    uniform int32 steps;
    struct {
        uniform int32 busiest, emptied;
        uniform uint64 moved;
        uniform int64 least, most;
        uniform int32 owner;
    } told;
};

typedef soa<16> Cell *uniform CellRow;

static uniform int made;

export void *uniform Smoke_new(const uniform PlainCell cells[]) {
    static uniform int32 numbers = 100;
    Smoke *uniform self = uniform new Smoke;
    self->cells = uniform new soa<16> Cell[CELLS / 16];
    self->scratch = uniform new uniform float[CELLS];
    self->steps = numbers++;
    memset(&self->told, 0, sizeof(self->told));
    foreach (z = 0 ... SIDE, y = 0 ... SIDE, x = 0 ... SIDE) {
        const int at = AT(x, y, z);
        const uniform PlainCell *from = &cells[at];
        self->cells[at].density = from->density;
        for (uniform int k = 0; k < 3; k++)
            self->cells[at].speed[k] = from->speed[k];
        self->cells[at].kind = from->kind;
        self->cells[at].heat.sum = from->sum;
        self->cells[at].heat.times = from->times;
    }
    ++made;
    return self;
}

export void Smoke_read(void *uniform self, uniform PlainCell cells[]) {
    Smoke *uniform smoke = (Smoke *uniform)self;
    CellRow row = smoke->cells;
    for (uniform int start = 0; start < CELLS; start += programCount) {
        const int i = start + programIndex;
        if (i >= CELLS)
            continue;
        cells[i].density = row[i].density;
        cells[i].speed[0] = row[i].speed[0];
        cells[i].speed[1] = row[i].speed[1];
        cells[i].speed[2] = row[i].speed[2];
        cells[i].kind = row[i].kind;
        cells[i].sum = row[i].heat.sum;
        cells[i].times = row[i].heat.times;
    }
}

export void Smoke_delete(void *uniform self) {
    Smoke *uniform smoke = (Smoke *uniform)self;
    delete smoke->cells;
    delete[] smoke->scratch;
    delete smoke;
}

static inline int toward(int16 speed) { return speed > 64 ? 1 : speed < -64 ? -1 : 0; }

// Each cell takes the density of that which its speed comes from; rows of cells are tasks in three dimensions.
task void advect(Smoke *uniform self, const uniform int32 &parts) {
    const uniform int z = taskIndex2, part = taskIndex1;
    for (uniform int y = SIDE * part / parts; y < SIDE * (part + 1) / parts; y++) {
        const uniform int x0 = taskIndex0 * (SIDE / taskCount0);
        foreach (x = x0 ... x0 + SIDE / taskCount0) {
            const int at = AT(x, y, z);
            const int sx = LIMITED(x - toward(self->cells[at].speed[0]));
            const int sy = LIMITED(y - toward(self->cells[at].speed[1]));
            const int sz = LIMITED(z - toward(self->cells[at].speed[2]));
            self->scratch[at] = self->cells[AT(sx, sy, sz)].density;
            if (sx != x || sy != y || sz != z)
                atomic_add_global(&self->told.moved, (varying uint64)1);
        }
    }
}

task void all_parts(Smoke *uniform self, uniform int parts) {
    // Tasks that start others, and wait for them.
    launch[2, parts, SIDE] advect(self, parts);
}

static void settle(Smoke *uniform self) {
    foreach (i = 0 ... CELLS) {
        soa<16> Cell *cell = &self->cells[i];
        const float before = cell->density, after = self->scratch[i];
        cell->density = after;
        if (cell->kind == 0)
            continue;
        cell->heat.sum += (double)after * 0.125d;
        cell->heat.times += cell->kind;
        switch (cell->kind & 7) {
        case 1:
            cell->speed[0] = saturating_add(cell->speed[0], (varying int16)1000);
            break;
        case 2:
            cell->speed[1] = saturating_sub(cell->speed[1], (varying int16)20000);
            // fall through
        case 3:
            cell->speed[2] = -cell->speed[2];
            if (before > after)
                break;
            cell->speed[2] /= 2;
            break;
        case 6:
            cell->kind -= 5;
            break;
        default:
            cell->speed[cell->kind % 3] ^= 0x55;
        }
    }
}

// The kinds that are there, told once for each, with the cells that have them.
export uniform int count_kinds(const void *uniform self, uniform int32 kinds[], uniform int32 cells[]) {
    const Smoke *uniform smoke = (const Smoke *uniform)self;
    uniform int found = 0;
    uniform int32 place[256];
    for (uniform int k = 0; k < 256; ++k)
        place[k] = -1;
    foreach (i = 0 ... CELLS) {
        const uint8 kind = smoke->cells[i].kind;
        foreach_unique (k in kind) {
            if (place[k] < 0) {
                place[k] = found;
                kinds[found] = k;
                cells[found++] = 0;
            }
            cells[place[k]] += popcnt(lanemask());
        }
    }
    return found;
}

export void step(void *uniform self, uniform int parts) {
    Smoke *uniform smoke = (Smoke *uniform)self;
    launch[1] all_parts(smoke, parts);
    sync;
    settle(smoke);
    smoke->steps++;
}

export void tell(void *uniform self, uniform int64 numbers[8]) {
    Smoke *uniform smoke = (Smoke *uniform)self;
    smoke->told.least = 0x7fffffffffffffffll;
    smoke->told.most = -smoke->told.least;
    smoke->told.owner = -1;
    smoke->told.emptied = 0;
    foreach (i = 0 ... CELLS) {
        const int64 value = (int64)smoke->cells[i].speed[0] * smoke->cells[i].speed[1] - smoke->cells[i].heat.times;
        atomic_min_global(&smoke->told.least, value);
        atomic_max_global(&smoke->told.most, value);
        if (smoke->cells[i].density <= 0.0f)
            atomic_subtract_global(&smoke->told.emptied, (varying int32)-1);
        if (value % 7 == 3)
            atomic_compare_exchange_global(&smoke->told.owner, -1, i);
    }
    numbers[0] = smoke->told.least;
    numbers[1] = smoke->told.most;
    numbers[2] = smoke->told.emptied;
    numbers[3] = smoke->told.moved;
    numbers[4] = smoke->told.owner >= 0;
    numbers[5] = smoke->steps;
    numbers[6] = made;
    numbers[7] = sizeof(uniform PlainCell);
}

template <typename T> static inline T along(T from, T to, float t) { return from + (to - from) * (T)t; }

static inline float density_at(const Smoke *uniform self, int x, int y, int z) { return self->cells[AT(x, y, z)].density; }

// Rays from above, through corners of eight cells at each step, until little light is left.
export void march(const void *uniform self, uniform float image[], uniform int width, uniform int height, uniform float tilt) {
    const Smoke *uniform smoke = (const Smoke *uniform)self;
    foreach_tiled (py = 0 ... height, px = 0 ... width) {
        float light = 1, seen = 0;
        float<3> p = {(px + 0.5f) * (SIDE - 1) / width, (py + 0.5f) * (SIDE - 1) / height, 0};
        const float<3> d = {tilt, -tilt * 0.5f, 0.375f};
        int steps = 0;
        while (p.z < SIDE - 1 && p.x >= 0 && p.y >= 0 && p.x < SIDE - 1 && p.y < SIDE - 1) {
            int<3> c;
            float<3> part;
            for (uniform int k = 0; k < 3; k++) {
                c[k] = (int)p[k];
                part[k] = p[k] - c[k];
            }
            float corner[2][2][2];
            for (uniform int k = 0; k < 8; k++)
                corner[k >> 2][(k >> 1) & 1][k & 1] = density_at(smoke, c.x + (k & 1), c.y + ((k >> 1) & 1), c.z + (k >> 2));
            float side[2];
            for (uniform int k = 0; k < 2; k++)
                side[k] = along(along(corner[k][0][0], corner[k][0][1], part.x), along(corner[k][1][0], corner[k][1][1], part.x), part.y);
            const float here = along(side[0], side[1], part.z);
            p += d;
            if (++steps % 5 == 0 && here < 0.1f)
                continue;
            const float taken = light * min(here * 0.25f, 1.0f);
            seen += taken * (1 + 0.0625f * steps);
            light -= taken;
            cif (light < 0.05f)
                break;
        }
        streaming_store(&image[0], image[0]);
        image[py * width + px] = seen;
    }
}

// The cells with most in them, as a heap of pairs that the lanes of a gang fill and one lane keeps.
struct Pair {
    float key;
    int32 cell;
};
static inline uniform bool operator<(const uniform Pair &a, const uniform Pair &b) {
    return a.key != b.key ? a.key < b.key : a.cell > b.cell;
}
static void sift(uniform Pair heap[], uniform int size, uniform int at) {
    while (2 * at + 1 < size) {
        uniform int child = 2 * at + 1;
        if (child + 1 < size && heap[child + 1] < heap[child])
            ++child;
        if (!(heap[child] < heap[at]))
            break;
        const uniform Pair other = heap[at];
        heap[at] = heap[child];
        heap[child] = other;
        at = child;
    }
}
export void fullest(const void *uniform self, uniform int32 cells[], uniform float keys[], uniform int count) {
    const Smoke *uniform smoke = (const Smoke *uniform)self;
    uniform Pair *uniform heap = uniform new uniform Pair[count];
    for (uniform int k = 0; k < count; k++) {
        heap[k].key = -1;
        heap[k].cell = 0x7fffffff;
    }
    uniform int32 chosen[programCount];
    foreach (i = 0 ... CELLS) {
        const float key = smoke->cells[i].density;
        if (key <= heap[0].key)
            continue;
        const uniform int number = packed_store_active(chosen, i);
        for (uniform int k = 0; k < number; k++) {
            uniform Pair next;
            next.cell = chosen[k];
            next.key = smoke->cells[next.cell].density;
            if (heap[0] < next) {
                heap[0] = next;
                sift(heap, count, 0);
            }
        }
    }
    for (uniform int left = count; left > 0; left--) {
        cells[left - 1] = heap[0].cell;
        keys[left - 1] = heap[0].key;
        heap[0] = heap[left - 1];
        sift(heap, left - 1, 0);
    }
    delete heap;
}

// Densities in few bits: four of a row in 16, as half precision's first, and differences of 5 bits.
export uniform int pack(const void *uniform self, uniform uint16 words[], uniform uint8 lost[]) {
    const Smoke *uniform smoke = (const Smoke *uniform)self;
    uniform int total = 0;
    foreach (row = 0 ... CELLS / 4) {
        int8 q[4];
        for (uniform int k = 0; k < 4; k++)
            q[k] = (int8)clamp((int)(smoke->cells[4 * row + k].density * 100), 0, 127);
        unsigned int16 word = (uint16)(q[0] >> 1);
        int8 last = q[0] & ~1;
        uint8 missed = 0;
        for (uniform int k = 1; k < 4; k++) {
            const int8 step = clamp((int8)((q[k] - last) / 4), (int8)-4, (int8)3);
            word |= ((uint16)step & 7) << (6 + 3 * (k - 1));
            last += step * 4;
            const int8 apart = abs((int8)(q[k] - last));
            missed = max(missed, (uint8)apart);
        }
        words[row] = word;
        lost[row] = avg_up(missed, (varying uint8)1);
        if (missed > 3)
            total += reduce_add((int)missed);
    }
    return total;
}

// Words are turned over between lanes, so that each lane has what the lanes before it left.
export void carry(const uniform uint16 words[], uniform uint32 out[], uniform int count) {
    uniform uint32 last = 0x9e3779b9;
    for (uniform int start = 0; start < count; start += programCount) {
        const int i = start + programIndex;
        uint32 hash = i < count ? words[i] : 0;
        uint32 own = hash * 2654435761u + 1;
        // The products of all lanes before: scan by doubling.
        uint32 factor = i < count ? 31 : 1;
        uint32 sum = i < count ? own : 0;
        for (uniform int distance = 1; distance < programCount; distance <<= 1) {
            uint32 other_factor = rotate(factor, -distance), other_sum = rotate(sum, -distance);
            if (programIndex >= distance) {
                sum += factor * other_sum;
                factor *= other_factor;
            }
        }
        const uint32 value = sum + factor * last;
        if (i < count)
            out[i] = value;
        last = extract(value, programCount - 1);
    }
}
