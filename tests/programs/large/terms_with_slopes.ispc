// claim: terms as objects with tables of functions, derivatives by jets (Wengert 1964) whose operators macros make, give value and slopes
// where:
//   k = np.arange(128); x, y = k % 16 / 8 - 0.9, k // 16 / 4 - 0.8
//   one = np.ones(128)
//   a = (2 + x * y, y, x)
//   inner, c = 3 * (x + x * y), 3 * np.cos(3 * (x + x * y))
//   b = (np.sin(inner), c * (1 + y), c * x)
//   q = (x / (y + 3), 1 / (y + 3), -x / (y + 3) ** 2)
//   s = (b[0] ** 2 + y, 2 * b[0] * b[1], 2 * b[0] * b[2] + 1)
//   m = tuple(np.where(a[0] < s[0] + 1.5, p, r) for p, r in zip(a, (s[0] + 1.5, s[1], s[2])))
//   which = (k % 16 * 3 + k // 16) % 5
//   found = [np.choose(which, [t[j] for t in (a, b, q, s, m)]) for j in range(3)]
//   kinds = np.choose(which, [3, 5, 4, 3, 6])
// expect: np.stack(found, 1), kinds, [18, 5, 4, 3, 1, 0]
// tolerance: 1e-4

// --- jets: a value with its slopes along both coordinates; operators for both rates from one macro ----------------------

struct Jet { float value; float along_x; float along_y; };
struct Pair { float x; float y; };

#define DECLARE_MAKERS(rate) \
    inline rate Jet jet(const rate float value, const rate float along_x, const rate float along_y) { \
        rate Jet r; r.value = value; r.along_x = along_x; r.along_y = along_y; return r; \
    } \
    inline rate Jet jet(const rate float value) { return jet(value, 0, 0); } \
    inline rate Pair pair(const rate float x, const rate float y) { rate Pair r = { x, y }; return r; }

DECLARE_MAKERS(uniform)
DECLARE_MAKERS(varying)

#define DECLARE_OPERATORS(rate) \
    inline rate Jet operator+(const rate Jet &a, const rate Jet &b) { \
        return jet(a.value + b.value, a.along_x + b.along_x, a.along_y + b.along_y); \
    } \
    inline rate Jet operator-(const rate Jet &a) { return jet(-a.value, -a.along_x, -a.along_y); } \
    inline rate Jet operator-(const rate Jet &a, const rate Jet &b) { return a + -b; } \
    inline rate Jet operator*(const rate Jet &a, const rate Jet &b) { \
        return jet(a.value * b.value, a.along_x * b.value + a.value * b.along_x, a.along_y * b.value + a.value * b.along_y); \
    } \
    inline rate Jet operator*(const rate Jet &a, const rate float b) { return jet(a.value * b, a.along_x * b, a.along_y * b); } \
    inline rate Jet operator*(const rate float a, const rate Jet &b) { return b * a; } \
    inline rate Jet operator/(const rate float a, const rate Jet &b) { \
        rate float inverse = 1.f / b.value; \
        return jet(a * inverse, -a * inverse * inverse * b.along_x, -a * inverse * inverse * b.along_y); \
    } \
    inline rate Jet operator/(const rate Jet &a, const rate Jet &b) { return a * (1.f / b); } \
    inline rate bool operator<(const rate Jet &a, const rate Jet &b) { return a.value < b.value; } \
    inline rate bool operator==(const rate Jet &a, const rate Jet &b) { \
        return a.value == b.value && a.along_x == b.along_x && a.along_y == b.along_y; \
    } \
    inline rate bool operator!=(const rate Jet &a, const rate Jet &b) { return !(a == b); } \
    inline rate Jet sin(const rate Jet &a) { \
        rate float slope = cos(a.value); \
        return jet(sin(a.value), slope * a.along_x, slope * a.along_y); \
    } \
    inline rate float reduce_max(const rate Jet &a) { return max(max(a.value, a.along_x), a.along_y); } \
    inline rate Jet &operator+=(rate Jet &a, const rate Jet &b) { a = a + b; return a; } \
    inline rate Jet &operator*=(rate Jet &a, const rate float b) { a = a * b; return a; }

DECLARE_OPERATORS(uniform)
DECLARE_OPERATORS(varying)

// mixed: a uniform and a varying operand
inline Jet operator+(const uniform Jet &a, const varying Jet &b) { return ((varying Jet)a) + b; }
inline Jet operator-(const varying Jet &a, const uniform Jet &b) { return jet(a.value - b.value, a.along_x - b.along_x, a.along_y - b.along_y); }

