"""Plain functions of Python as the C functions of a kernel, declared by it or passed to it."""

from __future__ import annotations

import ctypes
import gc
import math
import weakref
from typing import Any

import numpy as np
import pytest

import voltac

PROGRAM = """
enum Kind { ONE = 1, TWO };
struct Pair { float a, b; };
extern "C" uniform double integrand(uniform double x);
extern "C" uniform int32 kinds(uniform int8 a, uniform uint8 b, uniform int16 c, uniform uint64 d, uniform bool e,
                               uniform Kind f, uniform float g, uniform Pair * uniform h);
extern "C" void tell(uniform int step);

typedef unmasked uniform float (*Function)(uniform float x);

// Simpson's rule, the function once for each lane.
export uniform double integral(uniform double from, uniform double to, uniform int n) {
    uniform double h = (to - from) / n;
    double sum = 0;
    foreach (i = 0 ... n + 1) {
        double value = 0;
        foreach_active (lane)
            value = insert(value, (uniform int)lane, integrand(extract(from + h * i, (uniform int)lane)));
        sum += value * (i == 0 || i == n ? 1 : (i & 1) ? 4 : 2);
    }
    return reduce_add(sum) * h / 3;
}
export uniform int32 of_all_kinds(uniform Pair * uniform p) {
    return kinds(-3, 250, -1000, 1ull << 63, true, TWO, 0.5f, p);
}
export void told(uniform int n) { for (uniform int i = 0; i < n; ++i) tell(i); }
export void mapped(uniform Function f, uniform float a[n], uniform int n) {
    for (uniform int i = 0; i < n; ++i) a[i] = f(a[i]);
}
"""


def module(**functions: object) -> Any:
    return voltac.compile(PROGRAM, functions={"integrand": math.exp, "kinds": lambda *_: 0, "tell": print, **functions})


def test_a_kernel_integrates_a_python_function() -> None:
    k = module(integrand=math.sin)
    assert abs(k.integral(0.0, math.pi, 100) - 2) < 1e-7
    k = module(integrand=lambda x: 3 * x * x)
    assert k.integral(1.0, 2.0, 2) == pytest.approx(7, rel=1e-15)


def test_all_kinds_of_arguments_arrive_as_python_has_them() -> None:
    given: list[Any] = []

    def kinds(*values: Any) -> int:
        given.append(values)
        return -7

    k = module(kinds=kinds)
    p = np.zeros(1, k.of_all_kinds.dtype("p"))
    assert k.of_all_kinds(p) == -7
    assert given == [(-3, 250, -1000, 1 << 63, True, 2, 0.5, p.ctypes.data)]
    assert [type(value) for value in given[0]] == [int, int, int, int, bool, int, float, int]


@pytest.mark.parametrize("result", [np.int64(12), np.int8(12), True + 11])
def test_results_of_numpy_are_numbers_too(result: object) -> None:
    k = module(kinds=lambda *_: result)
    assert k.of_all_kinds(np.zeros(1, k.of_all_kinds.dtype("p"))) == 12


@pytest.mark.parametrize(
    "result, error",
    [(1 << 31, "2147483648.*int32"), (-(1 << 31) - 1, "int32"), (1.5, "integer"), (None, "integer"), ("1", "integer")],
)
def test_a_result_that_does_not_fit_is_raised_by_the_call(result: object, error: str) -> None:
    k = module(kinds=lambda *_: result)
    with pytest.raises((TypeError, ValueError), match=error):
        k.of_all_kinds(np.zeros(1, k.of_all_kinds.dtype("p")))
    k = module(integrand=lambda _: "text")
    with pytest.raises(TypeError):
        k.integral(0.0, 1.0, 2)


def test_an_exception_is_raised_by_the_call_and_has_its_place() -> None:
    def tell(step: int) -> None:
        if step == 2:
            raise LookupError("two")

    with pytest.raises(LookupError, match="two") as caught:
        module(tell=tell).told(5)
    assert "tell" in [entry.name for entry in caught.traceback]


def test_a_function_is_passed_to_a_kernel() -> None:
    k = module()
    a = np.arange(5, dtype=np.float32)
    k.mapped(lambda x: x * x + 1, a)
    assert a.tolist() == [1, 2, 5, 10, 17]
    k.mapped(math.sqrt, a)
    assert a.tolist() == np.sqrt(np.array([1, 2, 5, 10, 17], np.float32)).tolist()
    k.mapped(f=abs, a=a)
    with pytest.raises(ZeroDivisionError):
        k.mapped(lambda x: 1 / 0, a)


def test_functions_live_as_long_as_they_are_needed() -> None:
    class Step:
        def __call__(self, step: int) -> None:
            self.last = step

    step = Step()
    there = weakref.ref(step)
    told = module(tell=step).told
    del step
    gc.collect()
    told(4)
    alive = there()
    assert alive is not None and alive.last == 3
    passed = Step()
    there = weakref.ref(passed)
    module().mapped(lambda x, _=passed: x, np.zeros(1, np.float32))
    del passed, alive, told
    gc.collect()
    assert there() is None


def test_functions_of_ctypes_and_addresses_are_as_before() -> None:
    made = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(lambda x: x)
    assert module(integrand=made).integral(0.0, 1.0, 2) == pytest.approx(0.5)
    address = ctypes.cast(made, ctypes.c_void_p).value
    assert module(integrand=address).integral(0.0, 1.0, 2) == pytest.approx(0.5)


def test_what_a_plain_function_cannot_stand_for_is_told() -> None:
    text = """struct Pair { float a, b; };
    extern "C" void pair(uniform Pair p);
    export void f(uniform Pair * uniform p) { pair(*p); }
    """
    with pytest.raises(TypeError, match=r"functions\['pair'\] must be a function of ctypes or an address, .*struct Pair"):
        voltac.compile(text, functions={"pair": lambda p: None})
    with pytest.raises(
        TypeError, match=r"functions\['integrand'\] must be a function of Python or ctypes, or an address, not str"
    ):
        module(integrand="text")
    with pytest.raises(TypeError, match="must be a function of Python or ctypes, or the address of one, not str"):
        module().mapped("text", np.zeros(1, np.float32))


def test_a_cached_program_knows_its_prototypes(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(tmp_path))
    for factor in (1.0, 2.0):
        k = module(integrand=lambda x, factor=factor: factor)
        assert k.integral(0.0, 1.0, 2) == pytest.approx(factor)
