"""What kernels take from Python and what they refuse; every message names the argument and the remedy."""

from __future__ import annotations

import array
import ctypes
import decimal
import fractions
import mmap
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac
from voltac.python import build, interpreter_layout

DTYPES: dict[str, Any] = {
    "bool": np.bool_,
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int": np.int32,
    "unsigned int": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
    "float16": np.float16,
    "float": np.float32,
    "double": np.float64,
}


def short(name: str) -> str:
    return name.replace("unsigned int", "uint32")


PROGRAM = """
// Writes a * x + y to out.
//
// All arrays have n elements.
export void saxpy(uniform float a, const uniform float x[], uniform float y[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) out[i] = a * x[i] + y[i];
}
struct Point { float x; double y; int8 tag; };
export void move(uniform Point points[], uniform int n, uniform float by) {
    for (uniform int i = 0; i < n; ++i) { points[i].x += by; points[i].y -= by; points[i].tag++; }
}
struct Triple { float a, b, c; };
export uniform float middle(const uniform Triple &t) { return t.b; }
export void change(uniform Triple &t) { t.c = t.a + t.b; }
export uniform float one(const uniform float &x) { return x * 2; }
export void increase(uniform int &x) { x += 1; }
export void rows(uniform int a[][4], uniform int n) { for (uniform int i = 0; i < n; ++i) a[i][3] = a[i][0]; }
export void gangs(varying float * uniform p, uniform int n) { for (uniform int i = 0; i < n; ++i) p[i] = programIndex + i; }
enum Colour { red, green = 5, blue };
export uniform Colour next(uniform Colour c) { return c == red ? green : blue; }
export uniform bool is_null(uniform float * uniform p) { return p == NULL; }
export uniform int64 address(void * uniform p) { return (uniform int64)p; }
export uniform int8 first_byte(const void * uniform p) { return *((const uniform int8 * uniform)p); }
export void nothing() { }
export uniform float * uniform same(uniform float * uniform p) { return p; }
export void vectors(uniform float<3> v[], uniform int n) { for (uniform int i = 0; i < n; ++i) v[i][2] = v[i][0]; }
""" + "".join(
    f"export uniform {name} echo_{short(name)}(uniform {name} x) {{ return x; }}\n"
    f"export void copy_{short(name)}(const uniform {name} x[], uniform {name} out[], uniform int n) "
    "{ foreach (i = 0 ... n) out[i] = x[i]; }\n"
    for name in DTYPES
)


@pytest.fixture(scope="module", params=["entry point", "interpreter without direct access"])
def k(request: pytest.FixtureRequest) -> Iterator[voltac.KernelModule]:
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "entry point":
            patch.setattr(interpreter_layout, "direct_access", lambda: False)
            patch.setattr(build, "direct_access", lambda: False)
        yield voltac.compile(PROGRAM, file="arguments.ispc")


def test_the_kernels_are_called_both_ways(k: voltac.KernelModule, request: pytest.FixtureRequest) -> None:
    direct = "without" not in request.node.name and interpreter_layout.direct_access()
    assert str(type(k.saxpy).__name__) == ("Kernel" if direct else "CheckedKernel")


def vectors() -> list[Any]:
    return [np.arange(5, dtype=np.float32) * scale for scale in (1, 2, 0)]


def refused(kind: type[Exception] | tuple[type[Exception], ...], call: Any, *arguments: Any, says: str) -> None:
    with pytest.raises(kind) as caught:
        call(*arguments)
    assert re.search(says, str(caught.value), re.DOTALL), str(caught.value)


# --- numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DTYPES)
def test_every_type_comes_back_as_it_went_in(k: voltac.KernelModule, name: str) -> None:
    echo = k[f"echo_{short(name)}"]
    dtype = np.dtype(DTYPES[name])
    if dtype.kind == "b":
        values: list[Any] = [False, True]
    elif dtype.kind == "f":
        values = [0.0, -1.5, float(np.finfo(dtype).max), float(np.finfo(dtype).tiny), float("inf")]
    else:
        limits = np.iinfo(dtype)
        values = [0, 1, int(limits.min), int(limits.max)]
    for value in values:
        for given in (value, dtype.type(value), np.array(value, dtype)):
            result = echo(given)
            assert result == value and type(result) is type(value)