inline Jet lesser(const Jet &a, const Jet &b) { return a < b ? a : b; }

// --- terms -------------------------------------------------------------------------------------------------------------

struct Term;
struct Collection;

typedef Term * uniform TermPointer;
typedef TermPointer * uniform TermPointers;

// What is known at a point, and what came out there.
struct Point {
    Pair at;
    Jet result;
    Term * last;
    int depth;
};

typedef uniform int (*CountParts)(const Term * uniform term);
typedef Jet (*Evaluate)(const uniform Term * uniform term, varying Point &point);

struct Term {
    uniform Evaluate evaluate;
    uniform CountParts parts;
    int32 kind;
    int32 number;
};

struct Constant { Term term; uniform Jet value; };
struct Coordinate { Term term; int axis; };
struct Sum { Term term; Term * uniform * uniform parts; int32 count, room; };
struct Two { Term term; Term * uniform first; Term * uniform second; };
struct Wave { Term term; Term * uniform of; float frequency; };

struct Collection {
    Term * uniform * uniform terms;
    int32 count, room;
};

struct Counts { int32 created, destroyed, evaluated; };
static uniform Counts counts;

static Jet value_of(const uniform Term * uniform term, varying Point &point) {
    point.depth++;
    counts.evaluated++;
    Jet result = term->evaluate(term, point);
    --point.depth;
    return result;
}

static uniform int no_parts(const Term * uniform term) { return 0; }
static uniform int two_parts(const Term * uniform _) { return 2; }

static Jet constant_value(const uniform Term * uniform term, varying Point &point) {
    return jet(0.f) + (varying Jet)((const Constant * uniform)term)->value;
}

static Jet coordinate_value(const uniform Term * uniform term, varying Point &point) {
    const uniform Coordinate * uniform self = (const uniform Coordinate * uniform)term;
    if (self->axis == 0) return jet(point.at.x, 1.f, 0.f);
    return jet(point.at.y, 0.f, 1.f);
}

static Jet sum_value(const uniform Term * uniform term, varying Point &point) {
    const Sum * uniform self = (const Sum * uniform)term;
    Jet total = jet((varying float)0);
    for (uniform int k = 0; k < self->count; ++k) total += value_of(self->parts[k], point);
    return total;
}
static uniform int sum_parts(const Term * uniform term) { return ((const Sum * uniform)term)->count; }

static Jet product_value(const uniform Term * uniform term, varying Point &point) {
    const uniform Two * uniform self = (const uniform Two * uniform)term;
    return value_of(self->first, point) * value_of(self->second, point);
}

static Jet quotient_value(const uniform Term * uniform term, varying Point &point) {
    const uniform Two * uniform self = (const uniform Two * uniform)term;
    return value_of(self->first, point) / value_of(self->second, point);
}

static Jet lesser_value(const uniform Term * uniform term, varying Point &point) {
    const uniform Two * uniform self = (const uniform Two * uniform)term;
    return lesser(value_of(self->first, point), value_of(self->second, point));
}

static Jet wave_value(const uniform Term * uniform term, varying Point &point) {
    const uniform Wave * uniform self = (const uniform Wave * uniform)term;
    return sin(self->frequency * value_of(self->of, point));
}

#define DEFINE_MAKER(Type, word, which, how_many) \
    static uniform Type * uniform new_##word() { \
        uniform Type * uniform made = uniform new uniform Type; \
        made->term.evaluate = word##_value; \
        made->term.parts = how_many; \
        made->term.kind = which; \
        made->term.number = counts.created++; \
        return made; \
    }

DEFINE_MAKER(Constant, constant, 1, no_parts)
DEFINE_MAKER(Coordinate, coordinate, 2, no_parts)
DEFINE_MAKER(Sum, sum, 3, sum_parts)
DEFINE_MAKER(Two, quotient, 4, two_parts)
DEFINE_MAKER(Wave, wave, 5, NULL)
DEFINE_MAKER(Two, lesser, 6, two_parts)
DEFINE_MAKER(Two, product, 7, two_parts)

// Room for one more pointer.
static void make_room(uniform TermPointers &pointers, uniform int count, uniform int &room) {
    if (count < room) return;
    room = room == 0 ? 1 : 2 * room;
    Term * uniform * uniform bigger = uniform new TermPointer[room];
    for (uniform int k = 0; k < count; ++k) bigger[k] = pointers[k];
    if (pointers != NULL) delete[] pointers;
    pointers = bigger;
}

