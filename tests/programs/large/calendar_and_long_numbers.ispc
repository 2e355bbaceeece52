// claim: dates, times, weeks and feasts from nanoseconds, fixed point, and products of 512-bit numbers in decimal are those of Python
// where:
//   import datetime as dt
//   epoch = dt.datetime(1970, 1, 1)
//   ns = [int(v) * 97_000_000_000_000_007 + k * 123_456_789_123 for k, v in enumerate(i)]
//   when = [epoch + dt.timedelta(seconds=v // 10**9) for v in ns]
//   date = [d.year * 10000 + d.month * 100 + d.day for d in when]
//   clock = [d.hour * 10000 + d.minute * 100 + d.second for d in when]
//   days = [d.isoweekday() % 7 * 1000 + d.timetuple().tm_yday for d in when]
//   weeks = [d.isocalendar()[0] * 100 + d.isocalendar()[1] for d in when]
//   easters = {1818: 322, 1943: 425, 1954: 418, 1981: 419, 2000: 423, 2008: 323, 2019: 421, 2023: 409, 2024: 331, 2025: 420, 2038: 425, 2049: 418}
//   feast = [0] * 12
//   for d in (dt.date(2023, 12, 25) + dt.timedelta(k) for k in range(370)):
//       t = (d.month, d.day)
//       feast[d.month - 1] += (t == (1, 1)) + 2 * (d.month * 100 + d.day == easters.get(d.year)) + 4 * (t == (5, 1)) + 8 * (d.month == 12 and 24 <= d.day <= 26) + 1000 * (t == (2, 29))
//   fix = [(int(v) * 4099) * (k * 70001 - 2000000) >> 16 for k, v in enumerate(i)]
//   root = [math.isqrt((abs(int(v)) * 12345) << 16) for v in i]
//   def long(k, salt): return sum(((k * 2654435761 + j * salt * 40503 + 0xF0000000) & 0xffffffff) << 32 * j for j in range(16 if k % 3 else 5))
//   text = [str(long(k, 7) * long(k + 1, 11)) for k in range(64)]
// expect: date, clock, days, weeks, feast, fix, root, [len(t) for t in text], [sum((j + 1) * int(c) for j, c in enumerate(t[::-1])) for t in text], [0], list(easters.values())
#define DAY_SECONDS 86400LL
#define FLOOR_DIV(a, b) (((a) >= 0 ? (a) : (a) - ((b) - 1)) / (b))
#define FLOOR_MOD(a, b) ((a) - FLOOR_DIV(a, b) * (b))

enum Weekday { Sunday, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday };
enum Holiday { NONE = 0, NEW_YEAR = 0x1, EASTER = 1 << 1, LABOUR = 4, CHRISTMAS = 1 << 3, LEAP_DAY = 1u << 31 };

struct Date { int32 year; int8 month, day; };
struct Time { unsigned int8 hour, minute, second; int32 nanos; };
struct Stamp { Date date; Time time; enum Weekday weekday; int16 yearday; };

static const uniform int16 kDaysBefore[2][13] = {
    { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 },
    { 0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366 },
};

static inline bool is_leap(int32 y) { return (y % 4 == 0) && ((y % 100 != 0) || (y % 400 == 0)); }
static inline uniform bool is_leap(uniform int32 y) { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }

// 1970-01-01 is day 0; EPOCH days passed before it since 0001-01-01.
#define EPOCH 719162

static int64 first_day(int64 year)
{
    const int64 before = year - 1;
    return 365 * before + FLOOR_DIV(before, 4) - FLOOR_DIV(before, 100) + FLOOR_DIV(before, 400) - EPOCH;
}

static int64 day_number(int64 year, int month, int day)
{
    return first_day(year) + kDaysBefore[is_leap((int32)year) ? 1 : 0][month - 1] + day - 1;
}

// The year is guessed from the mean length of one, 146097 days in 400, and put right; the month is looked up.
static Date date_of(int64 day)
{
    int64 year = 1 + FLOOR_DIV((day + EPOCH) * 400, 146097);
    while (first_day(year) > day) --year;
    while (first_day(year + 1) <= day) ++year;
    const uint32 within = (uint32)(day - first_day(year));
    const int leap = is_leap((int32)year) ? 1 : 0;
    unsigned int8 month = (unsigned int8)(within / 31 + 1);
    if (kDaysBefore[leap][month] <= (int)within) month++;
    Date r = { (int32)year, (int8)month, (int8)(within - kDaysBefore[leap][month - 1] + 1) };
    return r;
}

