"""This computer's CPU: which instruction sets it runs, and the target that fits it best.

On x86-64 reads ``/proc/cpuinfo`` (where the kernel has already left out what the
system does not save on a task switch), without which it asks LLVM; on aarch64 the
system tells the process (:mod:`voltac.llvm.arm_features`). ``VOLTAC_HOST_CPU=haswell``
makes a process take it for a lesser CPU, by a name of ``--cpu``.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from voltac.records import replace
from voltac.target_info import TargetInfo, find_target
from voltac.target_info.processors import WITHOUT_WAITS, processor_of

if TYPE_CHECKING:
    from voltac.target_info.cpus import Cpu

_SSE2 = "sse2"
_SSE41 = _SSE2 + " ssse3 sse4_1"
_SSE42 = _SSE41 + " sse4_2 popcnt"
_AVX = _SSE42 + " avx"
_AVX2 = _AVX + " avx2 fma f16c bmi1 bmi2 movbe abm rdrand"
_SKX = _AVX2 + " avx512f avx512cd avx512bw avx512dq avx512vl"
_ICL = _SKX + (" avx512vbmi avx512_vbmi2 avx512_vnni avx512_bitalg avx512_vpopcntdq avx512ifma gfni vaes vpclmulqdq")
# The matrix registers of these CPUs are never used.
_SPR = _ICL + " avx_vnni avx512_bf16 avx512_fp16"
_AVX10_2 = _SPR + " avx10_2 apx avx_ifma avx_ne_convert avx_vnni_int8 avx_vnni_int16 sha512 sm3 sm4"

# ISA in a target's name -> the instruction sets its code may use, as /proc/cpuinfo names them.
_NEEDED: dict[str, str] = {
    "sse2": _SSE2,
    "generic": _SSE2,
    "neon": "asimd",
    "sve": "asimd sve",
    "sve256": "asimd sve sve256",
    "sve512": "asimd sve sve512",
    "rvv": "v",
    "wasm": "simd128",
    "sse4.1": _SSE41,
    "sse4.2": _SSE42,
    "avx1": _AVX,
    "avx2": _AVX2,
    "avx2vnni": _AVX2 + " avx_vnni gfni vaes vpclmulqdq",
    "avx512skx": _SKX,
    "avx512icl": _ICL,
    "avx512spr": _SPR,
    "avx512gnr": _SPR,
    "avx10.2dmr": _AVX10_2,
    "avx10.2nvl": _AVX10_2,
}

# The best first. Wider gangs lose in registers what they win in loop control.
_PREFERRED = (
    *("avx512icl-x16", "avx512skx-x16", "avx2-i32x8", "avx1-i32x8", "sse4.2-i32x4", "sse4.1-i32x4", "sse2-i32x4"),
    "neon-i32x4",
)

# (vendor, family, lowest model, highest model) -> CPU name of LLVM.
_TUNING: tuple[tuple[str, int, int, int, str], ...] = (
    ("AuthenticAMD", 0x19, 0x10, 0x1F, "znver4"),
    ("AuthenticAMD", 0x19, 0x60, 0xAF, "znver4"),
    ("AuthenticAMD", 0x1A, 0x00, 0xFF, "znver5"),
)

_INTEL, _AMD = "GenuineIntel", "AuthenticAMD"
_NEWER = frozenset(("avx_vnni", "avx512_fp16"))
"""What Intel's processors have since Alder Lake and Sapphire Rapids."""
# (vendor, family, lowest model, highest model) -> a row of target_info/processors.py; the first that fits.
_FAMILIES: tuple[tuple[str, int, int, int, str], ...] = (
    *((_INTEL, 6, model, model, "haswell") for model in (0x3C, 0x3F, 0x45, 0x46)),
    *((_INTEL, 6, model, model, "broadwell") for model in (0x3D, 0x47, 0x4F, 0x56)),
    *((_INTEL, 6, model, model, "skylake") for model in (0x4E, 0x55, 0x5E, 0x6A, 0x6C, 0x7D, 0x7E, 0x8C, 0x8D, 0x8E, 0x9E)),
    *((_INTEL, 6, model, model, "skylake") for model in (0xA5, 0xA6, 0xA7)),
    (_AMD, 0x17, 0x00, 0xFF, "zen"),
    (_AMD, 0x19, 0x10, 0x1F, "zen4"),
    (_AMD, 0x19, 0x60, 0x7F, "zen4"),
    (_AMD, 0x19, 0xA0, 0xAF, "zen4"),
    (_AMD, 0x19, 0x00, 0xFF, "zen3"),
    (_AMD, 0x1A, 0x00, 0xFF, "zen4"),
)
_GATHERS = "/sys/devices/system/cpu/vulnerabilities/gather_data_sampling"

