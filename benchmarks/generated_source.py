"""A number of lines and a seed → a source that looks like a program: no two parts of it are alike.

Each part is what a file of a real program holds (types, macros, helpers, an exported
kernel or two) with names, types, constants and some statements drawn at random. All
of it is reachable from an exported function, so all of it is compiled.
"""

from __future__ import annotations

import random
from string import Template


def source(lines: int, seed: int = 1) -> str:
    """A program of at least ``lines`` lines, and of at most one part more."""
    draw = random.Random(seed)
    parts: list[str] = [_HEAD]
    count = _HEAD.count("\n")
    number = 0
    while count < lines:
        # Each kind of part once before any comes again: programs of any length have the same mixture.
        for kind in draw.sample(_PARTS, len(_PARTS)):
            if count < lines:
                parts.append(kind.substitute(_choices(draw, number)))
                count += parts[-1].count("\n")
                number += 1
    return "".join(parts)


def _choices(draw: random.Random, number: int) -> dict[str, str]:
    """What the parts' placeholders stand for this time."""
    names = draw.sample(_NAMES, 6)
    real = draw.choice(("float", "float", "float", "double"))
    made = {
        "n": str(number),
        "real": real,
        "f": "f" if real == "float" else "d",
        "whole": draw.choice(("int", "int", "unsigned int", "int64")),
        "small": draw.choice(("int8", "unsigned int8", "int16", "unsigned int16")),
        "smooth": draw.choice(("exp(-$x)", "sin($x)", "cos($x) + 1", "log($x + 1.5f)", "sqrt(abs($x))", "pow(abs($x), 0.3f)")),
        "loop": draw.choice(("for", "cfor")),
        "branch": draw.choice(("if", "cif")),
    }
    for place, name in zip("abcdeg", names):
        made[place] = name
    for place in ("k1", "k2", "k3", "k4"):
        made[place] = str(draw.randint(2, 9))
    for place in ("r1", "r2", "r3", "r4"):
        made[place] = f"{draw.uniform(0.05, 3):.4f}{made['f']}"
    extra = [Template(draw.choice(_STATEMENTS)).substitute(made, v="value") for _ in range(draw.randint(2, 6))]
    made["extra"] = "\n        ".join(line.replace("\n", "\n        ") for line in extra)
    made["smooth"] = made["smooth"].replace("$x", "value")
    return made


_NAMES = (
    *("ahead", "amount", "angle", "balance", "basis", "border", "brightness", "candidate", "carry", "charge", "color", "core"),
    *("current", "delta", "difference", "drift", "edge", "excess", "flow", "force", "gain", "gradient", "guess", "heat"),
    *("inner", "level", "light", "moment", "noise", "outer", "peak", "phase", "pressure", "remainder", "score", "shadow"),
    *("share", "slope", "speed", "strength", "surface", "tension", "turn", "upper", "weight", "work"),
)
"""Words that the parts do not use themselves."""

_STATEMENTS = (
    "if (value > $r1)\n    value -= $r2;\nelse\n    value += $r3;",
    "value = value * $r1 + $r2;",
    "value = clamp(value, -$r3, $r3);",
    "value = value < 0 ? -value : value * $r4;",
    "for (uniform int step = 0; step < $k2; ++step)\n    value += $r1 / (step + $k1);",
    "while (value > $k4)\n    value *= 0.5f;",
    "value = min(value, $r1) + max(value, $r2);",
    "if (value != 0 && value < $k3) {\n    $real $a = value * value;\n    value = $a - $r2 * $a;\n}",
)

_HEAD = """\
// Generated: see benchmarks/generated_source.py.
#define SQUARE(x) ((x) * (x))
#define LERP(a, b, t) ((a) + ((b) - (a)) * (t))
#define WITHIN(x, low, high) ((x) >= (low) && (x) < (high))

"""

