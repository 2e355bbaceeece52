"""The entry points read objects directly only where what they read is there; elsewhere calls take the other way."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from voltac.python import interpreter_layout
from voltac.system.once import once

OFFSETS = (
    "TYPE FLOAT_VALUE TUPLE_SIZE TUPLE_ITEMS DATA DIMENSION_COUNT DIMENSIONS DESCRIPTOR FLAGS DESCRIPTOR_KIND DESCRIPTOR_SIZE"
)


def looked_at_again() -> bool:
    looked: bool = interpreter_layout.direct_access.__wrapped__()  # type: ignore[attr-defined]
    return looked


def test_this_interpreter_is_read_directly() -> None:
    """CPython from 3.11 on, with its lock, on 64 bits."""
    if "t" in sys.abiflags or sys.implementation.name != "cpython" or hasattr(sys, "gettotalrefcount"):
        pytest.skip("another build of Python")
    assert looked_at_again()


@pytest.mark.parametrize("name", OFFSETS.split())
def test_a_member_elsewhere_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter_layout, name, getattr(interpreter_layout, name) + 8)
    assert not looked_at_again()


@pytest.mark.parametrize("name", ["C_CONTIGUOUS", "ALIGNED", "WRITEABLE"])
def test_other_numbers_of_flags_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter_layout, name, getattr(interpreter_layout, name) << 1)
    assert not looked_at_again()


def test_an_interpreter_without_its_lock_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert not looked_at_again()
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: True)
    monkeypatch.setattr(sys, "abiflags", "t")
    assert not looked_at_again(), "a build without the lock lays objects out in its own way, switched on or not"


def test_references_to_none_are_counted_where_it_can_be_freed() -> None:
    """What a call leaves behind: none too few where they are counted, and nothing where None lives for ever."""
    before = sys.getrefcount(None)
    held = [None] * 100_000
    counted = sys.getrefcount(None) - before > 50_000
    assert interpreter_layout.COUNT_IN_NONE == counted == (sys.version_info < (3, 12))
    assert len(held) == 100_000


def test_a_value_of_the_process_is_made_once() -> None:
    ready = threading.Barrier(8)
    made: list[object] = []
    found: list[object] = []

    @once
    def value() -> object:
        made.append(object())
        threading.Event().wait(0.05)
        return made[-1]

    def ask() -> None:
        ready.wait()
        found.append(value())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and found == made * 8


def test_a_value_that_cannot_be_made_is_asked_for_again() -> None:
    answers = [ValueError("no"), 5]

    @once
    def value() -> object:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(ValueError, match="no"):
        value()
    assert (value(), value()) == (5, 5)


WITHOUT = """
import sys
sys._is_gil_enabled = lambda: False
import threading, numpy as np, voltac
from voltac.python.interpreter_layout import direct_access
assert not direct_access()
k = voltac.compile('''
export uniform float f(uniform float x[], uniform int n, uniform float by) {
    float sum = 0;
    foreach (i = 0 ... n) { x[i] *= by; sum += x[i]; }
    return reduce_add(sum);
}
export uniform int share(uniform int a, uniform int by) { return a / by; }
''')
wrong = []

def call():
    for round in range(50):
        for dtype in (np.float32, np.dtype("f4").newbyteorder("=")):
            x = np.arange(100, dtype=dtype)
            if k.f(x, 100, 2) != 9900 or k.f(n=100, x=x, by=0.5) != 4950:
                wrong.append(x)
        try:
            k.share(9, 0)
            wrong.append("no error")
        except ZeroDivisionError:
            pass

threads = [threading.Thread(target=call) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(type(k.f).__name__, wrong)
"""


def test_many_threads_call_without_direct_access() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=300)
    assert (done.stdout.strip(), done.stderr) == ("CheckedKernel []", "")