@pytest.mark.parametrize("name", [name for name, dtype in DTYPES.items() if np.dtype(dtype).kind in "iu"])
def test_integers_out_of_range_are_refused(k: voltac.KernelModule, name: str) -> None:
    limits = np.iinfo(DTYPES[name])
    for value in (limits.min - 1, limits.max + 1, 1 << 80, -(1 << 80)):
        refused(
            ValueError,
            k[f"echo_{short(name)}"],
            value,
            says=rf"argument 1 'x' \(uniform .*int{limits.bits}\) must be in the range {limits.min} .. {limits.max}, not int ",
        )


def test_integers_are_whatever_has_an_index(k: voltac.KernelModule) -> None:
    class Index:
        def __index__(self) -> int:
            return 7

    assert k.echo_int(Index()) == 7 and k.echo_uint64(Index()) == 7
    assert k.echo_int(True) == 1
    refused(TypeError, k.echo_int, 2.0, says=r"must be an integer, not float 2.0; use int\(x\)")
    refused(TypeError, k.echo_int, "2", says="must be an integer, not str '2'")
    refused(TypeError, k.echo_int, None, says="must be an integer, not None")
    refused(TypeError, k.echo_int, np.array([2]), says=r"an integer, not an array of int64 with shape \(1,\); use x.item")


def test_floats_are_whatever_is_a_real_number(k: voltac.KernelModule) -> None:
    for value in (3, True, np.int16(3), fractions.Fraction(1, 2), decimal.Decimal("0.25"), np.float64(0.5)):
        assert k.echo_double(value) == float(value)
        assert k.echo_float(value) == float(value)
    assert k.echo_float(1e300) == float("inf")
    assert k.echo_float16(70000) == float("inf")
    assert np.isnan(k.echo_float(float("nan")))
    assert k.echo_float(-1) == -1 and k.echo_double(-1.0) == -1
    refused(TypeError, k.echo_float, "1", says="must be a real number, not str '1'")
    refused(TypeError, k.echo_float, 1j, says="must be a real number, not complex 1j")
    refused(TypeError, k.echo_float, [1.0], says="must be a number, not a list")
    refused(ValueError, k.echo_double, 10**400, says="in the range of a double, not int 1000000")
    refused(TypeError, k.echo_float, np.zeros(1, np.float32), says=r"must be a number, not an array .*; use x.item\(\)")


def test_bools_are_true_or_false(k: voltac.KernelModule) -> None:
    assert k.echo_bool(1) is True and k.echo_bool(np.False_) is False
    for value in (2, "yes", 1.0, None):
        refused(TypeError, k.echo_bool, value, says=r"must be True or False, not .*; use bool\(x\)")


def test_errors_in_a_conversion_do_not_linger(k: voltac.KernelModule) -> None:
    class Broken:
        def __index__(self) -> int:
            raise RuntimeError("broken")

        def __float__(self) -> float:
            raise RuntimeError("broken")

    for call in (k.echo_int, k.echo_float):
        with pytest.raises(RuntimeError, match="broken"):
            call(Broken())
    assert k.echo_int(-1) == -1 and k.echo_float(-1) == -1


def test_enums_are_unsigned_integers(k: voltac.KernelModule) -> None:
    assert k.next(0) == 5 and k.next(5) == 6
    refused(ValueError, k.next, -1, says="range 0 .. 4294967295")


# --- the call -----------------------------------------------------------------------------------------------------


def test_number_of_arguments(k: voltac.KernelModule) -> None:
    x, y, out = vectors()
    refused(TypeError, k.saxpy, 1, x, y, out, says=r"saxpy\(\) takes 5 arguments, 4 given; missing: 'n'\nit is: void saxpy\(")
    refused(TypeError, k.saxpy, says="takes 5 arguments, 0 given; missing: 'a', 'x', 'y', 'out', 'n'")
    refused(TypeError, k.saxpy, 1, x, y, out, 5, 6, says="takes 5 arguments, 6 given")
    refused(TypeError, k.nothing, 1, says="takes no arguments, 1 given")
    assert k.nothing() is None