_GEOMETRY = Template("""\
// Rays against spheres.
struct Ray$n {
    float<3> origin, direction;
    float near, far;
};

struct Sphere$n {
    uniform float center[3];
    uniform float radius;
    uniform int material;
};

static inline float dot$n(float<3> a, float<3> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline float<3> normalize$n(float<3> v) {
    float factor = rsqrt(dot$n(v, v) + ${r1});
    float<3> made = v * factor;
    return made;
}

static bool meets$n(Ray$n &ray, uniform Sphere$n &sphere, float &distance) {
    float<3> $a;
    $a.x = sphere.center[0] - ray.origin.x;
    $a.y = sphere.center[1] - ray.origin.y;
    $a.z = sphere.center[2] - ray.origin.z;
    float along = dot$n($a, ray.direction);
    float rest = SQUARE(sphere.radius) - (dot$n($a, $a) - SQUARE(along));
    if (rest < 0)
        return false;
    float half = sqrt(rest);
    float $b = along - half;
    if ($b < ray.near)
        $b = along + half;
    if (!WITHIN($b, ray.near, ray.far))
        return false;
    distance = $b;
    return true;
}

export void trace$n(uniform Sphere$n spheres[], uniform int count, uniform float image[], uniform int w, uniform int h) {
    foreach (y = 0 ... h, x = 0 ... w) {
        Ray$n ray;
        ray.origin.x = ray.origin.y = 0;
        ray.origin.z = -$k1;
        float<3> toward = { x * ($r2) / w - 0.5f, y * ($r3) / h - 0.5f, 1 };
        ray.direction = normalize$n(toward);
        ray.near = 0.001f;
        ray.far = 1000;
        int hit = -1;
        for (uniform int s = 0; s < count; ++s) {
            float distance;
            if (meets$n(ray, spheres[s], distance)) {
                ray.far = distance;
                hit = spheres[s].material;
            }
        }
        $real value = hit < 0 ? $r4 : ray.far;
        $extra
        image[y * w + x] = value;
    }
}

""")

_FILTER = Template("""\
// A filter over an image with repeated borders.
#define REACH$n $k1
#define PIXEL$n(p, x, y, w, h) (p)[clamp((y), 0, (h) - 1) * (w) + clamp((x), 0, (w) - 1)]

static const uniform $real taps$n[5] = { $r1, $r2, $r3, $r2, $r1 };

static $real tone$n($real value, uniform $real exposure) {
        $extra
    return LERP(value, $smooth, exposure);
}

export void filter$n(uniform $real $a[], uniform $real $b[], uniform int width, uniform int height,
                     uniform $real exposure) {
    foreach_tiled (y = 0 ... height, x = 0 ... width) {
        $real sum = 0, norm = 0;
        for (uniform int dx = -2; dx <= 2; ++dx) {
            $real tap = taps$n[dx + 2];
            sum += tap * PIXEL$n($a, x + dx, y, width, height);
            norm += tap;
        }
        $b[y * width + x] = tone$n(sum / norm, exposure);
    }
    for (uniform int y = REACH$n; y < height - REACH$n; ++y) {
        foreach (x = REACH$n ... width - REACH$n) {
            uniform int at = y * width;
            $real $c = $b[at + x - 1] + $b[at + x + 1] + $b[at - width + x] + $b[at + width + x];
            $real $d = $c - $k2 * $b[at + x];
            $branch (abs($d) > $r4)
                $a[at + x] = $b[at + x] + $d * $r3;
        }
    }
}

""")

_PARTICLES = Template("""\
// Particles in a box.
enum State$n { FREE$n, BOUND$n = $k1, LOST$n };

struct Particle$n {
    $real position[3];
    $real velocity[3];
    $real $a;
    int state;
};

static void reflect$n($real &position, $real &velocity, uniform $real size) {
    int bounces = 0;
    while ((position < 0 || position > size) && bounces < $k2) {
        if (position < 0)
            position = -position;
        else
            position = 2 * size - position;
        velocity = -velocity * $r1;
        ++bounces;
    }
}

static $real energy$n($real vx, $real vy, $real vz, $real mass) {
    $real value = 0.5f * mass * (SQUARE(vx) + SQUARE(vy) + SQUARE(vz));
        $extra
    return value;
}

export uniform $real advance$n(uniform Particle$n particles[], uniform int count, uniform $real dt, uniform int steps) {
    uniform $real total = 0;
    for (uniform int step = 0; step < steps; ++step) {
        $real sum = 0;
        foreach (i = 0 ... count) {
            if (particles[i].state == LOST$n)
                continue;
            $real vx = particles[i].velocity[0], vy = particles[i].velocity[1], vz = particles[i].velocity[2];
            vy -= $r2 * dt;
            $real px = particles[i].position[0] + vx * dt;
            $real py = particles[i].position[1] + vy * dt;
            $real pz = particles[i].position[2] + vz * dt;
            reflect$n(px, vx, $k3);
            reflect$n(py, vy, $k4);
            particles[i].position[0] = px;
            particles[i].position[1] = py;
            particles[i].position[2] = pz;
            particles[i].velocity[0] = vx;
            particles[i].velocity[1] = vy;
            $real now = energy$n(vx, vy, vz, particles[i].$a);
            if (now > $k2 * $k3)
                particles[i].state = LOST$n;
            else if (now < $r3)
                particles[i].state = BOUND$n;
            sum += now;
        }
        total = reduce_add(sum);
    }
    return total;
}

""")

