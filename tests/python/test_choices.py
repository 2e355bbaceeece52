"""``voltac.choose``: one name for kernels of several types."""

from __future__ import annotations

import array
import copy
import ctypes
import pickle
from typing import Any

import numpy as np
import pytest

import voltac

SOURCE = """
// Multiplies.
export void scale(uniform T a[n], uniform T by, uniform int n) { foreach (i = 0 ... n) a[i] *= by; }
export uniform int bits(uniform T x) { return 8 * sizeof(uniform T); }
export uniform T total(const uniform T a[n], uniform int n, uniform T begin = 0) {
    T sum = 0;
    foreach (i = 0 ... n) sum += a[i];
    return begin + reduce_add(sum);
}
"""
TYPES = {"int32": np.int32, "float": np.float32, "double": np.float64}


@pytest.fixture(scope="module")
def modules() -> dict[str, Any]:
    return {name: voltac.compile(SOURCE, defines={"T": name}) for name in TYPES}


@pytest.fixture(scope="module")
def scale(modules: dict[str, Any]) -> Any:
    return voltac.choose(*(module.scale for module in modules.values()))


@pytest.mark.parametrize("dtype", TYPES.values())
def test_the_dtype_of_an_array_decides(scale: Any, modules: dict[str, Any], dtype: Any) -> None:
    a = np.arange(20, dtype=dtype)
    for _ in range(2):
        scale(a, 3)
    assert a.dtype == dtype and a.tolist() == [9 * i for i in range(20)]
    scale(by=2, a=a)
    assert a.tolist() == [18 * i for i in range(20)]
    total = voltac.choose(*(module.total for module in modules.values()))
    assert total(a) == sum(18 * i for i in range(20)) and total(a, begin=1) == 1 + sum(18 * i for i in range(20))
    assert scale.kernel_for(a, 3) is modules[[*TYPES][list(TYPES.values()).index(dtype)]].scale


def test_numbers_decide_by_whether_they_are_whole(modules: dict[str, Any]) -> None:
    bits = voltac.choose(modules["int32"].bits, modules["double"].bits, modules["float"].bits)
    assert bits.kernel_for(1) is modules["int32"].bits and bits.kernel_for(np.uint8(1)) is modules["int32"].bits
    assert bits(1.5) == 64 and bits(np.float32(1.5)) == 64 and bits(np.array(1.5)) == 64
    turned = voltac.choose(modules["float"].bits, modules["int32"].bits)
    assert turned.kernel_for(1) is modules["float"].bits


def test_memory_of_other_kinds_has_a_dtype_too(scale: Any) -> None:
    a = array.array("d", [1, 2, 3])
    scale(a, 2)
    assert list(a) == [2, 4, 6]
    b = (ctypes.c_float * 3)(1, 2, 3)
    scale(b, 2)
    assert list(b) == [2, 4, 6]
    c = memoryview(bytearray(np.array([1, 2, 3], np.int32).tobytes())).cast("i")
    scale(c, 2)
    assert c.tolist() == [2, 4, 6]


@pytest.mark.parametrize("wrong", [np.zeros(3, np.float16), np.zeros(3, ">f4"), np.zeros(3, object)], ids=str)
def test_what_no_kernel_takes_is_told(scale: Any, wrong: Any) -> None:
    with pytest.raises(
        TypeError, match=r"no kernel of scale\(\) takes \(an array of .*, int 2\); there are:\n  void scale\(uni"
    ):
        scale(wrong, 2)


def test_arguments_that_fit_no_parameter_are_told(scale: Any) -> None:
    a = np.zeros(3, np.float32)
    for given, by_name in (((a, 1, 3, 4), {}), ((a,), {"b": 3}), ((np.zeros(3, np.int32), 1.5), {})):
        with pytest.raises(TypeError, match="no kernel of scale"):
            scale(*given, **by_name)
    # What the kernel itself has to say is said by it.
    with pytest.raises(ValueError, match="at least 4 elements"):
        scale(a, 1, 4)
    with pytest.raises(TypeError, match="missing"):
        scale(a)


def test_an_array_that_another_kernel_refused_is_looked_at_anew(scale: Any) -> None:
    """The choice is kept by types; all else is checked by each call."""
    a = np.zeros(4, np.float32)
    scale(a, 1)
    with pytest.raises(ValueError, match="contiguous"):
        scale(a[::2], 1)
    scale(a[::2], 1, copy=True)


def test_it_is_made_of_kernels() -> None:
    for wrong in ((), (len,), ("scale",)):
        with pytest.raises(TypeError, match=r"choose\(\)"):
            voltac.choose(*wrong)


def test_it_travels_and_shows_itself(scale: Any) -> None:
    again = pickle.loads(pickle.dumps(scale))
    a = np.ones(3)
    again(a, 5)
    copy.deepcopy(scale)(a, 2)
    assert a.tolist() == [10, 10, 10]
    assert scale.__name__ == "scale" and "Multiplies." in scale.__doc__ and "uniform double * uniform a" in repr(scale)
