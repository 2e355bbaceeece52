"""Which kernels the threads of a device share: iterations that are known to be independent, and nothing else."""

import pytest

from voltac.sema.analyses.thread_sharing import SHARED, SINGLE, Sharing, sharing_of
from voltac.target_info import find_target

from .annotated import checked, function, options

_HELPERS = """
struct Point { float x, y; };
static void swap(float &a, float &b) { float t = a; a = b; b = t; }
static void exchange(uniform float &a, uniform float &b) { uniform float t = a; a = b; b = t; }
static float square(float x) { return x * x; }
static uniform float counter = 0;
static float counted(float x) { counter += 1; return x; }
task void fill(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[taskIndex * n + i] = taskIndex; }
task void count(uniform int q[]) { atomic_add_global(&q[0], (uniform int)taskIndex); }
static float first(const uniform float p[]) { return p[0]; }
uniform float table[64];
uniform float * uniform anywhere;
static float entry(int k) { return table[k & 63]; }
static float entry_by_address(uniform int k) { return first(&table[k]); }
static float through_pointer(int k) { return anywhere[k]; }
static void pack(uniform int to[], int v) { packed_store_active(&to[0], v); }
static void pack_deeper(uniform int to[], int v) { pack(to, v); }
typedef void (*Packer)(uniform int to[], int v);
static float second(const uniform float p[]) { const uniform float * uniform q = p + 1; return q[0]; }
static float both(const uniform float p[], const uniform float q[]) { return first(p) + first(q); }
static int steps(int k) { if (k <= 1) return 0; return 1 + steps(k >> 1); }
static uniform RNGState generator;
task void packs(uniform int q[], uniform int n) { packed_store_active(&q[taskIndex * n], programIndex); }
"""

