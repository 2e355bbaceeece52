"""One order of converting arguments, however they are passed: numbers once, then objects asked for memory, then addresses.

What a conversion does to another argument, the kernel sees: it never gets the address of memory that is gone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import voltac

PROGRAM = """
export void fill(uniform int a[], uniform int n, uniform float by) { foreach (i = 0 ... n) a[i] = i + (int)by; }
export void add(uniform int a[], uniform int b[], uniform int n) { foreach (i = 0 ... n) a[i] += b[i]; }
""" + "".join(
    f"export uniform {name} echo_{name}(uniform {name} x) {{ return x; }}\n"
    for name in ("bool", "int8", "uint8", "int16", "uint16", "int", "uint", "int64", "uint64", "float16", "float", "double")
)


@pytest.fixture(scope="module")
def k() -> voltac.KernelModule:
    return voltac.compile(PROGRAM, file="argument_order.ispc")


Call = Callable[..., Any]


def by_position(kernel: voltac.Kernel, *given: Any) -> Any:
    return kernel(*given)


def by_name(kernel: voltac.Kernel, *given: Any) -> Any:
    return kernel(**{row.name: value for row, value in zip(kernel.parameters, given)})


def by_name_backwards(kernel: voltac.Kernel, *given: Any) -> Any:
    return kernel(**dict(reversed([(row.name, value) for row, value in zip(kernel.parameters, given)])))


def mixed(kernel: voltac.Kernel, *given: Any) -> Any:
    return kernel(given[0], **{row.name: value for row, value in zip(kernel.parameters[1:], given[1:])})


def the_long_way(kernel: voltac.Kernel, *given: Any) -> Any:
    return kernel._arguments(*given)


WAYS = [by_position, by_name, by_name_backwards, mixed, the_long_way]
"""The last one is for kernels of this machine."""


class Number:
    """A number whose conversion does something."""

    def __init__(self, value: float, effect: Callable[[], object]) -> None:
        self.value, self.effect, self.calls = value, effect, 0

    def __index__(self) -> int:
        self.calls += 1
        self.effect()
        return int(self.value)

    def __float__(self) -> float:
        self.calls += 1
        self.effect()
        return float(self.value)


SIZE = 1 << 18
"""Elements that have a mapping of their own: an access after it was given back ends the process."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("which", ["index", "float"])
def test_memory_that_moves_is_followed(k: voltac.KernelModule, way: Call, which: str) -> None:
    for before, after in ((SIZE, 3 * SIZE), (SIZE, 64), (4, SIZE)):
        a = np.zeros(before, np.int32)

        def move(a: Any = a, after: int = after) -> None:
            a.resize(after, refcheck=False)

        number = Number(min(before, after), move) if which == "index" else Number(3, move)
        way(k.fill, a, *((number, 3.0) if which == "index" else (min(before, after), number)))
        assert number.calls == 1
        assert list(a[:4]) == [3, 4, 5, 6] and a[min(before, after) - 1] == min(before, after) + 2


CHANGES: dict[str, tuple[Callable[[Any], None], type[Exception], str]] = {
    "dtype": (lambda a: setattr(a, "dtype", np.float32), TypeError, "array of int32, not an array of float32"),
    "read-only": (lambda a: a.setflags(write=False), ValueError, "must be writable"),
    "strides": (lambda a: setattr(a, "strides", (0,)), ValueError, "C-contiguous"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.filterwarnings("ignore:Setting the")
def test_what_an_array_has_become_is_checked(k: voltac.KernelModule, way: Call, change: str) -> None:
    effect, error, says = CHANGES[change]
    a = np.zeros(8, np.int32)
    with pytest.raises(error, match=says):
        way(k.fill, a, Number(8, lambda: effect(a)), 1.0)
    assert not a.any()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, RuntimeError, TypeError, ValueError, ZeroDivisionError])
def test_exceptions_of_a_conversion_are_raised_and_it_is_not_called_again(
    k: voltac.KernelModule, way: Call, error: type[BaseException]
) -> None:
    def fail() -> None:
        raise error("of the conversion")

    a = np.zeros(8, np.int32)
    for arguments in ((Number(8, fail), 1.0), (8, Number(1, fail))):
        with pytest.raises(error, match=r"^of the conversion$"):
            way(k.fill, a, *arguments)
        assert sum(one.calls for one in arguments if isinstance(one, Number)) == 1
    assert not a.any()


@pytest.mark.parametrize("way", WAYS)
def test_numbers_convert_in_the_order_of_the_parameters_and_before_memory_is_asked_for(
    k: voltac.KernelModule, way: Call
) -> None:
    events: list[str] = []
    memory = np.zeros(8, np.int32)

    class Holder:
        @property
        def __array_interface__(self) -> Any:
            if "array" not in events:
                events.append("array")
            return memory.__array_interface__

    way(k.fill, Holder(), Number(8, lambda: events.append("n")), Number(2, lambda: events.append("by")))
    assert events == ["n", "by", "array"]
    assert list(memory) == list(range(2, 10))


@pytest.mark.parametrize("way", WAYS)
def test_an_object_that_is_asked_for_memory_may_change_other_arrays(k: voltac.KernelModule, way: Call) -> None:
    memory = np.ones(SIZE, np.int32)
    for before, after in ((SIZE, 4 * SIZE), (4, SIZE)):
        for first in (True, False):
            moved = np.ones(before, np.int32)

            class Holder:
                @property
                def __array_interface__(self, moved: Any = moved, after: int = after) -> Any:
                    moved.resize(after, refcheck=False)
                    return memory.__array_interface__

            memory[:] = 1
            way(k.add, *((moved, Holder()) if first else (Holder(), moved)), before)
            assert (moved if first else memory)[0] == 2