_MACHINE = Template("""\
// A small machine that runs a program of its own in each lane.
enum Code$n { LOAD$n, ADD$n, MULTIPLY$n, SHIFT$n, TEST$n, JUMP$n, SWAP$n, HALT$n };

static inline $whole mix$n($whole a, $whole b) {
    $whole $c = (a ^ b) & 0xFFFF;
    return ($c << $k1) | (($c >> $k2) & $k3);
}

static $whole execute$n(uniform int code[], uniform int length, $whole seed) {
    $whole $a = seed, $b = $k1;
    int at = 0;
    uniform int steps = 0;
    while (at < length && steps < 64) {
        ++steps;
        switch (code[at] & 7) {
        case LOAD$n:
            $a = $k2;
            break;
        case ADD$n:
            $a += $b;
            break;
        case MULTIPLY$n:
            $a = ($a & 255) * ($b & 255);
            // falls through
        case SHIFT$n:
            $a = mix$n($a, $b);
            break;
        case TEST$n:
            if ($a > $b)
                at += 1;
            break;
        case JUMP$n:
            at = (int)($a & 15) - 1;
            break;
        case SWAP$n: {
            $whole kept = $a;
            $a = $b;
            $b = kept;
            break;
        }
        default:
            return $a + $b;
        }
        ++at;
    }
    return $a;
}

export void machine$n(uniform int code[], uniform int length, uniform $whole out[], uniform int count) {
    foreach (i = 0 ... count) {
        $whole value = execute$n(code, length, i);
        out[i] = value;
    }
}

""")

_TEMPLATES = Template("""\
// Arithmetic on matrices of any type.
template <typename T, int N>
static noinline T product$n(uniform T a[], uniform T b[], T start) {
    T sum = start;
    for (uniform int k = 0; k < N; ++k)
        sum += a[k] * b[k * N];
    return sum;
}

template <typename T>
static T limited$n(T value, T low, T high) {
    T $a = value;
    if ($a < low)
        $a = low;
    if ($a > high)
        $a = high;
    return $a;
}

struct Pair$n {
    $real first, second;
};

static Pair$n operator+(Pair$n a, Pair$n b) {
    Pair$n made = { a.first + b.first, a.second + b.second };
    return made;
}

static Pair$n operator*(Pair$n a, $real b) {
    Pair$n made;
    made.first = a.first * b;
    made.second = a.second * b;
    return made;
}

export void matrices$n(uniform float a[], uniform float b[], uniform int c[], uniform int d[], uniform float out[],
                       uniform int rows) {
    foreach (row = 0 ... rows) {
        float $b = product$n<float, 4>(a, b, (float)row);
        int $c = product$n<int, $k1>(c, d, row);
        Pair$n pair = { $b, $c };
        pair = pair + pair * $r1;
        $real value = limited$n<$real>(pair.first, $r2, $k2) + limited$n<int>($c, $k3, $k4);
        $extra
        out[row] = value + pair.second;
    }
}

""")

_BYTES = Template("""\
// Bytes: a histogram, a table and runs.
static uniform unsigned int8 kinds$n[16] = { $k1, $k2, $k3, $k4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };

static inline bool is_word$n($small c) {
    return (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c == 95 || WITHIN(c, 48, 58);
}

export void count_words$n(uniform $small text[], uniform int length, uniform int counts[], uniform int runs[]) {
    uniform int stored = 0;
    int words = 0;
    foreach (i = 1 ... length) {
        $small before = text[i - 1], here = text[i];
        bool begins = !is_word$n(before) && is_word$n(here);
        if (begins) {
            ++words;
            stored += packed_store_active(&runs[stored], i);
        }
        unsigned int8 kind = kinds$n[here & 15];
        if (kind > $k1)
            atomic_add_local(&counts[kind], 1);
        else if (kind == $k2 || (kind & 1) == 0)
            counts[kind] = $k3;
    }
    counts[0] = reduce_add(words);
    counts[1] = stored;
}

""")