# LLVM's name of an instruction set -> the name in /proc/cpuinfo, where they differ.
_LLVM_NAMES: dict[str, str] = {
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "bmi": "bmi1",
    "lzcnt": "abm",
    "rdrnd": "rdrand",
    "avx512vbmi2": "avx512_vbmi2",
    "avx512vnni": "avx512_vnni",
    "avx512bitalg": "avx512_bitalg",
    "avx512vpopcntdq": "avx512_vpopcntdq",
    "avx512bf16": "avx512_bf16",
    "avx512fp16": "avx512_fp16",
    "avxvnni": "avx_vnni",
}

_MACHINES = {"x86_64": "x86-64", "amd64": "x86-64", "arm64": "aarch64"}
"""What systems call a machine -> the name of its architecture, where it is another."""

HOST_CPU_VARIABLE = "VOLTAC_HOST_CPU"
_LISTING = "/proc/cpuinfo"
_ONE_CPU = 1 << 13
"""Bytes that surely hold the description of the first CPU; the kernel writes no more than is read."""


class CannotRun(RuntimeError):
    """This CPU lacks what a target's code needs."""


@cache
def cpu_description() -> dict[str, str]:
    """The fields of the first CPU in ``/proc/cpuinfo``; empty where there is no such file."""
    try:
        with open(_LISTING, "rb", buffering=0) as listing:
            text = listing.read(_ONE_CPU).decode("ascii", "replace")
    except OSError:
        return {}
    first, _, _ = text.partition("\n\n")
    fields = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in fields}


@cache
def pretended_cpu() -> Cpu | None:
    """The CPU that ``VOLTAC_HOST_CPU`` names, or None where it names none.

    Raises :class:`CannotRun` for a name that no CPU has.
    """
    name = os.environ.get(HOST_CPU_VARIABLE)
    if not name:
        return None
    from voltac.target_info.cpus import UnknownCpu, find_cpu  # few pretend

    try:
        return find_cpu(name)
    except UnknownCpu as error:
        raise CannotRun(f"{HOST_CPU_VARIABLE}: {error}") from None


@cache
def instruction_sets() -> frozenset[str]:
    """What this CPU runs, or the one ``VOLTAC_HOST_CPU`` names, by the names of ``/proc/cpuinfo``.

    Raises :class:`CannotRun` where that one has instruction sets which this one lacks.
    """
    present = real_instruction_sets()
    pretended = pretended_cpu()
    if pretended is None:
        return present
    taken = needed(find_target(pretended.target))
    lacking = [name for name in taken if name not in present]
    if lacking:
        raise CannotRun(
            f"{HOST_CPU_VARIABLE}={pretended.name}: this CPU can pass for a lesser one only, and has no {', '.join(lacking)}"
        )
    return frozenset(taken) | present.intersection(pretended.brings)


@cache
def architecture_here() -> str:
    """The architecture of this process, ``x86-64`` or ``aarch64``; of another one, which no target is for, its own name."""
    machine = os.uname().machine.lower()
    return _MACHINES.get(machine, machine)


