"""``print`` and ``assert`` from every target, into Python's ``sys.stdout``; appendix A 231 to 233."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from gangs import (
    DTYPES,
    FLOATS,
    INTEGERS,
    Array,
    compiled,
    every_target,
    lanes_on,
    masks,
    stored,
    under_masks,
    usable,
    values,
    varying,
)

import voltac

PRINTABLE = ("bool", *INTEGERS, *FLOATS)


def _source(type: str) -> str:
    test = " != 0" if type == "bool" else ""
    both = under_masks(r'print("% and %;\n", x, 7);')
    return (
        f'export void one_{type}(uniform {stored(type)} a[]) {{ print("<%>\\n", a[0]{test}); }}\n'
        f"export void gang_{type}(uniform {stored(type)} a[], uniform int64 lanes) {{\n"
        f"    {varying(type, 'x', 'a')} {both} }}\n"
    )


def _text(type: str, value: object) -> str:
    if type == "bool":
        return "true" if value else "false"
    if type in FLOATS:
        number = float(value)  # type: ignore[arg-type]
        return f"{'-' if np.signbit(value) else ''}nan" if number != number else f"{number:f}"  # type: ignore[call-overload]
    return str(value)


def _printed(kernel: object, *arguments: object) -> str:
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        kernel(*arguments)  # type: ignore[operator]
    return stream.getvalue()


def _lanes(type: str, x: Array, on: Array) -> str:
    off = "_________" if type == "bool" else None
    texts = [_text(type, v) if lane else off or f"(({_text(type, v)}))" for v, lane in zip(x, on)]
    return f"[{','.join(texts)[:1023]}]"


@every_target
def test_every_type_in_lane_order(target: str) -> None:
    width = usable(target).width
    kernels = compiled("".join(map(_source, PRINTABLE)), target)
    for type in PRINTABLE:
        pool = values(type, 40 + width, 1).astype(DTYPES[type])
        memory = pool.view(np.uint8) if type == "bool" else pool
        for k in range(12):
            assert _printed(kernels[f"one_{type}"], memory[k:]) == f"<{_text(type, pool[k])}>\n"
        for mask in masks(width):
            for start in (0, 17):
                x = pool[start : start + width]
                expected = f"{_lanes(type, x, lanes_on(mask, width))} and 7;\n"
                assert _printed(kernels[f"gang_{type}"], memory[start:], mask) == expected


@every_target
def test_two_percent_signs_take_two_arguments(target: str) -> None:
    usable(target)
    kernels = compiled('export void f(uniform int a) { print("%%|%\\n", a, a + 1, true); }\n', target)
    assert _printed(kernels.f, 4) == "45|true\n"


def test_the_vectors_of_the_reference() -> None:
    """Appendix B.6."""
    kernels = compiled(
        """
export void f() {
    if (programIndex & 1) print("%", programIndex < 3);
    print("|");
    if (programIndex > 5) print("%", (float)programIndex);
    print("|% %\\n", 1e30, 1.0/0.0);
    print("%", (void * uniform)(uniform int64)255);
    uniform int * uniform none = NULL;
    print(" % 100", none);
}
""",
        "avx2-i32x8",
    )
    assert _printed(kernels.f) == (
        "[_________,true,_________,false,_________,false,_________,false]|"
        "[((0.000000)),((1.000000)),((2.000000)),((3.000000)),((4.000000)),((5.000000)),6.000000,7.000000]|"
        "1000000015047466219876688855040.000000 inf\n0xff (nil) 100"
    )


def test_pointers_of_lanes() -> None:
    source = 'export void f(uniform int a[]) { uniform int * varying p = a + programIndex; print("%", p); }\n'
    kernels = compiled(source, "sse4-i32x4")
    a = np.zeros(4, np.int32)
    assert _printed(kernels.f, a) == f"[{','.join(hex(a.ctypes.data + 4 * k) for k in range(4))}]"


def test_text_longer_than_the_limits_is_cut() -> None:
    """1 kB an argument, 8 kB a statement."""
    arguments = ", ".join(["1e300d * programIndex"] * 12)
    formats = "%" * 12
    kernels = compiled(f'export void f() {{ print("{formats}\\n", {arguments}); }}\n', "avx2-i32x8")
    one = f"[{','.join(f'{1e300 * k:f}' for k in range(8))[:1023]}]"
    assert _printed(kernels.f) == (one * 12)[:8191]


def test_the_stream_of_the_moment_gets_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    kernels = compiled('export void f(uniform int k) { print("k = %\\n", k); }\n', "avx2-i32x8")
    kernels.f(1)
    assert capsys.readouterr().out == "k = 1\n"
    assert _printed(kernels.f, 2) == "k = 2\n"
    kernels.f(3)
    assert capsys.readouterr().out == "k = 3\n"


def test_tasks_and_threads_print_whole_lines(capsys: pytest.CaptureFixture[str]) -> None:
    kernels = voltac.compile(
        'task void say(uniform int who) { print("task % of %\\n", taskIndex, who); }\n'
        "export void f(uniform int who) { launch[4] say(who); sync; }\n"
    )
    threads = [threading.Thread(target=kernels.f, args=(who,)) for who in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = capsys.readouterr().out.splitlines()
    assert sorted(lines) == sorted(f"task {k} of {who}" for k in range(4) for who in range(2))


@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ('print("% %\\n", 1)', "fewer"),
        ('print("%\\n", 1, 2)', "more"),
        ('print("no sign", 1)', "more"),
        ('print("%%", 1)', "fewer"),
        ('print("%", point)', "Point"),
        ('print("%", row)', "int"),
        ('print("%", pair)', "int"),
        ('print("%", colour)', "Colour"),
        ("print(1)", ""),
    ],
)
def test_wrong_prints_are_refused_at_compile_time(statement: str, complaint: str) -> None:
    source = (
        "struct Point { int x; };\nenum Colour { RED };\nexport void f() {\n"
        "    Point point; uniform int row[3]; int<2> pair; Colour colour;\n"
        f"    {statement};\n}}\n"
    )
    with pytest.raises(voltac.CompileError) as caught:
        voltac.compile(source)
    assert ":5:" in str(caught.value) and complaint in str(caught.value)


ASSERTING = """export void f(uniform int a[], uniform int n) {
    assert(n > 0);
    foreach (i = 0 ... n)
        assert(a[i] < 5);
}
"""
CALLING = """
import ctypes, sys
f, numbers = ctypes.CDLL("./f.so").f, ctypes.c_int * 9
f(numbers(), 9)
print("still alive", flush=True)
f(numbers(*range(9)), int(sys.argv[1]))
"""


FAILURES = [("0", "2:5: Assertion failed: n > 0 "), ("9", "4:9: Assertion failed: a[i] < 5 ")]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(("count", "message"), FAILURES, ids=["uniform", "varying"])
def test_a_failed_assertion_of_a_c_library_says_so_and_aborts(count: str, message: str, tmp_path: Path) -> None:
    """Called from Python as a kernel it is an exception: tests/python/test_failures.py."""
    (tmp_path / "f.ispc").write_text(ASSERTING)
    for command in (f"{sys.executable} -m voltac f.ispc --target=sse4-i32x4 --pic -o f.o", "gcc -shared f.o -o f.so"):
        subprocess.run(command.split(), cwd=tmp_path, check=True)
    done = subprocess.run([sys.executable, "-c", CALLING, count], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == -6
    assert done.stdout == f"still alive\nf.ispc:{message}\n\n"
