"""Random kernels whose foreach loops write, call and read in ways that threads of a device may share, or may not.

``void test(uniform int out[], uniform float f[], uniform int q[], uniform int n)`` does the same on any number of
threads; within a gang no two lanes write one element, so that the order of the lanes is not asked for.
"""

from __future__ import annotations

import random

HELPERS = """
uniform int table[64];
uniform int * uniform anywhere;
static uniform RNGState generator;
typedef void (*Packer)(uniform int to[], int v);
static void pack(uniform int to[], int v) { packed_store_active(&to[0], v); }
static void pack_deeper(uniform int to[], int v) { pack(to, v); }
static int at(const uniform int p[], int k) { return p[k]; }
static int entry(int k) { return table[k & 63]; }
static int entry_by_address(int k) { return at(&table[16], k & 15); }
static int through_pointer(int k) { return anywhere[k & 255]; }
static int both(const uniform int p[], const uniform int q[], int k) { return at(p, k) + at(q, k); }
static int steps(int k) { if (k <= 1) return 0; return 1 + steps(k >> 1); }
static void put(uniform int * uniform p, int k, int v) { p[k] = v; }
static int own_sum(int k) { int a[3]; for (uniform int m = 0; m < 3; ++m) a[m] = k * m; return a[0] + a[1] + a[2]; }
task void pieces(uniform int to[], uniform int q[]) { packed_store_active(&to[16 * taskIndex], q[programIndex] + taskIndex); }
"""
_INDICES = ("i", "i", "i", "i + 1", "2 * i", "2 * i + 1", "n - 1 - i", "i & 63", "(i + 5) & 127", "j * 37 + i", "j * 16 + i")
_PURE = (
    "v", "v + 1", "q[i]", "q[i + 1] + v", "at(q, i)", "both(q, q, i)", "steps(i)", "own_sum(v)", "reduce_add(v)",
    "(int)sin(f[i])",
    "popcnt(v) + lanemask()", "entry(v)", "entry_by_address(i)", "table[i & 63]",
)  # fmt: skip
_VALUES = (*_PURE, "out[i]", "out[i + 1]", "out[i] + v", "at(out, i)", "through_pointer(i)", "both(q, out, i)",
           "(int)random(&generator)")  # fmt: skip
_PARTS = (
    "out[{own}] = {pure};", "out[{own}] += {pure};", "out[{own}] = out[{own}] * 3 + {pure};",
    "prefetch_l1(&q[i]); out[{own}] = v;",
    "{{ int w; packed_load_active(&q[{place}], &w); out[{own}] = w; }}", "if (v > 20) out[{own}] = {pure};",
    "{{ RNGState s; seed_rng(&s, i); out[{own}] = random(&s) >> 8; }}",
    "{{ int w; unmasked {{ w = v + 1; }} out[{own}] = w; }}",
)  # fmt: skip
"""What each iteration does to a part of its own: threads share these."""
_STATEMENTS = (
    *_PARTS, "packed_store_active(&out[{place}], v);", "packed_store_active2(&out[{place}], v);", "pack(out, v);",
    "pack_deeper(out, v);", "packed_store_active(v > 40, &out[{place}], v);", "{{ uniform Packer g = pack; g(out, v); }}",
    "put(out, {index}, {value});", "atomic_add_local(&out[{place}], v);", "atomic_max_local(&out[{place}], v);",
    "table[{index} & 63] = {value};", "memcpy(&out[{place}], &q[{place}], 4);", "memset(&out[{place}], 1, 4);",
    "{{ int w; packed_load_active(&out[{place}], &w); out[{index}] = w; }}",
    "{{ uniform int * uniform p = &out[3]; p[i] = v; }}",
    "prefetch_l1(&q[i]); out[{index}] = {value};", "if (v > 20) out[{index}] = {value};", "out[{index}] += {value};",
    "out[{index}] = {value};", "foreach_active (l) out[{place}] += (uniform int)l;", "anywhere[i & 255] = {value};",
)  # fmt: skip
_LOOPS = (
    ("i", "foreach (i = 0 ... n) {{ const uniform int j = 0; {body} }}"),
    ("2 * i + 1", "foreach (i = 3 ... n) {{ const uniform int j = 1; {body} }}"),
    ("j * 37 + i", "foreach (j = 0 ... 5, i = 0 ... 37) {{ {body} }}"),
    ("j * 16 + i", "foreach (j = 0 ... 4, i = 0 ... 16) {{ {body} }}"),
    ("j * 40 + i", "foreach_tiled (j = 0 ... 6, i = 0 ... 37) {{ {body} }}"),
    ("i", "foreach (k = 2147483557 ... 2147483647) {{ const int i = k - 2147483557; const uniform int j = 0; {body} }}"),
    ("j * 20 + i", "foreach_tiled (k = 2147483640 ... 2147483647, i = 0 ... 20) {{ const int j = k - 2147483640; {body} }}"),
    ("i", "for (uniform int t = 0; t < 2; ++t) {{ foreach (i = 0 ... n) {{ const uniform int j = t; {body} }} }}"),
)
"""The index of a part of its own for each iteration, and the loop."""
_OUTSIDE = (
    "packed_store_active(&out[{place}], programIndex);", "launch[5] pieces(out, q); sync;", "out[{place}] = table[3];",
)  # fmt: skip


def random_sharing(seed: int) -> str:
    rng = random.Random(seed)
    statements = rng.choice((_PARTS, _STATEMENTS))

    def filled(text: str, own: str = "i") -> str:
        return text.format(
            own=own, index=rng.choice(_INDICES), pure=rng.choice(_PURE), value=rng.choice(_VALUES), place=rng.randrange(0, 200)
        )

    lines = []
    for _ in range(rng.randint(1, 2)):
        own, loop = rng.choice(_LOOPS)
        # Iterations that take different time.
        work = rng.choice(("", "while (v > 50) v -= 3;", "for (int k = 0; k < (i & 7); ++k) v = v * 3 + 1 & 1023;"))
        body = " ".join(filled(rng.choice(statements), own) for _ in range(rng.randint(1, 3)))
        lines.append(loop.format(body=f"int v = q[i] & 255; {work} {body}"))
        if rng.random() < 0.1:
            lines.append(filled(rng.choice(_OUTSIDE)))
    body = "\n    ".join(lines)
    if "anywhere" in body or "through_pointer" in body:
        body = f"anywhere = out;\n    {body}"
    head = "export void test(uniform int out[], uniform float f[], uniform int q[], uniform int n)"
    return f"{HELPERS}{head} {{\n    {body}\n}}\n"
