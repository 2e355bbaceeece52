"""The host's CPU: detection without LLVM agrees with LLVM's own."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from kernels import processor_runs

from voltac.llvm import CannotRun, can_run, host_target, require_runnable
from voltac.llvm import host as host_module
from voltac.llvm.target_machine import host_features, target_machine
from voltac.options import Options
from voltac.target_info import TARGETS, find_target
from voltac.target_info.cpus import CPUS, find_cpu, target_of_cpu


@pytest.mark.parametrize("isa", ["sse4.2", "avx", "avx2", "fma", "bmi2", "avx512f", "avx512vl", "avx512vbmi", "gfni"])
def test_detection_agrees_with_llvm(isa: str) -> None:
    listed = {"sse4.2": "sse4_2"}.get(isa, isa)
    assert (listed in host_module.real_instruction_sets()) == (isa in host_features())


def test_the_host_target_can_run() -> None:
    require_runnable(host_target())


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_every_target_is_either_runnable_or_says_what_is_missing(name: str) -> None:
    assert can_run(TARGETS[name]) == (not host_module.missing(TARGETS[name]))


def test_a_target_this_cpu_lacks_is_refused_with_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    host_target.cache_clear()
    monkeypatch.setattr(host_module, "instruction_sets", lambda: frozenset({"sse2", "ssse3", "sse4_1"}))
    with pytest.raises(CannotRun, match=r"avx2-i32x8.*no sse4_2, popcnt, avx.*'sse4.1-i32x4'"):
        require_runnable(find_target("avx2"))
    host_target.cache_clear()


def test_code_for_exactly_one_cpu_needs_what_that_cpu_brings(monkeypatch: pytest.MonkeyPatch) -> None:
    """An Intel CPU has what the target avx2 asks for and lacks AMD's extract and insert of bits."""
    haswell = frozenset(host_module.needed(find_target("avx2")))
    monkeypatch.setattr(host_module, "instruction_sets", lambda: haswell)
    assert can_run(target_of_cpu(find_cpu("haswell"))) and not can_run(target_of_cpu(find_cpu("znver3")))
    monkeypatch.setattr(host_module, "instruction_sets", lambda: haswell | {"sse4a"})
    assert can_run(target_of_cpu(find_cpu("znver3")))


def test_code_for_another_architecture_is_not_called() -> None:
    short = replace(find_target("sse4"), triple="i686-unknown-linux-gnu", pointer_bits=32)
    for target, name in ((find_target("neon"), "aarch64"), (short, "x86")):
        assert not can_run(target)
        with pytest.raises(CannotRun, match=rf"it is for {name}, and this process runs on x86-64"):
            require_runnable(target)


def pretending(cpu: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"VOLTAC_HOST_CPU": cpu}
    return subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True)


def test_a_process_may_take_its_cpu_for_a_lesser_one() -> None:
    code = """
import numpy as np, voltac
from voltac.llvm import can_run, host_target
from voltac.target_info import find_target
k = voltac.compile("export void f(uniform int a[], uniform int n) { foreach (i = 0 ... n) a[i] += 1; }")
a = np.zeros(37, np.int32)
k.f(a, 37)
print(host_target().name, k.target, can_run(find_target("avx2")), a.sum())
try:
    voltac.compile("export void f() {}", target="avx2-i32x8").f()
except voltac.CannotRun as error:
    print(error)
"""
    done = pretending("penryn", "-c", code)
    assert done.stderr == ""
    first, second = done.stdout.splitlines()
    assert first == "sse4.1-i32x4 sse4.1-i32x4 False 37"
    assert "no sse4_2, popcnt, avx" in second


@pytest.mark.parametrize(
    ("cpu", "message"),
    [("haswel", "VOLTAC_HOST_CPU: unknown CPU 'haswel'; did you mean 'haswell'?"),
     ("novalake", "VOLTAC_HOST_CPU=novalake: this CPU can pass for a lesser one only, and has no ")],
)  # fmt: skip
def test_a_cpu_that_is_unknown_or_better_is_refused_in_one_sentence(cpu: str, message: str, tmp_path: Path) -> None:
    if cpu == "novalake" and processor_runs(find_target("avx10.2nvl-x16")):
        pytest.skip("this processor has it all")
    (tmp_path / "f.ispc").write_text("export void f() {}\n")
    done = pretending(cpu, "-m", "voltac", str(tmp_path / "f.ispc"), "-o", str(tmp_path / "f.o"))
    assert done.returncode == 1
    assert f"Error: {message}" in " ".join(done.stderr.split()) and "Traceback" not in done.stderr
    assert not (tmp_path / "f.o").exists()


def test_detection_does_not_import_llvmlite() -> None:
    code = "import sys, voltac.llvm as l; l.host_target(); sys.exit('llvmlite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_cpu_name_given_to_llvm_is_one_it_knows(capfd: pytest.CaptureFixture[str]) -> None:
    from voltac.llvm import late
    from voltac.options import Options

    for target in {target.cpu: target for target in TARGETS.values()}.values():
        late("define void @f() {\n  ret void\n}", Options(target=target))
    assert "not a recognized processor" not in capfd.readouterr().err


def test_every_cpu_name_of_the_command_line_is_one_llvm_knows(capfd: pytest.CaptureFixture[str]) -> None:
    from voltac.llvm import late
    from voltac.options import Options
    from voltac.target_info.cpus import target_of_cpu

    for cpu in CPUS:
        late("define void @f() {\n  ret void\n}", Options(target=target_of_cpu(cpu)))
    assert "not a recognized processor" not in capfd.readouterr().err


def test_unoptimised_code_for_aarch64_gets_a_machine_of_its_own_each_time() -> None:
    """LLVM's fast selector looks at the last module again: twelve programs in a row ended the process."""
    unoptimised = Options(target=find_target("neon-i32x4"), level=0)
    assert target_machine(unoptimised) is not target_machine(unoptimised)