_REDUCTION = Template("""\
// Statistics of a series, and its neighbours across lanes.
struct Summary$n {
    $real lowest, highest, mean, spread;
};

static uniform $real across$n($real value) {
    $real $a = rotate(value, $k1) + shift(value, 1);
    $real $b = broadcast(value, 0);
    foreach_active (lane) {
        uniform $real one = extract($a, lane);
        if (one > $r1)
            print("% of %\\n", one, lane);
    }
    return reduce_max($a - $b);
}

export void summarize$n(uniform $real series[], uniform int count, uniform Summary$n * uniform summary) {
    $real low = $k1, high = -$k2, sum = 0, squares = 0;
    foreach (i = 0 ... count) {
        $real value = series[i];
        $extra
        low = min(low, value);
        high = max(high, value);
        sum += value;
        squares += value * value;
    }
    summary->lowest = reduce_min(low);
    summary->highest = reduce_max(high);
    uniform $real mean = reduce_add(sum) / count;
    summary->mean = mean;
    summary->spread = sqrt(abs(reduce_add(squares) / count - mean * mean)) + across$n(sum);
}

""")

_LISTS = Template("""\
// Linked cells, followed by each lane on its own.
struct Cell$n {
    int key;
    uniform Cell$n * uniform next;
    $real $a;
};

static $real follow$n(uniform Cell$n * varying cell, int key) {
    $real found = -1;
    while (cell != NULL) {
        if (cell->key == key) {
            found = cell->$a;
            break;
        }
        if (cell->key > key + $k1)
            return $r1;
        cell = cell->next;
    }
    return found;
}

typedef $real (*Step$n)($real, uniform int);

static $real half_step$n($real value, uniform int n) { return value * 0.5f + n; }
static $real full_step$n($real value, uniform int n) {
        $extra
    return value * n;
}

export void lookup$n(uniform Cell$n * uniform cells[], uniform int buckets, uniform int keys[], uniform $real out[],
                     uniform int count, uniform int way) {
    uniform Step$n step = way > $k2 ? half_step$n : full_step$n;
    foreach (i = 0 ... count) {
        int key = keys[i];
        int bucket = (key * $k3 + $k4) & (buckets - 1);
        $real value = follow$n(cells[bucket], key);
        out[i] = step(value, way);
    }
}

""")

_TASKS = Template("""\
// Strips of a picture, a task each.
static float steps$n(float re, float im, uniform int most) {
    float a = re, b = im;
    int i;
    $loop (i = 0; i < most; ++i) {
        if (SQUARE(a) + SQUARE(b) > $k1)
            break;
        float $a = a * a - b * b;
        b = 2 * a * b + im;
        a = $a + re;
    }
    return i;
}

static task void strip$n(uniform float picture[], uniform int width, uniform int rows, uniform float zoom) {
    uniform int begin = taskIndex * rows;
    for (uniform int row = begin; row < begin + rows; ++row) {
        foreach (column = 0 ... width) {
            float value = steps$n((column - width / 2) * zoom, row * zoom - $r1, $k2 * 16);
            $extra
            picture[row * width + column] = value;
        }
    }
}

export void draw$n(uniform float picture[], uniform int width, uniform int height, uniform float zoom) {
    uniform int rows = $k3;
    launch[(height + rows - 1) / rows] strip$n(picture, width, rows, zoom);
    sync;
}

""")

_PRICES = Template("""\
// Prices of options, by formula and by a lattice.
#define STEPS$n ($k1 * 8)

static inline $real tail$n($real x) {
    $real t = 1 / (1 + $r1 * abs(x));
    $real value = t * ($r2 + t * (-$r3 + t * ($r4 + t * (-$r1 + t * $r2))));
    return x > 0 ? 1 - value * exp(-0.5f * x * x) : value * exp(-0.5f * x * x);
}

static $real lattice$n($real $a, $real $b, $real years, uniform $real rate, uniform $real volatility) {
    $real values[STEPS$n];
    $real dt = years / STEPS$n;
    $real up = exp(volatility * sqrt(dt));
    $real chance = (exp(rate * dt) - 1 / up) / (up - 1 / up);
    for (uniform int i = 0; i < STEPS$n; ++i) {
        $real end = $a * pow(up, ($real)(2 * i - STEPS$n));
        values[i] = max(($real)0, end - $b);
    }
    for (uniform int j = STEPS$n - 1; j > 0; --j)
        for (uniform int k = 0; k < j; ++k)
            values[k] = (1 - chance) * values[k] + chance * values[k + 1];
    return values[0];
}

export void prices$n(uniform $real $a[], uniform $real $b[], uniform $real years[], uniform $real out[], uniform int count,
                     uniform $real rate, uniform $real volatility) {
    foreach (i = 0 ... count) {
        $real root = volatility * sqrt(years[i]);
        $real value = (log($a[i] / $b[i]) + (rate + 0.5f * SQUARE(volatility)) * years[i]) / root;
        $extra
        $real formula = $a[i] * tail$n(value) - $b[i] * exp(-rate * years[i]) * tail$n(value - root);
        $branch (formula < $r1)
            formula = lattice$n($a[i], $b[i], years[i], rate, volatility);
        out[i] = formula;
    }
}

""")