_SHARED = {
    "each iteration writes its element": "foreach (i = 0 ... n) c[i] = a[i] + b[i];",
    "an element is read and written": "foreach (i = 0 ... n) a[i] *= 2;",
    "another array is read elsewhere": "foreach (i = 1 ... n) a[i] = b[i - 1];",
    "rows of a matrix": "foreach (y = 0 ... m, x = 0 ... n) a[y * n + x] = b[x * m + y];",
    "rows without borders": "foreach (y = 1 ... m - 1, x = 1 ... n - 1) { int k = y * n + x; a[k] = b[k - n] + b[k + n]; }",
    "rows of a constant length": "foreach (y = 0 ... m, x = 0 ... 20) a[y * 20 + x] += b[y];",
    "columns of a constant length": "foreach (y = 0 ... 20, x = 0 ... m) a[(x - 7) * 21 + y] = b[y];",
    "tiles": "foreach_tiled (y = 0 ... m, x = 0 ... n) a[y * n + x] = 1;",
    "planes of rows": "foreach (z = 1 ... 7, y = 1 ... 11, x = 1 ... n - 1) a[(z * 12 + y) * n + x] = b[x];",
    "planes of any size": "foreach (z = 0 ... 9, y = 1 ... m - 1, x = 0 ... n) a[(z * m + y) * n + x] = b[x];",
    "half as many": "foreach (y = 0 ... m / 2, x = 0 ... n / 2) a[y * (n / 2) + x] = b[2 * x];",
    "three elements an iteration": "foreach (i = 0 ... n) { a[3 * i] = 1; a[3 * i + 2] = 2; }",
    "backwards": "foreach (i = 0 ... n) a[n - 1 - i] = b[i];",
    "members of a struct": "foreach (i = 0 ... n) { p[i].x += 1; p[i].y = p[i].x; }",
    "a pointer to a row": "foreach (i = 0 ... n) { uniform float * uniform row = a + 4; row[i] = 1; }",
    "a pure function": "foreach (i = 0 ... n) a[i] = square(b[i]) + sin(b[i]);",
    "a function that changes locals": "foreach (i = 0 ... n) { float x = a[i], y = b[i]; swap(x, y); a[i] = x; b[i] = y; }",
    "a function that reads another array": "foreach (i = 0 ... n) a[i] = first(b);",
    "control flow": "foreach (i = 0 ... n) { if (b[i] < 0) continue; for (int k = 0; k < i; k++) a[i] += 1; }",
    "time steps": "for (uniform int t = 0; t < 9; t++) { foreach (i = 0 ... n) b[i] = a[i]; foreach (i = 0 ... n) a[i] = 1; }",
    "a local array outside": "uniform float w[3] = {1, 2, 3}; w[0] = m; foreach (i = 0 ... n) a[i] = w[1];",
    "a global that is read": "foreach (i = 0 ... n) a[i] = entry(i);",
    "a function that calls itself": "foreach (i = 0 ... n) a[i] = steps(i);",
    "a function's pointer variable": "foreach (i = 0 ... n) a[i] = second(b);",
    "constant tables of the library": "foreach (i = 0 ... n) a[i] = pow(b[i], 3.5f) + erf(b[i]) + atan2(b[i], b[i]);",
    "active elements of another array": "foreach (i = 0 ... n) { int v; packed_load_active(q, &v); a[i] = v; }",
    "prefetched elements": "foreach (i = 0 ... n) { prefetch_l1(&b[i]); a[i] = b[i]; }",
    "a generator of each lane": "foreach (i = 0 ... n) { RNGState s; seed_rng(&s, i); a[i] = frandom(&s); }",
    "half numbers": "foreach (i = 0 ... n) a[i] = half_to_float(float_to_half(b[i]));",
    "an unmasked local": "foreach (i = 0 ... n) { float x = b[i]; unmasked { x += 1; } a[i] = x; }",
    "tasks that pack": "launch[m] packs(q, n);",
    "tasks": "launch[m] fill(a, n); sync; foreach (i = 0 ... n) a[i] += 1;",
    "sums of threads": "uniform float s = 0; for (uniform int k = 0; k < 3;) s += b[k++]; foreach (i = 0 ... n) a[i] = s;",
}
_SINGLE = {
    "the element before": ("foreach (i = 1 ... n) a[i] = a[i - 1];", "'a' is written"),
    "overlapping pairs": ("foreach (i = 0 ... n) { a[2 * i] = 1; a[2 * i + 2] = 2; }", "'a' is written"),
    "rows that may overlap": ("foreach (y = 0 ... m, x = 0 ... n) a[y * m + x] = 1;", "'a' is written"),
    "rows that overlap": ("foreach (y = 0 ... m, x = 0 ... n + 1) a[y * n + x] = 1;", "'a' is written"),
    "rows of a constant length that overlap": ("foreach (y = 0 ... m, x = 0 ... 21) a[y * 20 + x] = 1;", "'a' is written"),
    "planes that overlap": ("foreach (z = 0 ... 7, y = 0 ... 12, x = 0 ... n) a[(z * 11 + y) * n + x] = 1;", "'a' is written"),
    "planes against rows": ("foreach (z = 0 ... 7, y = 0 ... 9, x = 0 ... n) a[(z * 9 - y) * n + x] = 1;", "'a' is written"),
    "halves of two numbers": ("foreach (y = 0 ... m, x = 0 ... n / 2) a[y * (m / 2) + x] = 1;", "'a' is written"),
    "one column for all rows": ("foreach (y = 0 ... m, x = 0 ... n) a[x] = y;", "'a' is written"),
    "against the rows": ("foreach (y = 0 ... m, x = 0 ... n) a[y - x] = 1;", "'a' is written"),
    "an index from memory": ("foreach (i = 0 ... n) a[q[i]] = 1;", "'a' is written"),
    "an index that is divided": ("foreach (i = 0 ... n) a[i / 2] = 1;", "'a' is written"),
    "an index that varies": ("varying int k = programIndex; foreach (i = 0 ... n) a[i + k] = 1;", "'a' is written"),
    "one element for all": ("foreach (i = 0 ... n) a[0] = 1;", "'a' is written"),
    "a loop's element": ("foreach (i = 0 ... n) for (uniform int k = 0; k < 4; k++) a[i + k] = 1;", "'a' is written"),
    "a sum": ("float s = 0; foreach (i = 0 ... n) s += a[i]; a[0] = reduce_add(s);", "'s', which is declared outside"),
    "a local array": ("uniform float w[8]; foreach (i = 0 ... 8) w[i] = 1;", "'w', which is declared outside"),
    "print": ('foreach (i = 0 ... n) print("%", i);', "the order of the iterations"),
    "atomics": ("foreach (i = 0 ... n) atomic_add_global(&q[0], 1);", "'atomic_add_global'"),
    "a function that counts": ("foreach (i = 0 ... n) a[i] = counted(b[i]);", "'counted' writes memory"),
    "a function that changes an array": ("foreach (i = 0 ... n) exchange(a[0], b[0]);", "'exchange' may write"),
    "a function that reads what is written": ("foreach (i = 0 ... n) a[i] = first(a);", "'a' is written"),
    "a function that reads a global that is written": ("foreach (i = 1 ... 9) table[i] = entry(i - 1);", "'table' is written"),
    "an address of a global that is written": ("foreach (i = 0 ... 9) table[i] = entry_by_address(0);", "'table' is written"),
    "a global pointer of a function": ("foreach (i = 0 ... n) a[i] = through_pointer(i + 1);", "which object"),
    "the second of two calls": ("foreach (i = 0 ... n) a[i] = both(b, b) + both(b, a);", "'a' is written"),
    "lanes beyond the end": ("foreach (y = 0 ... m, x = 0 ... n) unmasked { a[y * n + x] = y; }", "'a' is written"),
    "a pack through a function": ("foreach (i = 0 ... n) pack(q, i);", "'pack'"),
    "a pack through two functions": ("foreach (i = 0 ... n) pack_deeper(q, i);", "'pack_deeper'"),
    "a function pointer": ("uniform Packer f = pack; foreach (i = 0 ... n) f(q, i);", "order of the iterations"),
    "a pack outside": ("packed_store_active(q, programIndex); foreach (i = 0 ... n) b[i] = 1;", "'packed_store_active'"),
    "a generator for all": ("foreach (i = 0 ... n) a[i] = frandom(&generator);", "'frandom'"),
    "a seed for all": ("foreach (i = 0 ... n) seed_rng(&generator, 1);", "'seed_rng'"),
    "a pointer from memory": ("foreach (i = 0 ... n) a[i] = pp[0][i];", "which object"),
    "a store through a pointer from memory": ("foreach (i = 0 ... n) pp[0][i] = 1;", "which object"),
    "tasks that count": ("launch[m] count(q);", "tasks"),
    "memory is written outside": ("a[0] = 1; foreach (i = 0 ... n) b[i] = 1;", "outside of 'foreach'"),
    "a function that writes outside": ("exchange(a[0], b[0]); foreach (i = 0 ... n) b[i] = 1;", "'exchange' may write"),
}


