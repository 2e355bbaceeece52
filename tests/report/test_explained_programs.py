"""Whole programs are explained, with what their loops take, whatever instructions they became."""

import zlib
from pathlib import Path

import pytest

from voltac.driver import compile_source, explanation_of
from voltac.options import Options
from voltac.target_info import find_target

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.ispc"))
PROGRAMS = sorted([*(ROOT / "benchmarks" / "kernels").glob("*.ispc"), *(ROOT / "tests" / "programs").glob("*/*.ispc")])
TARGETS = ("avx2-i32x8", "avx512skx-x16", "sse4-i32x4")


def explained_lines(path: Path, target: str) -> set[int]:
    options = Options(find_target(target), level=2, whole_program=True)
    found = explanation_of(compile_source(path.read_text(), str(path), options), cycles=True)
    return {fact.line for fact in found.facts}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_explained(path: Path) -> None:
    """For one target that its name picks; every ``foreach`` has something said of it."""
    lines = path.read_text().splitlines()
    loops = {number for number, line in enumerate(lines, 1) if line.strip().startswith("foreach")}
    target = TARGETS[zlib.crc32(path.stem.encode()) % len(TARGETS)]
    assert loops - explained_lines(path, target) == set()


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_explained(path: Path, target: str) -> None:
    assert explained_lines(path, target)