_VOLUME = Template("""\
// Marching through a volume of densities.
static inline $real density$n(int x, int y, int z, uniform int size, uniform $real volume[]) {
    x = clamp(x, 0, size - 1);
    y = clamp(y, 0, size - 1);
    z = clamp(z, 0, size - 1);
    return volume[(z * size + y) * size + x];
}

static $real between$n($real px, $real py, $real pz, uniform int size, uniform $real volume[]) {
    int x = (int)px, y = (int)py, z = (int)pz;
    $real fx = px - x, fy = py - y, fz = pz - z;
    $real near = LERP(density$n(x, y, z, size, volume), density$n(x + 1, y, z, size, volume), fx);
    $real far = LERP(density$n(x, y + 1, z, size, volume), density$n(x + 1, y + 1, z, size, volume), fx);
    $real $a = LERP(near, far, fy);
    $real $b = LERP(density$n(x, y, z + 1, size, volume), density$n(x, y + 1, z + 1, size, volume), fy);
    return LERP($a, $b, fz);
}

export void march$n(uniform $real volume[], uniform int size, uniform $real image[], uniform int width, uniform int height,
                    uniform $real step) {
    for (uniform int row = 0; row < height; ++row)
        foreach (column = 0 ... width) {
            $real x = column * $r1, y = row * $r2, z = 0, through = 1, value = 0;
            while (through > 0.01f && z < size) {
                $real here = between$n(x, y, z, size, volume);
                $branch (here > $r3) {
                    $real part = here * step;
                    value += through * part;
                    through *= 1 - part;
                }
                z += step;
                if (value > $k1)
                    break;
            }
            $extra
            image[row * width + column] = value;
        }
}

""")

_SORTING = Template("""\
// Sorting short runs, uniformly and by lanes.
static void exchange$n($whole &a, $whole &b) {
    $whole low = a < b ? a : b;
    $whole high = a < b ? b : a;
    a = low;
    b = high;
}

static uniform int split$n(uniform $whole keys[], uniform int low, uniform int high) {
    uniform $whole middle = keys[(low + high) / 2];
    uniform int i = low - 1, j = high + 1;
    while (true) {
        do {
            ++i;
        } while (keys[i] < middle);
        do {
            --j;
        } while (keys[j] > middle);
        if (i >= j)
            return j;
        uniform $whole kept = keys[i];
        keys[i] = keys[j];
        keys[j] = kept;
    }
}

static void sort_range$n(uniform $whole keys[], uniform int low, uniform int high) {
    if (low < high) {
        uniform int middle = split$n(keys, low, high);
        sort_range$n(keys, low, middle);
        sort_range$n(keys, middle + 1, high);
    }
}

export void sort_runs$n(uniform $whole keys[], uniform int runs, uniform int mode) {
    switch (mode) {
    case 0:
        sort_range$n(keys, 0, runs * 4 - 1);
        break;
    case 1:
    case $k1 + 10:
        foreach (run = 0 ... runs) {
            $whole $a = keys[4 * run], $b = keys[4 * run + 1], $c = keys[4 * run + 2], $d = keys[4 * run + 3];
            exchange$n($a, $b);
            exchange$n($c, $d);
            exchange$n($a, $c);
            exchange$n($b, $d);
            exchange$n($b, $c);
            keys[4 * run] = $a;
            keys[4 * run + 1] = $b;
            keys[4 * run + 2] = $c;
            keys[4 * run + 3] = $d;
        }
        break;
    default:
        for (uniform int i = 1; i < runs * 4; ++i) {
            uniform $whole key = keys[i];
            uniform int j = i;
            for (; j > 0 && keys[j - 1] > key; --j)
                keys[j] = keys[j - 1];
            keys[j] = key;
        }
    }
}

""")

_PARTS = (
    *(_GEOMETRY, _FILTER, _PARTICLES, _MACHINE, _TEMPLATES, _BYTES, _REDUCTION, _LISTS, _TASKS, _PRICES, _VOLUME, _SORTING),
)
