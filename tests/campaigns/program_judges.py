"""Random programs, and what judges machine code, passes and devices: the interpreters of the typed tree and of the IR."""

from __future__ import annotations

import io
import random
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import test_on_ia64
import test_on_ipu
import test_on_naplespu
import test_random_sums
from emulated import AARCH64, X86, missing, run_emulated
from random_accesses import random_cases
from random_applications import random_applications
from random_features import random_features
from random_images import random_images
from random_kernels import random_kernels
from random_programs import random_program
from random_rows import random_rows
from run_programs import (
    HOST_TARGETS,
    INPUTS,
    MORE_HOST_TARGETS,
    OUTPUTS,
    RARE_TARGETS,
    Array,
    NativeRunner,
    at_level,
    compile_for,
    inputs,
    interpret,
    interpret_ir,
    ir_after,
    natively,
    options,
    same_numbers,
)
from test_random_accesses import check
from test_random_declarations import missing_errors, wrong_results

from voltac.driver import compile_source
from voltac.interpreter import Interpreter
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Compilation, Watch
from voltac.records import replace
from voltac.target_info import DEVICES, TargetInfo
from voltac.target_info import TARGETS as ALL_TARGETS

TARGETS = (*HOST_TARGETS, *HOST_TARGETS, *(target for target in MORE_HOST_TARGETS if target not in RARE_TARGETS))
"""One half of the trials are for the usual ones, one in five for gangs of small types."""
NEON = tuple(target for target in ALL_TARGETS.values() if target.isa == "neon")
X86_32 = tuple(
    replace(target, triple="i686-unknown-linux-gnu", pointer_bits=32)
    for target in HOST_TARGETS
    if target.mask_bits in (1, 32) and target.is_x86 and not target.name.startswith("sse2")
)
"""With pointers of 32 bits; SSE2 takes floor and the like from C's library, which is not linked to them."""
_SHARE_OF_NEON = _SHARE_OF_X86_32 = 1 / 8
"""Of the trials of ``programs``; linking and starting the emulator takes long."""


GENERATORS = (
    random_applications,
    random_applications,
    random_applications,
    random_features,
    random_features,
    random_kernels,
    lambda seed: str(random_program(seed)),
    random_images,
    random_rows,
)


def program_text(seed: int) -> str:
    return GENERATORS[seed % len(GENERATORS)](seed)


def target_of(seed: int) -> TargetInfo:
    return random.Random(f"target {seed}").choice(TARGETS)


def target_of_program(seed: int, text: str) -> TargetInfo:
    chance = random.Random(f"machine {seed}")
    share = chance.random()
    if share < _SHARE_OF_NEON:
        return chance.choice(NEON)
    needs_libraries = "print(" in text or "launch" in text
    return chance.choice(X86_32) if share > 1 - _SHARE_OF_X86_32 and not needs_libraries else target_of(seed)


def first_wrong(job: Compilation, expected: Array) -> str:
    """The first stage whose IR does not mean what the typed tree means, or raises for it is undefined."""
    for stage in ("lower", "early", "passes", "late"):
        try:
            pointer_bytes = job.options.target.pointer_bits // 8
            found = interpret_ir(ir_after(job, stage), by_llvm=stage == "late", pointer_bytes=pointer_bytes)[0]
        except Exception as error:
            return f"undefined after {stage}: {error}"
        if not same_numbers(found, expected):
            return f"wrong after {stage}"
    return "wrong machine code"


def interpreted(job: Compilation) -> tuple[Array, str]:
    """What the typed tree of a compilation means: out and what was printed."""
    out, (floats, integers), printed = np.zeros(OUTPUTS), inputs(), list[str]()
    with np.errstate(all="ignore"):
        Interpreter(job.program, job.options, printed.append).call("test", [out, floats, integers, INPUTS])
    return out, "".join(printed)


def ran(jobs: Sequence[Compilation]) -> list[tuple[Array, str]]:
    """out and the printed text of machine code, by this processor or its emulator; of the late IR where there is neither."""
    if jobs[0].options.target in NEON and not missing(AARCH64):
        return run_emulated(jobs)
    if jobs[0].options.target in X86_32 and not missing(X86):
        return run_emulated(jobs, X86)
    return NativeRunner().run([natively(each) for each in jobs])


def difference(jobs: Sequence[Compilation], results: Sequence[tuple[Array, str]], expected: Array, text_printed: str) -> str:
    """What is wrong with the first wrong result, empty if none is."""
    for each, (out, printed) in zip(jobs, results, strict=True):
        name = f"{each.options.target.name} -O{each.options.level}"
        if not same_numbers(out, expected):
            return f"{first_wrong(each, expected)}: {name}"
        if printed != text_printed:
            return f"wrong text: {name}: {printed[:100]!r}, not {text_printed[:100]!r}"
    return ""


