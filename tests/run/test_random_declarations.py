"""Random declarations, overload sets and enums mean what the reference's rules make of them, on both oracles and compiled."""

import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from random_declarations import random_declarations
from run_programs import (
    HOST_TARGETS,
    ORACLE_TARGETS,
    WIDTHS,
    NativeRunner,
    at_level,
    compile_for,
    inputs,
    interpret,
    interpret_ir,
    ir_after,
    natively,
)

from voltac.driver import compile_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options


@pytest.fixture(scope="module")
def runner() -> NativeRunner:
    return NativeRunner()


def wrong_results(seed: int, runner: NativeRunner) -> list[str]:
    """Where the result is not the expected one: at each width on the typed tree, for one target on the IR and compiled."""
    program = random_declarations(seed, inputs()[1])
    path, text, expected = Path(f"declarations_{seed}.ispc"), str(program), program.result()
    found = [f"width {w}" for w in WIDTHS if not np.array_equal(interpret(path, text, ORACLE_TARGETS[w])[0], expected)]
    job = compile_for(path, text, HOST_TARGETS[seed % len(HOST_TARGETS)])
    if not np.array_equal(interpret_ir(ir_after(job, "passes"))[0], expected):
        found.append("after passes")
    compiled = [natively(job), natively(at_level(job, 0))]
    return found + [str(one) for one, (out, _) in zip(compiled, runner.run(compiled)) if not np.array_equal(out, expected)]


def missing_errors(seed: int) -> list[str]:
    """Calls that the rules refuse, all in one text, that are not refused where they stand for that reason."""
    program = random_declarations(seed, inputs()[1])
    text = program.text([f"{call};" for call, _ in program.wrong])
    diagnostics = Diagnostics(wrap=False)
    with suppress(CompileError):
        compile_source(text, "t.ispc", Options(target=HOST_TARGETS[0]), diagnostics, end="check")
    told = {item.span.line: item.text for item in diagnostics.items if item.kind == "Error"}
    first = len(program.declarations[0].split("\n")) + len(program.declarations) + len(program.body) + 1
    wanted = {first + number: word for number, (_, word) in enumerate(program.wrong)}
    problems = [f"line {line}: {told[line]}" for line in told if line not in wanted]
    return problems + [
        f"{text.splitlines()[line - 1]}: {told.get(line)}"
        for line, word in wanted.items()
        if not re.search("no match|does not accept|accepts these|no number" if word == "accept" else word, told.get(line, ""))
    ]


@pytest.mark.parametrize("seed", range(4))
def test_random_declarations_mean_what_the_rules_say(seed: int, runner: NativeRunner) -> None:
    assert wrong_results(seed, runner) == [], str(random_declarations(seed, inputs()[1]))


@pytest.mark.parametrize("seed", range(30))
def test_calls_that_fit_no_overload_or_several_are_refused(seed: int) -> None:
    assert missing_errors(seed) == [], str(random_declarations(seed, inputs()[1]))


@pytest.mark.long
@pytest.mark.parametrize("first", range(1000, 2000, 50))
def test_many_random_declarations_mean_what_the_rules_say(first: int, runner: NativeRunner) -> None:
    seeds = range(first, first + 50)
    assert {seed: found for seed in seeds if (found := wrong_results(seed, runner) + missing_errors(seed))} == {}
