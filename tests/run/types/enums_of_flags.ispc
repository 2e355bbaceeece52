// claim: what is computed of values of one enum belongs to that enum, at both rates and under masks
// where:
//   flags = np.where(i & 1, 5, 6)
//   mixed = np.where(f > 0, flags ^ 3, flags & 4)
//   up = np.where(f > 0, flags + 1, flags)
// expect: [3, 7, 5, 6, 2, 1, 4, 4294967289, 4294967295, 3, 8, 10, 20, 30, 7, 3, 2, 5, 6, 4, 7, 1, 12], [0] * 41, flags, mixed, mixed * 4 + 1, up, (flags & 4) != 0, np.where(flags == 5, 50, 60)
enum Flags { NONE, READ = 1, WRITE = 2, RUN = 4 };
enum Other { X = 8, Y = 3 };
enum Derived { BOTH = READ | WRITE, ALL = READ | WRITE | RUN };
typedef enum Flags Access;
struct File { Flags flags; int kind; };
static const uniform Flags both = READ | WRITE;
static uniform Flags rights[2] = { READ | RUN, ~NONE & RUN };
static uniform int takes(uniform Flags a) { return a; }
static uniform int of(uniform int a) { return 10; }
static uniform int of(uniform Flags a) { return 20; }
static uniform int of(uniform Other a) { return 30; }
static int of(int a) { return 40; }
static int of(Flags a) { return a == 5 ? 50 : 60; }
static uniform Flags joined(uniform Flags a, uniform Flags b = WRITE | RUN) { return a | b; }
template <Flags F> static inline uniform int value() { return F | READ; }
template <typename T> static inline uniform int size_in(T a) { return sizeof(T); }
static noinline Flags without(Flags a, Flags b) { return a & ~b; }
static inline void add(Flags &to, const Flags what) { to |= what; }

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform Flags e = READ;
    e = READ | WRITE;
    out[0] = e;
    e |= RUN;
    out[1] = e;
    uniform File file;
    file.flags = READ | RUN;
    out[2] = file.flags;
    out[3] = takes(WRITE | RUN);
    out[4] = both & WRITE;
    e ^= WRITE | RUN;
    out[5] = e;
    e = WRITE * WRITE;
    out[6] = e;
    e = ~(WRITE | RUN);
    out[7] = e;
    e = -READ;
    out[8] = e;
    e = NONE;
    e++;
    ++e;
    e += READ;
    out[9] = e;
    out[10] = BOTH + 5;
    out[11] = of(READ | 1);
    out[12] = of(READ | WRITE);
    out[13] = of(n > 3 ? X | Y : X);
    out[14] = joined(READ);
    uniform Access a = both;
    out[15] = a;
    switch (a & ALL) {
    case READ | RUN: out[16] = 1; break;
    case READ | WRITE: out[16] = 2; break;
    }
    out[17] = rights[0];
    e = RUN + WRITE;
    e -= RUN - WRITE;
    e = e | WRITE | RUN;
    out[18] = e;
    out[19] = rights[1];
    out[20] = value<RUN>() | joined(NONE);
    out[21] = size_in(READ | WRITE) == 4 ? 1 : 0;
    uniform int table[READ | WRITE | RUN];
    out[22] = (X | RUN);
    foreach (k = 0 ... n) {
        Flags v = i[k] & 1 ? READ : WRITE;
        v = v | RUN;
        out[64 + k] = v;
        Flags w = v;
        if (f[k] > 0)
            w ^= READ | WRITE;
        else
            w &= RUN;
        out[128 + k] = w;
        int shifted = w << 2;
        out[192 + k] = shifted | READ;
        Flags u = v;
        if (f[k] > 0)
            u++;
        out[256 + k] = u;
        bool run = v & RUN && !(v & NONE);
        out[320 + k] = run ? 1 : 0;
        Flags t = without(v | WRITE, ~v);
        add(t, v & (READ | RUN));
        out[384 + k] = of(t);
    }
}
