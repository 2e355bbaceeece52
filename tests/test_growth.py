"""Twice the source is twice the work, whatever its shape: counted in the LLVM text, for time depends on the machine."""

import importlib.util
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from voltac.driver import compile_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def load(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"benchmarks_{name}", BENCHMARKS / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = sys.modules[specification.name] = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


SHAPES = load("shapes").SHAPES


def text_of(source: str, folder: Path, target: str, level: int = 2, end: str = "lower") -> str:
    options = Options(find_target(target), level=level, include_directories=(str(folder),))
    made = compile_source(source, str(folder / "shape.ispc"), options, Diagnostics(warnings=False), end=end)
    return str(made.results[end])


@pytest.mark.parametrize("name", SHAPES)
def test_the_text_grows_as_the_source_does(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    small = min(max(shape.size // 50, 4), 40)
    sizes = []
    for size in (small, 2 * small, 4 * small):
        for header, text in shape.headers(size).items():
            (tmp_path / header).write_text(text)
        sizes.append(len(text_of(shape.source(size), tmp_path, shape.targets.split(",")[0])))
    first, second = sizes[1] - sizes[0], sizes[2] - sizes[1]
    assert second < 2.6 * first + 2000, sizes


@pytest.mark.long
@pytest.mark.parametrize("target", ("avx2-i32x8", "avx512skx-x16"))
@pytest.mark.parametrize("name", [name for name in SHAPES if "switch" in name or "labels" in name])
def test_twice_the_labels_take_twice_the_time(name: str, target: str, tmp_path: Path) -> None:
    seconds = []
    for size in (200, 400, 800):
        size = size // 12 if name == "nested switch" else size
        source = SHAPES[name].source(size)
        before = time.process_time()
        text_of(source, tmp_path, target, end="late")
        seconds.append(time.process_time() - before)
    assert seconds[2] - seconds[1] < 4 * (seconds[1] - seconds[0]) + 1, seconds


@pytest.mark.parametrize("level", (0, 2))
def test_a_program_of_many_parts_goes_through_all_passes(level: int, tmp_path: Path) -> None:
    source = load("generated_source").source(700)
    text = text_of(source, tmp_path, "avx2-i32x8", level, "passes")
    assert text.count("\ndefine ") > 20 and "call <8 x float> @volta.gather" not in text


def test_programs_of_all_lengths_are_made_of_different_parts() -> None:
    source = load("generated_source").source(3000)
    assert source.count("\n") >= 3000
    functions = source.split("\n}\n")
    assert len(functions) > 80 and len(set(functions)) == len(functions)