def test_arguments_by_name(k: voltac.KernelModule) -> None:
    x, y, out = vectors()
    k.saxpy(3, x, n=5, out=out, y=y)
    np.testing.assert_array_equal(out, 5 * x)
    with pytest.raises(TypeError, match="no parameter 'oout'; did you mean 'out'"):
        k.saxpy(3, x, y, oout=out, n=5)
    with pytest.raises(TypeError, match="two values for 'a'"):
        k.saxpy(3, x, y, out, 5, a=3)
    k.saxpy(*(3, x), y=y, out=out, n=5)


# --- arrays -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_is_read_and_written_in_place(k: voltac.KernelModule, name: str) -> None:
    dtype = DTYPES[name]
    x = np.random.default_rng(1).integers(0, 2 if dtype is np.bool_ else 100, 37).astype(dtype)
    out = np.zeros(37, dtype)
    before = out.__array_interface__["data"][0]
    k[f"copy_{short(name)}"](x, out, 37)
    np.testing.assert_array_equal(out, x)
    assert out.__array_interface__["data"][0] == before


@pytest.mark.parametrize("name", DTYPES)
def test_every_other_dtype_is_refused(k: voltac.KernelModule, name: str) -> None:
    expected = np.dtype(DTYPES[name])
    for other in (*DTYPES.values(), np.complex64, "S4", "M8[s]"):
        given = np.dtype(other)
        if given != expected:
            refused(
                TypeError,
                k[f"copy_{short(name)}"],
                np.zeros(4, given),
                np.zeros(4, expected),
                4,
                says=rf"argument 1 'x' \(.*\) must be an array of {expected.name}, not an array of {re.escape(given.name)} ",
            )


def test_wrong_dtypes_say_how_to_convert(k: voltac.KernelModule) -> None:
    x, y, out = vectors()
    refused(TypeError, k.saxpy, 1, x.astype("f8"), y, out, 5, says=r"'x'.*not an array of float64.*use x.astype\(np.float32\)$")
    refused(TypeError, k.saxpy, 1, x, y, out.astype(int), 5, says=r"'out'.*use x.astype\(np.float32\); that is a copy")
    refused(TypeError, k.copy_int8, np.zeros(2, np.uint8), np.zeros(2, np.int8), 2, says=r"use x.view\(np.int8\)")
    refused(TypeError, k.saxpy, 1, x.astype("c8"), y, out, 5, says=r"use x.view\(np.float32\)")
    refused(TypeError, k.saxpy, 1, x.astype(object), y, out, 5, says="Python objects have no place in a kernel")


def test_byte_order_has_to_be_native(k: voltac.KernelModule) -> None:
    x, y, out = vectors()
    refused(
        TypeError, k.saxpy, 1, x.astype(">f4"), y, out, 5, says=r"not an array of float32 in the other byte order \('>f4'\)"
    )
    k.saxpy(1, x.astype("<f4"), y, out, 5)


def test_other_names_of_the_same_dtype_are_accepted(k: voltac.KernelModule) -> None:
    x = np.arange(4, dtype=np.longlong)
    assert x.dtype.num != np.dtype(np.int64).num
    out = np.zeros(4, np.int64)
    for _ in range(3):
        out[:] = 0
        k.copy_int64(x, out, 4)
        np.testing.assert_array_equal(out, [0, 1, 2, 3])
    a, y, b = vectors()
    k.saxpy(1, pickle.loads(pickle.dumps(a)), y, b, 5)
    k.saxpy(1, a.astype(np.dtype("f4", metadata={"a": 1})), y, b, 5)


def test_arrays_have_to_be_contiguous(k: voltac.KernelModule) -> None:
    x, y, out = vectors()
    wide = np.zeros(10, np.float32)
    refused(ValueError, k.saxpy, 1, wide[::2], y, out, 5, says=r"'x'.*C-contiguous, not .*strides \(8,\); use np.ascontiguous")
    refused(ValueError, k.saxpy, 1, x, y, wide[::2], 5, says=r"'out'.*ascontiguousarray\(x\); that is a copy")
    refused(ValueError, k.saxpy, 1, np.zeros((2, 3), np.float32, order="F"), y, out, 5, says="C-contiguous")
    refused(ValueError, k.saxpy, 1, x[::-1], y, out, 5, says="C-contiguous")
    k.saxpy(1, wide[2:7], y, out, 5)


