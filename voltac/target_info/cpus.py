"""The CPUs that ``--cpu`` names: their spellings, LLVM's name, and the target they select when none is given."""

from __future__ import annotations

from voltac.messages.suggestions import suggestion
from voltac.messages.visible import visible_name
from voltac.records import record, replace
from voltac.target_info import TargetInfo, find_target
from voltac.target_info.processors import processor_of


@record
class Cpu:
    """A name of ``--cpu``, LLVM's name for it, and the target it selects.

    ``brings`` are the instruction sets, by the names of ``/proc/cpuinfo``, that LLVM uses by itself in code for exactly
    this CPU and that the target does not ask for (LLVM's ``X86.td`` and ``AArch64Processors.td``).
    """

    name: str
    llvm_name: str
    target: str
    synonyms: tuple[str, ...] = ()
    brings: tuple[str, ...] = ()

    @property
    def architecture(self) -> str:
        """``x86-64``, which stands for 32 bits as well, or ``aarch64``."""
        return find_target(self.target).architecture


_SSE2, _SSE41, _SSE42 = "sse2-i32x4", "sse4.1-i32x4", "sse4.2-i32x4"
_AVX, _AVX2, _AVX2VNNI = "avx1-i32x8", "avx2-i32x8", "avx2vnni-i32x8"
_SKX, _ICL, _SPR, _GNR = "avx512skx-x16", "avx512icl-x16", "avx512spr-x16", "avx512gnr-x16"
_DMR, _NVL = "avx10.2dmr-x16", "avx10.2nvl-x16"
_NEON = "neon-i32x4"

# What versions of the Arm architecture bring besides the vector registers of 128 bits.
_ARM_8_0 = ("aes", "pmull", "sha1", "sha2", "crc32")
_ARM_8_2 = (*_ARM_8_0, "atomics", "asimdrdm", "fphp", "asimdhp", "asimddp", "lrcpc")
_ARM_8_4 = (*_ARM_8_2, "uscat", "ilrcpc", "flagm", "jscvt", "fcma")
_SVE = ("sve", "i8mm", "bf16")
_ARM_9_0 = (*_ARM_8_4, *_SVE, "sve2", "svebitperm")
_APPLE = (*_ARM_8_4, "sha3", "sha512", "asimdfhm")

