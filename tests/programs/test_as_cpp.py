"""Programs for one element at a time leave in memory what the same text leaves as C++."""

import dataclasses
import importlib.util
import shutil
import zlib
from pathlib import Path

import pytest
from as_cpp import Twin, model_of, read_twin
from as_cpp_elsewhere import differences_elsewhere
from emulated import AARCH64, RISCV64, Machine, missing
from run_programs import HOST_TARGETS, MORE_HOST_TARGETS
from some_pairs import some_of

import voltac
from voltac.target_info import TARGETS, TargetInfo

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


ELSEWHERE = [target for target in TARGETS.values() if target.architecture in ("aarch64", "riscv64", "wasm32")]
NOT_IN_WASM = ("voxels",)
"""Programs that start tasks: a module has no threads of its own."""


def machine_of(target: TargetInfo) -> Machine | None:
    """With vectors as long as the target needs them; none for WebAssembly."""
    if target.architecture == "riscv64":
        return RISCV64
    units = {"sve256": 2, "sve512": 4}.get(target.name.split("-")[0], 1)
    machine = dataclasses.replace(AARCH64, emulator=(*AARCH64.emulator, "-cpu", f"max,sve-max-vq={units}"))
    return machine if target.architecture == "aarch64" else None


def skip_what_is_not_here(twin: Twin, target: TargetInfo) -> Machine | None:
    machine = machine_of(target)
    if machine is None and (twin.path.stem in NOT_IN_WASM or importlib.util.find_spec("wasmtime") is None):
        pytest.skip("needs threads, or wasmtime")
    if machine is not None and missing(machine):
        pytest.skip(missing(machine))
    return machine


def test_a_program_does_what_it_does_as_cpp_on_another_machine(tmp_path: Path) -> None:
    """One of the shortest to compile: the long suite has the others."""
    twin = next(twin for twin in TWINS if twin.path.stem == "finance")
    target = TARGETS["neon-i32x4"]
    machine = skip_what_is_not_here(twin, target)
    assert differences_elsewhere(twin, model_of(twin, tmp_path), target, 2, machine, tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("target", ELSEWHERE, ids=lambda target: target.name)
@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.path.stem)
def test_a_program_does_what_it_does_as_cpp_on_every_machine(twin: Twin, target: TargetInfo, tmp_path: Path) -> None:
    machine = skip_what_is_not_here(twin, target)
    level = zlib.crc32(f"{twin.path.stem} {target.name}".encode()) % 4
    assert differences_elsewhere(twin, model_of(twin, tmp_path), target, level, machine, tmp_path) == [], f"-O{level}"