static void split(int64 nanoseconds, Stamp &s)
{
    const int64 seconds = FLOOR_DIV(nanoseconds, 1000000000LL);
    const int64 days = FLOOR_DIV(seconds, DAY_SECONDS);
    const int32 rest = (int32)FLOOR_MOD(seconds, DAY_SECONDS);
    s.date = date_of(days);
    s.time.hour = rest / 3600;
    s.time.minute = rest / 60 % 60;
    s.time.second = rest % 60;
    s.time.nanos = (int32)(nanoseconds - seconds * 1000000000LL);
    s.weekday = (Weekday)(int32)FLOOR_MOD(days + 4, 7);
    s.yearday = kDaysBefore[is_leap(s.date.year) ? 1 : 0][s.date.month - 1] + s.date.day;
}

// The Sunday after the full moon that the church reckons with (Gauss 1816), which falls on March 21 or later.
static Date easter(int year)
{
    const int golden = year % 19, century = year / 100;
    int days = (19 * golden + 15 + century - century / 4 - (8 * century + 13) / 25) % 30;
    if (days == 29 || (days == 28 && golden > 10)) --days;
    const int64 full_moon = day_number(year, 3, 21) + days;
    return date_of(full_moon + 7 - FLOOR_MOD(full_moon + 4, 7));
}

static Holiday holiday(const Date &d)
{
    Date e = easter(d.year);
    unsigned int found = NONE;
    switch (d.month * 100 + d.day) {
    case 101: found |= NEW_YEAR; break;
    case 501: found |= LABOUR; break;
    case 229: found |= (unsigned int)LEAP_DAY; break;
    case 1224: case 1225: case 1226: found |= CHRISTMAS;
    default: break;
    }
    if (d.month == e.month && d.day == e.day) found = found | EASTER;
    return (Holiday)found;
}

static void iso_week(const Date &d, int &year, int &week)
{
    const int64 day = day_number(d.year, d.month, d.day);
    const int wd = (int)FLOOR_MOD(day + 3, 7);                 // Monday is 0
    const int64 thursday = day - wd + 3;
    year = date_of(thursday).year;
    week = (int)(thursday - day_number(year, 1, 1)) / 7 + 1;
}

// --- fixed point ----------------------------------------------------------------------------------------
template <typename T, typename Wide, int BITS> static inline T fixed_mul(T a, T b) { return (T)(((Wide)a * (Wide)b) >> BITS); }
template <typename T, typename Wide, int BITS> static inline T fixed_div(T a, T b) { return (T)(((Wide)a << BITS) / (Wide)b); }

static int32 fixed_sqrt(int32 v)
{
    // Q16.16, digit by digit
    uint32 t, q = 0, r = v;
    uniform uint32 b = 0x40000000;
    while (b > 0x40) {
        t = q + b;
        if (r >= t) { r -= t; q = t + b; }
        r <<= 1;
        b >>= 1;
    }
    return (int32)(q >> 8);
}

// --- long integers: LIMBS 32-bit limbs per number, a number per lane ---------------------------------------
template <int LIMBS> void mul_school(const varying uint32 a[], const varying uint32 b[], varying uint32 r[])
{
    for (uniform int i = 0; i < 2 * LIMBS; i++) r[i] = 0;
    for (uniform int i = 0; i < LIMBS; i++) {
        uint64 carry = 0;
        for (uniform int j = 0; j < LIMBS; j++) {
            carry += (uint64)a[i] * b[j] + r[i + j];
            r[i + j] = (uint32)carry;
            carry >>= 32;
        }
        r[i + LIMBS] = (uint32)carry;
    }
}
template <int LIMBS> uint32 add_to(varying uint32 r[], const varying uint32 a[])
{
    uint64 c = 0;
    for (uniform int i = 0; i < LIMBS; i++) { c += (uint64)r[i] + a[i]; r[i] = (uint32)c; c >>= 32; }
    return (uint32)c;
}
template <int LIMBS> uint32 sub_from(varying uint32 r[], const varying uint32 a[])
{
    int64 c = 0;
    for (uniform int i = 0; i < LIMBS; i++) { c += (int64)r[i] - (int64)a[i]; r[i] = (uint32)c; c >>= 32; }
    return (uint32)(c & 1);
}
static void propagate(varying uint32 r[], uniform int from, uniform int to, uint32 carry)
{
    for (uniform int i = from; i < to; ++i) {
        uint32 s = r[i] + carry;
        carry = s < carry ? 1 : 0;
        r[i] = s;
        if (carry == 0) break;
    }
}
// Karatsuba once, on top of the school method: (a1 B + a0)(b1 B + b0)
template <int HALF, int FULL> void mul_karatsuba(const varying uint32 a[], const varying uint32 b[], varying uint32 r[])
{
    uint32 sa[HALF], sb[HALF], m[FULL + 1];
    mul_school<HALF>(a, b, r);
    mul_school<HALF>(a + HALF, b + HALF, r + FULL);
    for (uniform int i = 0; i < HALF; ++i) { sa[i] = a[i]; sb[i] = b[i]; }
    const uint32 ca = add_to<HALF>(sa, a + HALF), cb = add_to<HALF>(sb, b + HALF);
    mul_school<HALF>(sa, sb, m);
    m[FULL] = ca & cb;
    if (ca) m[FULL] += add_to<HALF>(m + HALF, sb);
    if (cb) m[FULL] += add_to<HALF>(m + HALF, sa);
    m[FULL] -= sub_from<FULL>(m, r);
    m[FULL] -= sub_from<FULL>(m, r + FULL);
    const uint32 carry = add_to<FULL>(r + HALF, m);
    const uint64 top = (uint64)r[HALF + FULL] + m[FULL] + carry;
    r[HALF + FULL] = (uint32)top;
    propagate(r, HALF + FULL + 1, 2 * FULL, (uint32)(top >> 32));
}