def test_arrays_of_any_dimension_are_accepted(k: voltac.KernelModule) -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    out = np.zeros((4, 6), np.float32)
    k.saxpy(2, x, np.zeros(24, np.float32), out, 24)
    np.testing.assert_array_equal(out.ravel(), 2 * x.ravel())


def test_what_is_written_has_to_be_writable(k: voltac.KernelModule) -> None:
    x, y, out = vectors()
    x.flags.writeable = False
    k.saxpy(1, x, y, out, 5)
    out.flags.writeable = False
    refused(ValueError, k.saxpy, 1, x, y, out, 5, says="argument 4 'out'.*must be writable.*not read-only.*; use x.copy")
    refused(ValueError, k.saxpy, 1, x, y, np.broadcast_to(np.float32(1), 1), 5, says="'out'.*writable")


def test_arrays_have_to_be_aligned(k: voltac.KernelModule) -> None:
    _, y, out = vectors()
    askew = np.zeros(21, np.uint8)[1:].view(np.float32)
    refused(ValueError, k.saxpy, 1, askew, y, out, 5, says=r"'x'.*aligned to 4 bytes, not .*at address 0x.*; use x.copy\(\)")
    record = np.zeros(5, np.dtype([("a", "i1"), ("x", "f4")]))["x"]
    refused(ValueError, k.saxpy, 1, record, y, out, 5, says="C-contiguous")


def test_subclasses_of_arrays_are_accepted(k: voltac.KernelModule, tmp_path: Any) -> None:
    class Mine(np.ndarray):
        pass

    x, y, out = vectors()
    k.saxpy(3, x.view(Mine), y, out.view(Mine), 5)
    np.testing.assert_array_equal(out, 5 * x)
    mapped = np.memmap(tmp_path / "data", np.float32, "w+", shape=5)
    k.saxpy(3, x, y, mapped, 5)
    np.testing.assert_array_equal(mapped, 5 * x)
    refused(TypeError, k.saxpy, 1, np.ma.array(x), y, out, 5, says=r"its mask would be ignored: use x.data or x.filled")


def test_arrays_of_no_elements_are_accepted(k: voltac.KernelModule) -> None:
    nothing = np.zeros(0, np.float32)
    k.saxpy(1, nothing, nothing, nothing.reshape(0, 3), 0)


def test_none_is_the_null_pointer(k: voltac.KernelModule) -> None:
    assert k.is_null(None) is True
    assert k.is_null(np.zeros(1, np.float32)) is False
    refused(TypeError, k.change, None, says=r"argument 1 't' \(uniform struct Triple &\) must be an array of .*, not None")


def test_other_buffers_are_accepted_without_a_copy(k: voltac.KernelModule) -> None:
    x = array.array("f", range(5))
    y = (ctypes.c_float * 5)(*range(5))
    out = bytearray(20)
    k.saxpy(1, x, y, memoryview(out).cast("f"), 5)
    np.testing.assert_array_equal(np.frombuffer(out, np.float32), [0, 2, 4, 6, 8])
    for _ in range(2):
        k.saxpy(1, memoryview(x), np.zeros(5, np.float32), y, 5)
        assert list(y) == [0, 1, 2, 3, 4]
    x.append(5.0)  # nobody holds the buffer any more
    refused(TypeError, k.saxpy, 1, out, y, y, 5, says=r"float32, not a bytearray.*; use np\.frombuffer\(x, np\.float32\)$")
    doubles = array.array("d", range(5))
    refused(
        TypeError,
        k.saxpy,
        1,
        doubles,
        y,
        y,
        5,
        says=r"float32, not an array of float64; use np\.array\(x, np\.float32\)",
    )
    refused(ValueError, k.saxpy, 1, x, y, memoryview(bytes(20)).cast("f"), 5, says="writable.*read-only: a memoryview")