def judge_program(seed: int, text: str) -> str:
    """For one target; at -O2 and at one of the other levels."""
    target, path = target_of_program(seed, text), Path(f"program_{seed}.ispc")
    job = compile_for(path, text, target)
    expected, text_printed = interpreted(job)
    jobs = (job, at_level(job, (0, 0, 1, 3)[seed // 8 % 4]))
    try:
        results = ran(jobs)
    except AssertionError as crash:
        return f"crash, {first_wrong(job, expected)}: {crash}"
    return difference(jobs, results, expected, text_printed)


def options_of(seed: int) -> Options:
    """Options that change the code and not what a program means."""
    chance = random.Random(f"options {seed}")
    changes: dict[str, tuple[object, ...]] = {
        "level": (0, 1, 2, 3),
        "addressing": (32, 64),
        "debug_info": (False, False, True),
        "position_independent": ("", "small"),
        "wrap_signed": (False, True),
        "disable_fma": (False, True),
        "all_on_paths": (True, False),
        "resolve_accesses": (True, False),
        "loop_unrolling": (True, False),
        "streaming_stores": (False, target_of(seed).is_x86),
        "frame_pointer": (False, True),
        "reset_ftz_daz": (False, True),
        "disable_assertions": (False, True),
        "whole_program": (True, False),
        "function_sections": (False, True),
    }
    chosen = {name: chance.choice(values) for name, values in changes.items() if chance.random() < 0.5}
    return replace(options(target_of(seed)), **chosen)


def judge_options(seed: int, text: str) -> str:
    """With options that do not change what the program means."""
    chosen = options_of(seed)
    job = compile_source(text, f"program_{seed}.ispc", chosen, Diagnostics())
    expected = interpreted(job)[0]
    usual = vars(options(chosen.target))
    told = f"{chosen.target.name} { ({name: value for name, value in vars(chosen).items() if value != usual[name]}) }"
    try:
        out = NativeRunner().run([natively(job)])[0][0]
    except AssertionError as crash:
        return f"crash, {first_wrong(job, expected)}: {crash} {told}"
    return "" if same_numbers(out, expected) else f"{first_wrong(job, expected)}: {told}"


def judge_declarations(seed: int, text: str) -> str:
    found = wrong_results(seed, NativeRunner()) + missing_errors(seed)
    return f"wrong: {found}" if found else ""


def alone_text(seed: int) -> str:
    """A program that launches no tasks, for which the IR calls what it does not contain."""
    generator = GENERATORS[seed % len(GENERATORS)]
    if generator in (random_features, random_applications):
        return generator(seed, missing=["tasks"])
    return generator(seed)


AFTER = re.compile(r"^; after (\w+)$", re.MULTILINE)


def judge_passes(seed: int, text: str) -> str:
    target, path = target_of(seed), Path(f"program_{seed}.ispc")
    with np.errstate(all="ignore"):
        expected = interpret(path, text, target)[0]
    printed = io.StringIO()
    watch = Watch(passes=PassRuns(print_changed=True, verifies=True, output=printed))
    compile_source(text, str(path), options(target), Diagnostics(), watch=watch)
    steps = AFTER.split(printed.getvalue())
    by_llvm = False
    for name, made in zip(steps[1::2], steps[2::2]):
        by_llvm = by_llvm or name == "llvm_pipeline"
        made = re.sub(r"^; \w+ changed nothing$", "", made, flags=re.MULTILINE)
        try:
            found = interpret_ir(made, by_llvm=by_llvm)[0]
        except Exception as error:
            return f"undefined after {name}: {target.name}: {error}"
        if not same_numbers(found, expected):
            return f"wrong after {name}: {target.name}"
    return ""


def judge_gangs(seed: int, text: str) -> str:
    """For some targets, each at one of the levels."""
    try:
        return "; ".join(test_random_sums.differing(seed, text, NativeRunner()))
    except AssertionError as crash:
        return f"crash: {crash}"


def judge_accesses(seed: int, text: str) -> str:
    target = target_of(seed)
    try:
        check(seed, 25, target)
    except AssertionError as wrong:
        cases = "\n".join(case.text for case in random_cases(seed, 25, target.width))
        return f"wrong: {target.name}: {wrong}\n{cases}"
    return ""


def device_of(seed: int) -> str:
    """One of all, the IPU in both generations by turns."""
    return random.Random(f"device {seed}").choice(("naplespu", "ipu", *(each for each in DEVICES if each.startswith("ia64"))))


def device_text(seed: int) -> str:
    """Of four programs one is of kernels over all types, one of features or idioms; without what no device has."""
    if seed % 4 == 3:
        return random_kernels(seed, heap=False)
    if seed % 4 == 1:
        missing = ("tasks", "heap", "output", *(() if device_of(seed).startswith("ia64") else ("double",)))
        return (random_features if seed % 8 == 1 else random_applications)(seed, missing=missing)
    return str(random_program(seed))


def judge_on_device(seed: int, text: str) -> str:
    name = device_of(seed)
    if name in ("naplespu", "ipu"):
        judge = test_on_naplespu if name == "naplespu" else test_on_ipu
        wrong = judge.kernels_differ(seed, text) if seed % 4 == 3 else judge.differs(seed, text)
    else:
        wrong = test_on_ia64.differs(text, f"random_{seed}.ispc", DEVICES[name])
    return f"wrong: on {name}" if wrong else ""
