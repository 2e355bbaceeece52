"""Kernels and modules that are pickled, copied, tokenized: what arrives does the same, compiled for where it arrives."""

from __future__ import annotations

import copy
import ctypes
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from dask.base import tokenize

import voltac

PROGRAM = """
export void scale(uniform float values[n], uniform float by, uniform int n) {
    foreach (i = 0 ... n) values[i] *= by;
}
static uniform int count = 0;
export uniform int next() { return ++count; }
export uniform int width() { return programCount; }
"""


def run_elsewhere(code: str, pickled: bytes, tmp_path: Path, **environment: str) -> str:
    """What another process prints; ``given`` is there what was pickled here."""
    (tmp_path / "given").write_bytes(pickled)
    program = f"import pickle\ngiven = pickle.load(open({str(tmp_path / 'given')!r}, 'rb'))\n{code}"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_pickled_kernel_does_the_same_in_another_process(tmp_path: Path) -> None:
    kernel = voltac.compile(PROGRAM).scale
    data = pickle.dumps(kernel)
    assert len(data) < 2048
    code = "import numpy as np\nx = np.arange(5, dtype='f4')\ngiven(x, 3)\nprint(x.tolist(), given.signature)"
    assert run_elsewhere(code, data, tmp_path) == f"[0.0, 3.0, 6.0, 9.0, 12.0] {kernel.signature}"


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_every_protocol_takes_modules_and_kernels(protocol: int) -> None:
    k = voltac.compile(PROGRAM, target="avx2-i32x8", opt=1, defines={"A": 1})
    again = pickle.loads(pickle.dumps(k, protocol))
    assert list(again) == list(k) and again.options == k.options and again.source == k.source
    assert pickle.loads(pickle.dumps(k["width"], protocol)).signature == k["width"].signature


def test_a_kernel_for_the_host_is_for_the_host_it_arrives_at(tmp_path: Path) -> None:
    data = pickle.dumps(voltac.compile(PROGRAM))
    shown = "print(given.target, given['width']())"
    assert run_elsewhere(shown, data, tmp_path, VOLTAC_HOST_CPU="haswell") == "avx2-i32x8 8"
    assert run_elsewhere(shown, data, tmp_path, VOLTAC_HOST_CPU="nehalem").startswith("sse4.2")


def test_a_target_that_was_named_stays(tmp_path: Path) -> None:
    data = pickle.dumps(voltac.compile(PROGRAM, target="sse4.1-i32x4"))
    assert run_elsewhere("print(given.target, given['width']())", data, tmp_path) == "sse4.1-i32x4 4"


def test_what_is_included_comes_along(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "inner.isph").write_text("#pragma once\n#define BY 7\n")
    (tmp_path / "outer.isph").write_text('#include "sub/inner.isph"\n#include "sub/inner.isph"\n')
    source = tmp_path / "f.ispc"
    source.write_text('#include "outer.isph"\nexport uniform int f(uniform int a) { return BY * a; }\n')
    k = voltac.load(source)
    data = pickle.dumps(k)
    for path in (source, tmp_path / "outer.isph", tmp_path / "sub" / "inner.isph"):
        path.unlink()
    # The copy brings its files to copies of its own, and to those who look at its code.
    code = "again = pickle.loads(pickle.dumps(given))\nprint(given.f(6), again.f(2), 'f:' in again.assembly())"
    assert run_elsewhere(code, data, tmp_path) == "42 14 True"


def test_an_included_file_that_changed_is_not_sent_for_the_one_compiled(tmp_path: Path) -> None:
    (tmp_path / "by.isph").write_text("#define BY 7\n")
    k = voltac.compile('#include "by.isph"\nexport uniform int f() { return BY; }', include=tmp_path)
    (tmp_path / "by.isph").write_text("#define BY 8\n")
    with pytest.raises(pickle.PicklingError, match=r"by\.isph, which <string> includes, has changed since.*load it again"):
        pickle.dumps(k.f)


def test_kernels_that_travel_together_share_their_globals() -> None:
    k = voltac.compile(PROGRAM)
    k.next()
    first, second, module = pickle.loads(pickle.dumps((k.next, k.next, k)))
    assert [first(), second(), module.next(), k.next()] == [1, 2, 3, 2]


def test_addresses_of_this_process_do_not_travel() -> None:
    signature = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
    source = 'extern "C" uniform int twice(uniform int a); export uniform int f(uniform int a) { return twice(a); }'
    k = voltac.compile(source, functions={"twice": signature(lambda a: 2 * a)})
    for value in (k, k.f):
        with pytest.raises(TypeError, match=r"given functions= \(twice\), which are addresses in this process"):
            pickle.dumps(value)
    assert copy.deepcopy(k.f)(4) == 8 and tokenize(k.f) == tokenize(k.f)


def test_a_finished_program_of_a_device_is_sent_as_the_file_it_is(tmp_path: Path) -> None:
    program = tmp_path / "program.elf"
    (tmp_path / "f.ispc").write_text("export uniform int f() { return 3; }\n")
    command = [sys.executable, "-m", "voltac", str(tmp_path / "f.ispc"), "--target=naplespu", "-o", str(program)]
    subprocess.run(command, check=True, timeout=100)
    k = voltac.load(program)
    with pytest.raises(TypeError, match=r"program.elf cannot be pickled or recorded: it is a finished program; send the file"):
        pickle.dumps(k.f)


def test_copies_are_the_kernel_itself_as_with_functions() -> None:
    k = voltac.compile(PROGRAM)
    for value in (k, k.scale):
        assert copy.copy(value) is value and copy.deepcopy(value) is value
    assert copy.deepcopy({"kernel": k.scale})["kernel"] is k.scale


def test_a_device_keeps_its_launch() -> None:
    k: Any = voltac.compile(PROGRAM, target="naplespu", launch={"threads": 2})
    other: Any = copy.copy(k["width"])
    other.configure(threads=1)
    kernel, configured, module = pickle.loads(pickle.dumps((k["width"], other, k)))
    assert [item.launch.threads for item in (k["width"], kernel, configured, module["width"])] == [2, 2, 1, 2]


def test_joblib_takes_kernels_to_its_processes() -> None:
    kernel = voltac.compile("export uniform float square(uniform float x) { return x * x; }").square
    with joblib.parallel_config("loky", n_jobs=2):
        assert joblib.Parallel()(joblib.delayed(kernel)(x) for x in range(5)) == [0, 1, 4, 9, 16]


def test_tokens_say_what_kernels_do_in_every_process(tmp_path: Path) -> None:
    k = voltac.compile(PROGRAM)
    code = "from dask.base import tokenize\nprint(tokenize(given), tokenize(given.scale))"
    assert run_elsewhere(code, pickle.dumps(k), tmp_path) == f"{tokenize(k)} {tokenize(k.scale)}"
    assert tokenize(voltac.compile(PROGRAM, file="other.ispc").scale) == tokenize(k.scale)
    others = [k.next, voltac.compile(PROGRAM, opt=1).scale, voltac.compile(PROGRAM + " ").scale]
    assert len({tokenize(kernel) for kernel in (k, k.scale, *others)}) == 5


def test_a_copy_is_found_in_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pickle.dumps(voltac.compile(PROGRAM, defines={"ONLY_HERE": 1}).scale)
    monkeypatch.setattr("voltac.driver.compile_source", None)
    values = np.ones(3, np.float32)
    pickle.loads(data)(values, 2)
    assert values.tolist() == [2, 2, 2]