// decimal digits, least significant first, by repeated short division
template <int LIMBS> int to_decimal(const varying uint32 value[], varying int8 * uniform digits, uniform int room)
{
    uint32 v[LIMBS];
    bool zero = true;
    for (uniform int i = 0; i < LIMBS; ++i) { v[i] = value[i]; zero = zero && v[i] == 0; }
    int count = 0;
    digits[0] = 0;
    while (!zero) {
        uint64 rest = 0;
        zero = true;
        for (uniform int i = LIMBS - 1; i >= 0; --i) {
            rest = rest << 32 | v[i];
            v[i] = (uint32)(rest / 10u);
            rest -= (uint64)v[i] * 10;
            zero &= v[i] == 0;
        }
        if (count < room) digits[count] = (int8)rest;
        ++count;
    }
    return count;
}

// A number for each lane; every third is short.
static void fill(varying uint32 limbs[], int k, uniform uint32 salt)
{
    for (uniform int j = 0; j < 16; ++j)
        limbs[j] = k % 3 != 0 || j < 5 ? k * 2654435761u + j * salt * 40503u + 0xF0000000u : 0;
}

export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n)
{
    foreach (k = 0 ... n) {
        Stamp s;
        split((int64)i[k] * 97000000000000007LL + (int64)k * 123456789123LL, s);
        out[k] = s.date.year * 10000 + (int)s.date.month * 100 + s.date.day;
        out[n + k] = (int)s.time.hour * 10000 + (int)s.time.minute * 100 + s.time.second;
        out[2 * n + k] = (int)s.weekday * 1000 + s.yearday;
        int year, week;
        iso_week(s.date, year, week);
        out[3 * n + k] = year * 100 + week;
        assert(day_number(s.date.year, s.date.month, s.date.day) * DAY_SECONDS
               == FLOOR_DIV((int64)i[k] * 97000000000000007LL + (int64)k * 123456789123LL, 1000000000LL)
                  - (((int)s.time.hour * 60 + s.time.minute) * 60 + s.time.second));
    }
    uniform double * uniform at = out + 4 * n;
    uniform int64 first = 0;
    {
        int64 day = day_number(2023, 12, 25);
        first = extract(day, 0);
    }
    foreach (k = 0 ... 370) {
        Date d = date_of(first + k);
        Holiday h = holiday(d);
        foreach_unique (month in d.month) {
            if (h != NONE)
                at[month - 1] += reduce_add((uint32)h == LEAP_DAY ? 1000 : (int)h);
        }
    }
    at += 12;
    int different = 0;
    foreach (k = 0 ... n) {
        at[k] = fixed_mul<int32, int64, 16>(i[k] * 4099, k * 70001 - 2000000);
        at[n + k] = fixed_sqrt(abs(i[k]) * 12345);
        uint32 x[16], y[16], r[32], q[32];
        fill(x, k, 7);
        fill(y, k + 1, 11);
        mul_school<16>(x, y, r);
        mul_karatsuba<8, 16>(x, y, q);
        for (uniform int j = 0; j < 32; ++j) different += r[j] == q[j] ? 0 : 1;
        int8 text[320];
        int digits = to_decimal<32>(r, text, 320);
        at[2 * n + k] = digits;
        int sum = 0;
        for (int j = 0; j < digits; ++j) sum += (j + 1) * text[j];
        at[3 * n + k] = sum;
    }
    at[4 * n] = reduce_add(different);
    static const uniform int16 years[12] = { 1818, 1943, 1954, 1981, 2000, 2008, 2019, 2023, 2024, 2025, 2038, 2049 };
    foreach (k = 0 ... 12) {
        const Date d = easter(years[k]);
        at[4 * n + 1 + k] = d.month * 100 + d.day;
    }
}