@cache
def real_instruction_sets() -> frozenset[str]:
    """What this CPU runs, whatever ``VOLTAC_HOST_CPU`` says: what a program finds that asks CPUID."""
    if architecture_here() == "aarch64":
        from voltac.llvm.arm_features import arm_features  # late: only this architecture needs it

        return arm_features()
    if architecture_here() != "x86-64":
        return frozenset()
    flags = cpu_description().get("flags")
    if flags is not None:
        return frozenset(flags.split())
    from voltac.llvm.target_machine import host_features  # only here: importing llvmlite is slow

    return frozenset(_LLVM_NAMES.get(name, name) for name in host_features())


def needed(target: TargetInfo) -> tuple[str, ...]:
    """The instruction sets that code for ``target`` may use."""
    usual = tuple(_NEEDED[target.name.rpartition("-")[0]].split())
    if target.cpu == find_target(target.name).cpu:
        return usual
    from voltac.target_info.cpus import brought_by  # few name a CPU

    return usual + brought_by(target.cpu)


def missing(target: TargetInfo) -> tuple[str, ...]:
    """The instruction sets that code for ``target`` needs and this CPU does not have; or its architecture, if it is another."""
    if target.architecture != architecture_here():
        return (target.architecture,)
    return tuple(name for name in needed(target) if name not in instruction_sets())


def can_run(target: TargetInfo) -> bool:
    """Whether code for ``target`` may be called on this computer."""
    return not missing(target)


def require_runnable(target: TargetInfo) -> None:
    """Raise :class:`CannotRun`, naming what is missing, unless code for ``target`` can be called here."""
    if target.architecture != architecture_here():
        raise CannotRun(
            f"code for target '{target.name}' can be emitted but not called here: it is for {target.architecture}, "
            f"and this process runs on {architecture_here()}; the best target for it is '{host_target().name}'"
        )
    lacking = missing(target)
    if lacking:
        raise CannotRun(
            f"code for target '{target.name}' can be emitted but not called here: "
            f"this CPU has no {', '.join(lacking)}; the best target for it is '{host_target().name}'"
        )


@cache
def host_target() -> TargetInfo:
    """The best target for this CPU, tuned for it where LLVM knows it by name."""
    for name in _PREFERRED:
        target = find_target(name)
        if can_run(target):
            return replace(target, cpu=_tuning(target) or target.cpu, processor=host_processor())
    raise CannotRun("voltac runs code on x86-64 and aarch64; this computer's CPU runs none of its targets")


@cache
def host_processor() -> str:
    """The name of the row in ``target_info/processors.py`` of this CPU, or of the one that it is to pass for; empty if none."""
    pretended = pretended_cpu()
    if pretended is not None:
        return processor_of(pretended.llvm_name)
    description, present = cpu_description(), instruction_sets()
    vendor = description.get("vendor_id", "")
    if vendor == _INTEL and not _NEWER.isdisjoint(present):
        # Virtual machines may give the model of another.
        return "alderlake"
    family, model = int(description.get("cpu family", "0")), int(description.get("model", "0"))
    for known, known_family, lowest, highest, name in _FAMILIES:
        if (vendor, family) == (known, known_family) and lowest <= model <= highest:
            return WITHOUT_WAITS if name == "skylake" and not _gathers_wait() else name
    return ""


def _gathers_wait() -> bool:
    """Whether microcode makes gathers wait, so that what they loaded cannot be guessed at."""
    try:
        with open(_GATHERS, encoding="ascii") as state:
            return state.read().startswith("Mitigation")
    except OSError:
        return True


def _tuning(target: TargetInfo) -> str:
    # LLVM's names of other makers' CPUs bring instructions that this one may lack: what it pretends to be is not among them.
    if pretended_cpu() or not target.name.startswith("avx512icl"):
        return ""
    description = cpu_description()
    vendor = description.get("vendor_id", "")
    family, model = int(description.get("cpu family", "0")), int(description.get("model", "0"))
    for known, known_family, lowest, highest, name in _TUNING:
        if (vendor, family) == (known, known_family) and lowest <= model <= highest:
            return name if can_run(replace(target, cpu=name)) else ""
    return ""