@pytest.mark.parametrize("way", WAYS)
def test_the_buffer_of_another_object_cannot_be_resized_once_it_is_asked_for(k: voltac.KernelModule, way: Call) -> None:
    memory = np.ones(8, np.int32)
    buffer = bytearray(32)

    class Holder:
        @property
        def __array_interface__(self) -> Any:
            buffer.extend(bytes(1 << 20))
            return memory.__array_interface__

    with pytest.raises(TypeError):
        way(k.add, memory, buffer, 8)  # bytes are no int32
    ints = memoryview(buffer).cast("i")
    with pytest.raises(BufferError):
        way(k.add, ints, Holder(), 8)
    ints.release()
    assert buffer == bytes(32)


@pytest.mark.parametrize("way", WAYS)
def test_a_class_derived_from_ndarray_is_taken_for_what_it_is(k: voltac.KernelModule, way: Call) -> None:
    class Liar(np.ndarray[Any, np.dtype[Any]]):
        @property
        def __array_interface__(self) -> Any:
            raise AssertionError

        @property
        def flags(self) -> Any:
            raise AssertionError

        @property
        def dtype(self) -> Any:
            raise AssertionError

    memory = np.zeros(8, np.int32)
    way(k.fill, memory.view(Liar), 8, 1.0)
    assert list(memory) == list(range(1, 9))


class Whole(int):
    def __index__(self) -> int:
        raise AssertionError

    def __le__(self, other: object) -> bool:
        raise AssertionError


class Real(float):
    def __float__(self) -> float:
        raise AssertionError


class Half:
    def __float__(self) -> float:
        return 0.5


class Seven:
    def __index__(self) -> int:
        return 7


class NotAFloat:
    def __float__(self) -> float:
        return "text"  # type: ignore[return-value]


def scalars() -> Iterator[Any]:
    yield from (0, 1, -1, 7, 255, 256, -129, 1 << 31, 1 << 63, 1 << 64, -(1 << 63), 1 << 1100, True, False)
    yield from (0.0, 0.5, -1.0, 1.0, 1e300, float("inf"), 65520.0, 3.4028236e38)
    for kind in "bBhHiIlLqQefdgFDG?":
        yield np.dtype(kind).type(1)
        yield np.array(1, kind)
        yield np.array([1], kind)
    yield from (np.int8(-1), np.uint64((1 << 64) - 1), np.float32(0.1), np.float64(-1.0), np.longdouble(0.5))
    yield from (np.ma.masked, np.ma.array(1.0), np.ma.array(1, mask=True), np.array(1, object), np.array("1"))
    yield from (np.datetime64(1, "s"), np.timedelta64(1, "ns"), np.str_("1"), np.bytes_(b"1"), np.void(b"1234"))
    yield from (None, "1", b"1", bytearray(b"1"), memoryview(b"1"), [1], (1,), {}, 1j, complex(1, 0), object())
    yield from (Whole(7), Real(0.5), Half(), Seven(), NotAFloat(), type, lambda: 1)


FLOATS = "?bBhHiIlLqQefdg"
"""Characters of numpy's types whose numbers are floats: all but complex ones."""


def outcome(way: Call, kernel: voltac.Kernel, given: Any) -> str:
    try:
        result = way(kernel, given)
        return f"{type(result).__name__} {result!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("error")
def test_every_way_of_passing_a_number_gives_the_same(k: voltac.KernelModule) -> None:
    for kernel, given in itertools.product((k[name] for name in k if name.startswith("echo_")), scalars()):
        found = {outcome(way, kernel, given) for way in WAYS}
        assert len(found) == 1, (kernel, given, found)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("way", WAYS)
def test_what_is_no_real_number_is_none(k: voltac.KernelModule, way: Call) -> None:
    refused = [np.complex64(1), np.complex128(1), np.clongdouble(1), np.array(1j), 1j, np.ma.masked]
    refused += [
        "1",
        b"1",
        bytearray(b"1"),
        memoryview(b"1"),
        np.str_("1"),
        np.timedelta64(1, "ns"),
        np.void(b"1"),
        np.array(np.void(b"1")),
        NotAFloat(),
        np.ma.array(1.0, mask=True),
    ]
    for name, value in itertools.product(("float16", "float", "double", "int", "uint64", "bool"), refused):
        with pytest.raises(TypeError):
            way(k[f"echo_{name}"], value)
    for kind in FLOATS:
        assert way(k.echo_double, np.dtype(kind).type(1)) == 1.0
    assert way(k.echo_double, Real(0.5)) == 0.5 and way(k.echo_int, Whole(7)) == 7
    assert way(k.echo_double, Half()) == 0.5 and way(k.echo_double, Seven()) == 7.0


def test_a_device_has_the_same_order() -> None:
    kernels = voltac.compile(PROGRAM.partition("export uniform")[0], target="naplespu")
    for way in WAYS[:-1]:
        a = np.zeros(4, np.int32)
        number = Number(64, lambda a=a: a.resize(64, refcheck=False))  # type: ignore[misc]
        way(kernels.fill, a, number, 3.0)
        assert list(a) == list(range(3, 67)) and number.calls == 1