def test_mapped_files_are_accepted(k: voltac.KernelModule, tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(np.arange(5, dtype=np.float32).tobytes())
    with path.open("r+b") as file:
        mapped = mmap.mmap(file.fileno(), 0)
    y = np.ones(5, np.float32)
    refused(TypeError, k.saxpy, 1, mapped, y, y.copy(), 5, says=r"use np\.frombuffer\(x, np\.float32\)")
    k.saxpy(2, np.memmap(path, np.float32, "r"), y, np.frombuffer(mapped, np.float32), 5)
    np.testing.assert_array_equal(np.fromfile(path, np.float32), 2 * np.arange(5) + 1)


class Tensor:
    """As other libraries have them: nothing but DLPack's protocol."""

    def __init__(self, array: Any, device: int = 1) -> None:
        self.array, self.device = array, device

    def __dlpack__(self, **wishes: Any) -> Any:
        if self.device != 1:
            raise BufferError("the memory is on device 2")
        return self.array.__dlpack__(**wishes)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


def test_tensors_of_dlpack_are_accepted_without_a_copy(k: voltac.KernelModule) -> None:
    x, y, out = vectors()
    k.saxpy(3, Tensor(x), Tensor(y), Tensor(out), 5)
    np.testing.assert_array_equal(out, 3 * x + y)
    refused(TypeError, k.saxpy, 3, Tensor(x, 2), y, out, 5, says="float32, not a Tensor, .*; copy it to the CPU's memory")
    refused(TypeError, k.saxpy, 3, Tensor(x.astype(np.float64)), y, out, 5, says=r"use np\.array\(x, np\.float32\)")
    fixed = x.copy()
    fixed.flags.writeable = False
    refused((ValueError, TypeError), k.saxpy, 3, x, y, Tensor(fixed), 5, says="float32|writable")


def test_what_is_no_array_is_refused(k: voltac.KernelModule) -> None:
    _, y, out = vectors()
    refused(TypeError, k.saxpy, 1, [1, 2], y, out, 5, says=r"array of float32, not a list; use np.array\(x, np.float32\)")
    for value in (1.5, "text", b"text", {}, np.float32(1), object()):
        refused(TypeError, k.saxpy, 1, value, y, out, 5, says="argument 2 'x' .* must be an array of float32, not ")


def test_pointers_of_ctypes_are_taken_as_they_are(k: voltac.KernelModule) -> None:
    x, y, out = vectors()
    pointers = [array_.ctypes.data_as(ctypes.POINTER(ctypes.c_float)) for array_ in (x, y)]
    k.saxpy(3, *pointers, ctypes.c_void_p(out.ctypes.data), 5)
    np.testing.assert_array_equal(out, 5 * x)


def test_void_pointers_take_any_array(k: voltac.KernelModule) -> None:
    for dtype in (np.float32, np.int64, np.complex128, "S3", [("a", "i4")]):
        x = np.zeros(3, dtype)
        assert k.address(x) == x.__array_interface__["data"][0]
    assert k.address(None) == 0
    assert k.first_byte(np.array([258], np.int32)) == 2
    assert k.first_byte(b"a") == ord("a")
    refused(TypeError, k.address, np.zeros(3, object), says="Python objects")
    refused(ValueError, k.address, b"abc", says="writable")


def test_a_returned_pointer_is_an_address(k: voltac.KernelModule) -> None:
    x = np.zeros(3, np.float32)
    assert k.same(x) == x.__array_interface__["data"][0]
    assert k.same(None) == 0


def test_structs_come_back_by_value() -> None:
    k = voltac.compile(
        """
        struct Pair { float x, y; };
        struct Mixed { float f; int i; double d; };
        struct Large { double a, b, c; int8 tag; };
        export uniform Pair pair(uniform float a) { uniform Pair p = {a, a * 2}; return p; }
        export uniform Mixed mixed(uniform int a) { uniform Mixed p = {a, a, a}; return p; }
        export uniform Large large(uniform double a) { uniform Large p = {a, a * 2, a * 3, 7}; return p; }
        """
    )
    assert k.pair(1.5).tolist() == (1.5, 3.0)
    assert k.mixed(-4).tolist() == (-4.0, -4, -4.0)
    assert k.large(2).tolist() == (2.0, 4.0, 6.0, 7) and k.large(a=2)["tag"] == 7


# --- structs, references, rows ------------------------------------------------------------------------------------


def test_structs_are_structured_arrays_of_the_c_layout(k: voltac.KernelModule) -> None:
    dtype = np.dtype([("x", "f4"), ("y", "f8"), ("tag", "i1")], align=True)
    assert k.move.dtype("points") == np.dtype(
        {"names": ["x", "y", "tag"], "formats": ["f4", "f8", "i1"], "offsets": [0, 8, 16], "itemsize": 24}
    )
    for kind in (dtype, k.move.dtype("points")):
        points = np.zeros(3, kind)
        for _ in range(3):
            k.move(points, 3, 1.5)
        assert points["x"].tolist() == [4.5] * 3 and points["y"].tolist() == [-4.5] * 3 and points["tag"].tolist() == [3] * 3
    packed = np.dtype([("x", "f4"), ("y", "f8"), ("tag", "i1")])
    refused(
        TypeError, k.move, np.zeros(3, packed), 3, 1, says=r"array of np.dtype\(.*, not an array of .*; use k\['move'\].dtype"
    )
    swapped = np.dtype([("y", "f4"), ("x", "f8"), ("tag", "i1")], align=True)
    refused(TypeError, k.move, np.zeros(3, swapped), 3, 1, says="must be an array of")
    refused(TypeError, k.move, np.zeros(3, np.float32), 3, 1, says="not an array of float32")


def test_a_struct_of_equal_numbers_may_be_a_row_of_them(k: voltac.KernelModule) -> None:
    triples = np.array([[1, 2, 0], [3, 4, 0]], np.float32)
    k.change(triples)
    assert triples.tolist() == [[1, 2, 3], [3, 4, 0]]
    refused(ValueError, k.change, np.zeros(4, np.float32), says="whole number of objects of 3 x float32 each.*4 elements")


def test_what_a_kernel_returns_goes_to_another_as_a_pointer_of_ctypes() -> None:
    k = voltac.compile(
        "export void * uniform make() { uniform int * uniform p = uniform new uniform int; *p = 7; return p; }\n"
        "export uniform int take(void * uniform q) { uniform int * uniform p = (uniform int * uniform)q;"
        " uniform int v = *p; delete p; return v; }"
    )
    address = k.make()
    refused(TypeError, k.take, address, says=r"must be an array, not int \d+; .* given as ctypes\.c_void_p")
    assert k.take(ctypes.c_void_p(address)) == 7


def test_references_need_an_object(k: voltac.KernelModule) -> None:
    number = np.array(5, np.int32)
    k.increase(number)
    assert number == 6
    refused(ValueError, k.increase, np.zeros(0, np.int32), says="with at least one object")
    refused(TypeError, k.increase, 5, says="must be an array of int32, not int 5")


def test_references_to_const_take_numbers(k: voltac.KernelModule) -> None:
    assert k.one(1.5) == 3 and k.one(np.float32(2)) == 4 and k.one(np.array([4], np.float32)) == 8


def test_arrays_of_arrays_need_whole_rows(k: voltac.KernelModule) -> None:
    rows = np.arange(8, dtype=np.int32).reshape(2, 4)
    k.rows(rows, 2)
    assert rows.tolist() == [[0, 1, 2, 0], [4, 5, 6, 4]]
    refused(ValueError, k.rows, np.zeros(6, np.int32), 1, says="whole number of objects of 4 x int32 each")


def test_pointers_to_varying_need_whole_aligned_gangs(k: voltac.KernelModule) -> None:
    width = k.width
    memory = voltac.empty(3 * width)
    k.gangs(memory, 3)
    np.testing.assert_array_equal(memory.reshape(3, width), np.arange(width) + np.arange(3)[:, None])
    refused(ValueError, k.gangs, voltac.empty(3 * width - 1), 3, says=f"objects of {width} x float32 each")
    refused(
        ValueError,
        k.gangs,
        voltac.empty(4 * width)[1 : 1 + width],
        1,
        says=rf"aligned to {4 * width} bytes, not .*; use voltac.empty\(x.shape, np.float32\) and fill it",
    )


def test_short_vectors_step_over_their_padding(k: voltac.KernelModule) -> None:
    vectors_ = np.arange(8, dtype=np.float32).reshape(2, 4)
    k.vectors(vectors_, 2)
    assert vectors_.tolist() == [[0, 1, 0, 3], [4, 5, 4, 7]]


# --- both ways agree ----------------------------------------------------------------------------------------------


def pool() -> list[Any]:
    """Values of every kind, fit and unfit."""
    numbers: list[Any] = [0, 1, -1, 127, 128, 255, 256, 2**31 - 1, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**400, True]
    numbers += [
        0.0,
        1.5,
        -1.0,
        1e300,
        float("inf"),
        np.float16(2),
        np.float32(1.5),
        np.float64(-1),
        np.int8(-1),
        np.uint64(2**64 - 1),
    ]
    numbers += [np.bool_(True), fractions.Fraction(1, 3), decimal.Decimal(2), 1j, "1", b"12345678", None, [], (), object()]
    arrays: list[Any] = []
    for dtype in (*DTYPES.values(), np.longlong, ">i4", ">f8", np.complex64, object, "S4", "M8[s]"):
        arrays += [np.zeros(shape, dtype) for shape in ((), 0, 1, 8, 32, (2, 4))]
    record = np.dtype([("a", "f4"), ("b", "f4"), ("c", "f4")])
    arrays += [np.zeros(3, record), np.zeros(1, record).view(np.recarray), np.ma.zeros(4, np.float32), np.zeros(9, "f4")[::3]]
    arrays += [np.zeros((4, 4), np.float32, order="F"), np.zeros(33, np.uint8)[1:].view(np.float32), voltac.empty(32)]
    frozen = np.zeros(8, np.float32)
    frozen.flags.writeable = False
    buffers = [
        frozen,
        bytearray(32),
        array.array("f", [1] * 8),
        memoryview(bytes(32)),
        (ctypes.c_float * 8)(),
        np.matrix([[1.0]]),
    ]
    return numbers + arrays + buffers


def outcome(kernel: Any, arguments: list[Any]) -> Any:
    try:
        result = kernel(*arguments)
    except Exception as error:
        return type(error), str(error)
    return type(result), repr(result)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_the_entry_point_takes_and_refuses_what_the_rules_do(k: voltac.KernelModule) -> None:
    names = [name for name in k if name.startswith("echo_")]
    names += ["one", "increase", "middle", "is_null", "address", "same", "next"]
    for name in names:
        kernel, rules = k[name], k[name]._arguments
        for value in pool():
            # Twice: the entry point remembers what the rules accepted.
            expected = outcome(rules, [value])
            assert [outcome(kernel, [value]) for _ in range(2)] == [expected] * 2, (name, value)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_the_entry_point_passes_on_the_same_memory(k: voltac.KernelModule) -> None:
    for name in ("rows", "gangs", "vectors", *(name for name in k if name.startswith("copy_"))):
        kernel, rules = k[name], k[name]._arguments
        count = len(kernel.parameters) - 1
        for value in pool():
            given = [value] * count + [0]
            expected = outcome(rules, given)
            assert [outcome(kernel, given) for _ in range(2)] == [expected] * 2, (name, value)


# --- empty --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alignment", [1, 16, 64, 128, 4096])
def test_empty_is_aligned(alignment: int) -> None:
    for shape in (0, 5, (3, 4), ()):
        made = voltac.empty(shape, np.float64, alignment)
        assert made.shape == (shape if isinstance(shape, tuple) else (shape,))
        assert made.__array_interface__["data"][0] % alignment == 0 or not made.size
        assert made.flags.c_contiguous and made.flags.writeable and made.dtype == np.float64
    refused(ValueError, voltac.empty, 3, np.float32, 24, says="power of two")
    refused(TypeError, voltac.empty, 3, object, says="Python objects")
    assert voltac.empty([2, np.int64(3)]).shape == (2, 3)
    negative, huge = [-1, (2, -3)], [10**20, (1 << 40, 1 << 40), 10**5000]
    no_numbers: list[Any] = ["3", 2.0, (1, None), b"3"]
    for wrong in negative:
        refused(ValueError, voltac.empty, wrong, says="none of them negative")
    for wrong in no_numbers:
        refused(TypeError, voltac.empty, wrong, says="shape must be a number or numbers")
    for wrong in huge:
        refused(ValueError, voltac.empty, wrong, says="more bytes than there are addresses")
    refused(TypeError, voltac.empty, 3, np.float32, 16.0, says="alignment must be a power of two, not 16.0")