CPUS: tuple[Cpu, ...] = (
    Cpu("x86-64", "x86-64", _SSE2),
    Cpu("atom", "atom", _SSE2, ("bonnell",), ("ssse3", "movbe")),
    Cpu("core2", "core2", _SSE2, (), ("ssse3",)),
    Cpu("penryn", "penryn", _SSE41),
    Cpu("corei7", "corei7", _SSE42, ("nehalem",)),
    Cpu("corei7-avx", "corei7-avx", _AVX, ("sandybridge",)),
    Cpu("core-avx-i", "core-avx-i", _AVX, ("ivybridge",), ("f16c", "rdrand")),
    Cpu("core-avx2", "core-avx2", _AVX2, ("haswell",)),
    Cpu("broadwell", "broadwell", _AVX2),
    Cpu("skylake", "skylake", _AVX2),
    Cpu("skx", "skylake-avx512", _SKX, ("skylake-avx512",)),
    Cpu("icelake-client", "icelake-client", _ICL, ("icl",)),
    Cpu("icelake-server", "icelake-server", _ICL, ("icx",)),
    Cpu("slm", "silvermont", _SSE42, ("silvermont",), ("movbe", "rdrand")),
    Cpu("tigerlake", "tigerlake", _ICL, ("tgl",)),
    Cpu("alderlake", "alderlake", _AVX2VNNI, ("adl",)),
    Cpu("meteorlake", "meteorlake", _AVX2VNNI, ("mtl",)),
    Cpu("sapphirerapids", "sapphirerapids", _SPR, ("spr",)),
    Cpu("graniterapids", "graniterapids", _GNR, ("gnr",)),
    Cpu("arrowlake", "arrowlake", _AVX2VNNI, ("arl",), ("avx_ifma", "avx_vnni_int8", "avx_ne_convert")),
    Cpu("lunarlake", "lunarlake", _AVX2VNNI, ("lnl",), ("avx_ifma", "avx_vnni_int8", "avx_ne_convert")),
    Cpu("diamondrapids", "diamondrapids", _DMR, ("dmr",)),
    Cpu("novalake", "novalake", _NVL, ("nvl",)),
    Cpu("btver2", "btver2", _AVX, ("ps4",), ("sse4a", "movbe", "f16c", "bmi1", "abm")),
    Cpu("znver1", "znver1", _AVX2, (), ("sse4a",)),
    Cpu("znver2", "znver2", _AVX2, ("ps5",), ("sse4a",)),
    Cpu("znver3", "znver3", _AVX2, (), ("sse4a",)),
    Cpu("znver4", "znver4", _ICL, (), ("avx512_bf16", "sse4a")),
    Cpu("znver5", "znver5", _ICL, (), ("avx512_bf16", "sse4a", "avx_vnni", "avx512_vp2intersect")),
    Cpu("cortex-a35", "cortex-a35", _NEON, (), _ARM_8_0),
    Cpu("cortex-a53", "cortex-a53", _NEON, (), _ARM_8_0),
    Cpu("cortex-a55", "cortex-a55", _NEON, (), _ARM_8_2),
    Cpu("cortex-a57", "cortex-a57", _NEON, (), _ARM_8_0),
    Cpu("cortex-a72", "cortex-a72", _NEON, ("graviton",), _ARM_8_0),
    Cpu("cortex-a76", "cortex-a76", _NEON, (), _ARM_8_2),
    Cpu("cortex-a78", "cortex-a78", _NEON, (), _ARM_8_2),
    Cpu("cortex-x1", "cortex-x1", _NEON, (), _ARM_8_2),
    Cpu("neoverse-n1", "neoverse-n1", _NEON, ("graviton2",), _ARM_8_2),
    Cpu("neoverse-v1", "neoverse-v1", _NEON, ("graviton3",), (*_ARM_8_4, *_SVE)),
    Cpu("neoverse-n2", "neoverse-n2", _NEON, (), _ARM_9_0),
    Cpu("neoverse-v2", "neoverse-v2", _NEON, ("graviton4", "grace"), _ARM_9_0),
    Cpu("apple-m1", "apple-m1", _NEON, (), _APPLE),
    Cpu("apple-m2", "apple-m2", _NEON, (), (*_APPLE, "i8mm", "bf16")),
    Cpu("apple-m4", "apple-m4", _NEON, (), (*_APPLE, "i8mm", "bf16")),
)

_BY_NAME: dict[str, Cpu] = {name: cpu for cpu in CPUS for name in (cpu.name, cpu.llvm_name, *cpu.synonyms)}


def brought_by(llvm_name: str) -> tuple[str, ...]:
    """What code for exactly the CPU of this name of LLVM's may use besides what the CPU's target asks for."""
    return next((cpu.brings for cpu in CPUS if cpu.llvm_name == llvm_name), ())


class UnknownCpu(ValueError):
    """The name is no CPU; ``str()`` is the message for the user."""


def find_cpu(name: str) -> Cpu:
    """The row of a CPU by its name, a synonym, or LLVM's name. Raises :class:`UnknownCpu`, which names the nearest."""
    found = _BY_NAME.get(name)
    if found is None:
        known = "; ".join(f"for {architecture}: {names_of_cpus(architecture)}" for architecture in ("x86-64", "aarch64"))
        raise UnknownCpu(f"unknown CPU '{visible_name(name)}'{suggestion(name, _BY_NAME)}; supported CPUs are, {known}")
    return found


def names_of_cpus(architecture: str) -> str:
    """The names of the CPUs of one architecture, as messages list them."""
    return ", ".join(cpu.name for cpu in CPUS if cpu.architecture == architecture)


def require_cpu_of(target: TargetInfo, name: str) -> None:
    """Raise ValueError, with the CPUs there are, unless the CPU of this name can run the code of a target."""
    cpu = find_cpu(name)
    architecture = "x86-64" if target.is_x86 else target.architecture
    if target.is_device:
        raise ValueError(f"'{cpu.name}' is a CPU and '{target.name}' a device")
    if cpu.architecture != architecture:
        names = names_of_cpus(architecture)
        raise ValueError(
            f"'{cpu.name}' is a CPU for {cpu.architecture} and '{target.name}' a target for {target.architecture}, "
            + (f"whose CPUs are: {names}" if names else "for which no CPU is named")
        )


def target_of_cpu(cpu: Cpu) -> TargetInfo:
    """The target that fits a CPU, with code generated for exactly that CPU."""
    return replace(find_target(cpu.target), cpu=cpu.llvm_name, processor=processor_of(cpu.llvm_name))