static Term * uniform constant(uniform float value) {
    Constant * uniform made = new_constant();
    made->value = jet(value);
    return &made->term;
}

static Term * uniform coordinate(uniform int axis) {
    uniform Coordinate * uniform made = new_coordinate();
    made->axis = axis;
    return (Term * uniform)made;
}

static void * uniform sum(Term * uniform first, Term * uniform second, Term * uniform third = NULL) {
    Sum * uniform made = new_sum();
    made->parts = NULL;
    made->count = made->room = 0;
    TermPointer parts[3] = { first, second, third };
    for (uniform int k = 0; k < 3 && parts[k] != NULL; ++k) {
        make_room(made->parts, made->count, made->room);
        made->parts[made->count++] = parts[k];
    }
    return made;
}

static Term * uniform joined(Two * uniform made, Term * uniform first, Term * uniform second) {
    made->first = first;
    made->second = second;
    return &made->term;
}

static Term * uniform wave(uniform float frequency, void * uniform of) {
    Wave * uniform made = new_wave();
    made->frequency = frequency;
    made->of = (Term * uniform)of;
    return (Term * uniform)made;
}

static void add(uniform Collection &collection, Term * uniform term) {
    make_room(collection.terms, collection.count, collection.room);
    collection.terms[collection.count++] = term;
}

// --- every point has a term of its own: a task for each row --------------------------------------------------------------

struct Field { uniform float * uniform jets; uniform double * uniform kinds; int columns, rows; };

static void evaluate(const uniform Collection * uniform all, varying Point &point, int which, varying int * uniform kind = NULL) {
    Term * term = all->terms[which];
    foreach_unique (one in term) {
        point.result = value_of(one, point);
        point.last = one;
        if (kind != NULL) *kind = one->kind;
    }
}

static task void row_of_points(const uniform Collection * uniform all, uniform Field * uniform field) {
    const uniform int row = taskIndex;
    foreach (column = 0 ... field->columns) {
        Point point;
        point.at = pair(column / 8.0f - 0.9f, row / 4.0f - 0.8f);
        point.depth = 0;
        int kind = -1;
        evaluate(all, point, (column * 3 + row) % all->count, &kind);
        int here = row * field->columns + column;
        field->jets[3 * here] = point.result.value;
        field->jets[3 * here + 1] = point.result.along_x;
        field->jets[3 * here + 2] = point.result.along_y;
        Term * last = point.last;
        field->kinds[here] = point.depth == 0 && last->kind == kind ? kind : -1;
    }
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    Term * uniform x = coordinate(0), * uniform y = coordinate(1);
    uniform Collection terms = { NULL, 0, 0 };
    Term * uniform xy = joined(new_product(), x, y);
    add(terms, (Term * uniform)sum(constant(2), xy));
    add(terms, wave(3.f, sum(x, xy)));
    Term * uniform third = constant(3);
    add(terms, joined(new_quotient(), x, (Term * uniform)sum(y, third)));
    Term * uniform square = joined(new_product(), terms.terms[1], terms.terms[1]);
    add(terms, (Term * uniform)sum(square, y));
    Term * uniform half = constant(1.5f);
    Term * uniform raised = (Term * uniform)sum(square, y, half);
    add(terms, joined(new_lesser(), terms.terms[0], raised));
    uniform float jets[128 * 3];
    uniform Field field = { jets, out + 384, 16, 8 };
    launch[field.rows] row_of_points(&terms, &field);
    sync;
    foreach (k = 0 ... 384) out[k] = jets[k];

    uniform double * uniform o = out + 512;
    o[0] = counts.created + terms.terms[0]->parts(terms.terms[0]) + (terms.terms[1]->parts == NULL ? 1 : 0);
    o[1] = terms.count;
    Term * varying some = terms.terms[programIndex % 4];
    uniform int distinct = 0, sums = 0;
    foreach_unique (one in some) {
        distinct++;
        if (one->evaluate == sum_value) sums++;
        if (one->parts != NULL) sums += one->parts(one) == 0 ? 1 : 0;
    }
    o[2] = distinct;
    o[3] = sums + (terms.room == 8 ? 1 : 0);
    uniform Jet one = jet(1.f, 2.f, 3.f);
    uniform Jet two = one;
    two *= 2;
    o[4] = one + one == two && two - one == one && reduce_max(one / two) == 0.5f;
    Jet mixed = (one + jet((varying float)programIndex, 0.f, 0.f)) - one;
    two += jet(0, 0, 1);
    o[5] = one * 2.f != two && all(mixed.value == programIndex) ? 0 : 1;
}
