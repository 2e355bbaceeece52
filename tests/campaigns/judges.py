"""What judges broken texts, calls, the cache, threads, the bits of objects, and elementary functions."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bombs import bomb
from mutations import SECONDS, compile_job, mutation
from oracles import DTYPES, compiled
from program_judges import target_of
from random_accesses import MEMBERS, Case, random_cases
from soaking import soaked
from test_cache_random import check_cache
from test_elementary_functions import ACCURACY, errors, samples
from test_misuses import SOURCE, Memory, call_wrongly

import voltac


def asks_for_much(seed: int) -> bool:
    """One in sixteen: such a text takes ten times as long as another."""
    return seed % 16 == 7


def broken_text(seed: int) -> str:
    return bomb(seed) if asks_for_much(seed) else mutation(seed).text


def judge_text(seed: int, text: str) -> str:
    """Half of them go all the way to an object, the others to LLVM's verification."""
    case = mutation(seed)
    job: dict[str, Any] = {"text": text, "file": str(case.source), "target": case.target, "level": case.level}
    job |= {"debug_info": case.debug_info, "object": seed % 2 == 0}
    with tempfile.TemporaryDirectory() as folder:
        if asks_for_much(seed):
            job["file"] = str(Path(folder) / "bomb.ispc")
            Path(job["file"]).write_text(text, errors="surrogateescape")
        before = time.process_time()
        outcome = compile_job(job)
        took = time.process_time() - before
    if outcome in ("compiled", "errors"):
        return f"slow: {took:.1f} s of processor time for -O{case.level}" if took > SECONDS else ""
    return f"{outcome}: {case.source.name}, {case.target}, -O{case.level}"


@functools.cache
def misused_kernels() -> Any:
    return voltac.compile(SOURCE, target="sse4-i32x4", cache=False)


def judge_calls(seed: int, text: str) -> str:
    """A hundred calls."""
    chance = random.Random(seed)
    for number in range(100):
        try:
            call_wrongly(chance, misused_kernels())
        except Exception as error:
            return f"{type(error).__name__}: call {number}: {error}"
    return ""


def as_declared(case: Case, name: str, array: Any) -> Any:
    """The array ``to`` or ``from`` of a case, as structs if its kernel says so."""
    if f"{case.name}_s {name}[]" not in case.text:
        return array
    members = case.text.split("}", 1)[0].count(",") + 1
    return array.view([(MEMBERS[k], array.dtype) for k in range(members)])


def judge_checked(seed: int, text: str) -> str:
    """Kernels on arrays that fit, and on one that ends too early: an exception, or nothing of what is missing was needed."""
    chance, target = random.Random(seed), target_of(seed)
    cases = [case for case in random_cases(seed, 8, target.width) if not case.has_made_pointer]
    source = "\n".join(case.text for case in cases)
    kernels = voltac.compile(source, checked="accesses", target=target, opt=chance.randrange(4), cache=False)
    for case in cases:
        for short, by in ((0, 0), (chance.randrange(2), chance.choice((1, 1, 2, 7)))):
            memory, given = Memory(), list[Any]()
            for number, (name, array) in enumerate((("to", case.to), ("from", case.source))):
                whole = as_declared(case, name, array)
                cut = whole[: max(0, len(whole) - by)] if number == short else whole
                given.append(memory.array(whole.dtype, len(cut)))
                given[-1][:] = cut
            margins = memory.margins()
            try:
                getattr(kernels, case.name)(*given, case.a, case.b)
                to, found = (array.view(whole.dtype) for array, whole in zip(given, (case.to, case.source)))
                wanted = case.source if case.expected_source is None else case.expected_source
                right = np.array_equal(to, case.expected[: len(to)]) and np.array_equal(found, wanted[: len(found)])
            except (IndexError, ValueError) as error:
                right = by > 0
                if not right:
                    return f"refused: {error}\n{case.text}"
            if not right or memory.margins() != margins:
                return f"{'wrong' if not right else 'outside'}: {target.name}, {by} less of array {short}\n{case.text}"
    return ""


def judge_cache(seed: int, text: str) -> str:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        try:
            check_cache(seed, Path(folder), patch)
        except AssertionError as error:
            return f"wrong: {error}"
    return ""


def judge_threads(seed: int, text: str) -> str:
    """Eight processes with four threads each, for twenty seconds."""
    with tempfile.TemporaryDirectory() as folder:
        wrong = soaked(Path(folder), seed, processes=8, threads=4, seconds=20)
    return f"wrong: {wrong}" if wrong else ""


def judge_same_bits(seed: int, text: str) -> str:
    """Two processes with other hash seeds, folders and environments; of another Python, if ``VOLTAC_OTHER_PYTHON`` is one."""
    target, level = random.Random(seed).choice(("sse4-i32x4", "avx2-i32x8", "avx512skx-x16")), (2, 0, 3)[seed % 3]
    made = []
    for number in range(2):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "program.ispc").write_text(text)
            python = os.environ.get("VOLTAC_OTHER_PYTHON", sys.executable) if number else sys.executable
            words = [python, "-m", "voltac", "program.ispc", f"--target={target}", f"-O{level}", "--pic", "--woff"]
            environment = os.environ | {"PYTHONHASHSEED": str(seed % 1000 + number), "SOME_VARIABLE": "x" * (number * 999)}
            done = subprocess.run(
                [*words, "-o", "program.o", "-h", "program.h"], cwd=folder, env=environment, capture_output=True, text=True
            )
            if done.returncode:
                return f"refused: {done.stderr}"
            made.append([(Path(folder) / name).read_bytes() for name in ("program.o", "program.h")])
    return "" if made[0] == made[1] else f"differs: {target} -O{level}"


def judge_accuracy(seed: int, text: str) -> str:
    """One function on 3000 arguments, on this machine."""
    chance = random.Random(seed)
    name, ranges, *bounds = chance.choice(ACCURACY)
    type, bound = chance.choice(list(zip(("float", "double"), bounds)))
    arguments = [samples(low, high, DTYPES[type], chance.getrandbits(31)) for low, high in ranges]
    with np.errstate(all="ignore"):
        error = errors(name, compiled(name, type, *arguments), arguments)
    worst = int(np.argmax(error))
    if error[worst] <= bound:
        return ""
    return f"inaccurate: {name} of {type} {[float(one[worst]) for one in arguments]}: {float(error[worst]):.3f} units"
