"""Programs for one element at a time leave in memory what the same text leaves as C++."""

import shutil
import zlib
from pathlib import Path

import pytest
from as_cpp import Twin, model_of, read_twin
from run_programs import HOST_TARGETS, MORE_HOST_TARGETS
from some_pairs import some_of

import voltac

TWINS = [read_twin(path) for path in sorted((Path(__file__).resolve().parent / "as_cpp").glob("*.ispc"))]
pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="not installed: g++"),
    pytest.mark.filterwarnings("ignore::voltac.VoltacWarning"),
]


def differences(twin: Twin, model: list[tuple[str, list[object]]], target: str, level: int) -> list[str]:
    kernels = voltac.compile(twin.text, target=target, opt=level, disable_fma=True)
    return twin.differences(kernels, model)


@pytest.mark.parametrize("twin", some_of(TWINS, 6), ids=lambda twin: twin.path.stem)
def test_a_program_does_what_it_does_as_cpp(twin: Twin, tmp_path: Path) -> None:
    """At -O0, for one target that the name picks: the long suite has the others."""
    target = HOST_TARGETS[zlib.crc32(twin.path.stem.encode()) % len(HOST_TARGETS)]
    assert differences(twin, model_of(twin, tmp_path), target.name, 0) == [], target.name


@pytest.mark.long
@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.path.stem)
def test_a_program_does_what_it_does_as_cpp_for_every_target(twin: Twin, tmp_path: Path) -> None:
    model = model_of(twin, tmp_path)
    for number, target in enumerate((*HOST_TARGETS, *MORE_HOST_TARGETS)):
        levels = range(4) if target in HOST_TARGETS else (number % 4,)
        for level in levels:
            assert differences(twin, model, target.name, level) == [], f"{target.name} -O{level}"