_CALLS = (
    "packed_store_active(&q[0], i)", "packed_store_active2(&q[0], i)", "packed_store_active(i > 3, &q[0], i)",
    "streaming_store(&q[0], i)", "memcpy(q, b, 4)", "memmove(q, b, 4)", "memset(q, 1, 4)", "memcpy64(q, b, 4)",
    "memset((void *)&q[i], 1, (int)4)", "atomic_add_global(&q[0], i)", "atomic_add_local(&q[0], i)",
    "atomic_add_global(&q[i & 3], i)", "atomic_subtract_global(&q[0], i)", "atomic_min_local(&q[0], i)",
    "atomic_max_global(&q[0], i)", "atomic_and_global(&q[0], i)", "atomic_or_global(&q[0], i)", "atomic_xor_global(&q[0], i)",
    "atomic_swap_global(&q[0], i)", "atomic_swap_local(&q[0], i)", "atomic_compare_exchange_global(&q[0], 1, i)",
    "atomic_compare_exchange_local(&q[0], 1, i)", "memory_barrier()", "q[i] = clock()", "rdrand(&a[0])",
    "varying int * uniform v = (varying int * uniform)q; packed_load_active(&q[0], v)",
    "aos_to_soa2(a, (varying float * uniform)b, (varying float * uniform)c)", "soa_to_aos3(b[i], b[i], b[i], a)",
    "soa_to_aos4(b[i], b[i], b[i], b[i], a)", "int h; rdrand(&h); q[i] = h",
)  # fmt: skip
"""Calls of the library that write through pointers or are seen in order."""
_LOOPS = (
    "foreach (i = 0 ... n) {{ {}; }}",
    "foreach (j = 0 ... m, i = 0 ... n) {{ {}; }}",
    "foreach_tiled (j = 0 ... m, i = 0 ... n) {{ {}; }}",
    "foreach (i = 0 ... n) {{ if (b[i] > 0) {{ {}; }} }}",
    "foreach (i = 0 ... n) {{ foreach_active (lane) {{ {}; }} }}",
    "foreach (i = 0 ... n) {{ foreach_unique (u in i & 3) {{ {}; }} }}",
    "foreach (i = 0 ... n) {{ unmasked {{ {}; }} }}",
)


def _sharing(body: str) -> Sharing:
    return sharing_of(function(_source(body), "kernel"), find_target("naplespu"))


@pytest.mark.parametrize("call", _CALLS)
def test_iterations_that_call_what_writes_or_is_ordered_are_not_shared(call: str) -> None:
    for loop in _LOOPS:
        sharing = _sharing(loop.format(call))
        assert sharing.way == SINGLE, loop
        assert sharing.obstacle is not None


def _source(body: str) -> str:
    parameters = "uniform float a[], uniform float b[], uniform float c[], uniform int q[], uniform Point p[], "
    parameters += "uniform float * uniform pp[], uniform int n, uniform int m"
    return f"{_HELPERS}export void kernel({parameters}) {{ {body} }}"


@pytest.mark.parametrize("name", _SHARED)
def test_threads_share_independent_iterations(name: str) -> None:
    sharing = _sharing(_SHARED[name])
    assert (sharing.way, sharing.obstacle) == (SHARED, None)


@pytest.mark.parametrize("name", _SINGLE)
def test_one_thread_runs_what_is_not_known_to_be_independent(name: str) -> None:
    body, reason = _SINGLE[name]
    sharing = _sharing(body)
    assert sharing.way == SINGLE and sharing.obstacle is not None
    assert reason in sharing.obstacle.reason


def test_memory_that_decides_outside_is_read_before_it_is_written() -> None:
    body = "for (uniform int t = 0; q[0] > t; t++) foreach (i = 0 ... n) a[i] += 1;"
    assert _sharing(body).reads_outside
    assert not _sharing(_SHARED["time steps"]).reads_outside


def test_a_device_warns_of_a_kernel_that_one_thread_runs() -> None:
    _, diagnostics = checked(_source(_SINGLE["the element before"][0]), options("naplespu"))
    assert "only one thread of the device runs 'kernel'" in diagnostics.render()
    _, quiet = checked(_source(_SHARED["time steps"]), options("naplespu"))
    assert "one thread" not in quiet.render()
