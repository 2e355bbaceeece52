"""Facts about compilation targets: frozen records, and the parsing of target names.

A target is a row of ``_ROWS``, or a device's own (language 14.1). Everything to the right
of this module reads a :class:`TargetInfo`; nothing else knows target names.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from voltac.messages.suggestions import suggestion
from voltac.messages.visible import visible_name
from voltac.records import record, replace

if TYPE_CHECKING:
    from voltac.target_info.device_facts import DeviceFacts


_BRANCH_LIMIT = 10
"""Of processors that LLVM makes code for. Chosen."""


@record
class TargetInfo:
    """What the compiler has to know of a target before code generation."""

    name: str
    """Canonical name, e.g. ``avx2-i32x8`` or ``avx512skx-x16``."""
    isa: str
    """Suffix for symbol names of multi-target builds, e.g. ``avx2``; of a device, its folder in ``voltac/targets``."""
    isa_macro: str
    """The one ``ISPC_TARGET_*`` macro that is defined, without its prefix."""
    width: int
    """Gang size W: lanes that run together."""
    mask_bits: int
    """Bits a lane takes in the storage form of a mask: 1 where the ISA has mask registers."""
    element_bits: int
    """Element size of the target name: 8, 16, 32 or 64."""
    vector_bits: int
    """Bits of the native vector register that code for this target uses."""
    cpu: str
    """LLVM CPU name code is generated for."""
    features: str
    """LLVM features added to the CPU's own, comma separated."""
    triple: str = "x86_64-unknown-linux-gnu"
    pointer_bits: int = 64
    has_fma: bool = False
    """Fused multiply-add in one instruction."""
    has_half_conversion: bool = False
    has_native_half: bool = False
    has_rand: bool = False
    tile_products: tuple[str, ...] = ()
    """AMX: element types of which tiles of a matrix are multiplied."""
    has_gather: bool = False
    has_scatter: bool = False
    has_masked_load: bool = False
    """The ISA has masked vector loads and stores for 32 and 64 bit elements."""
    has_masked_small: bool = False
    """Masked loads and stores exist for 8 and 16 bit elements too."""
    has_double: bool = True
    """Floating point of 64 bits, in hardware or by the C compiler's library."""
    has_ieee_products: bool = True
    """Products of floats are IEEE's, those of subnormal numbers and those that are none included."""
    processor: str = ""
    """Row of ``target_info/processors.py`` that chooses between correct alternatives; empty for what suits most."""
    device: DeviceFacts | None = None
    """Code comes from ``voltac/targets``, not from LLVM; programs have no C library and no operating system."""

    @property
    def keeps_loops(self) -> bool:
        """Whether LLVM leaves loops as they are, for the device's own passes."""
        return self.device is not None and self.device.keeps_loops

    @property
    def branch_limit(self) -> int:
        """An ``if`` of about so many instructions or fewer has no branch."""
        return _BRANCH_LIMIT if self.device is None else self.device.branch_limit

    @property
    def is_device(self) -> bool:
        """Whether code comes from ``voltac/targets``."""
        return self.device is not None

    @property
    def has_scratchpad(self) -> bool:
        """Cores have a memory of their own, for global variables that ask for it."""
        return self.device is not None and self.device.scratchpad_bytes > 0

    @property
    def has_threads(self) -> bool:
        """All threads of the device enter a kernel together (``sema/analyses/thread_sharing.py``)."""
        return self.device is not None and self.device.threads is not None

    @property
    def shuffle(self) -> str:
        """A device's function for an instruction that moves lanes of a gang (``DeviceFacts.shuffle``), else empty."""
        return self.device.shuffle if self.device is not None else ""

    @property
    def has_mask_registers(self) -> bool:
        """Masks are single bits in registers of their own, not whole lanes."""
        return self.mask_bits == 1

    @property
    def has_avx512(self) -> bool:
        """AVX-512 with 32 registers and masks, or AVX10, which contains it."""
        return self.isa.startswith(("avx512", "avx10"))

    @property
    def has_lane_shifts(self) -> bool:
        """Lanes of 32 and 64 bits are shifted by a count of their own each; on x86 that came with gathers."""
        return self.has_gather or not self.is_x86

    @property
    def has_products_of_bytes(self) -> bool:
        """``vpdpbusd``: four products of unsigned with signed bytes, added in each lane of 32 bits."""
        return self.isa == "avx2vnni" or (self.has_avx512 and self.isa != "avx512skx")

    @property
    def has_sve(self) -> bool:
        """Vectors of SVE, of at least ``vector_bits``."""
        return self.isa.startswith("sve")

    @property
    def is_x86(self) -> bool:
        """Of 64 or 32 bits."""
        return self.architecture in ("x86-64", "x86")

    @property
    def architecture(self) -> str:
        """``x86-64``, ``x86``, ``aarch64``, ``riscv64`` or ``wasm32``: the name that ``--arch`` takes."""
        return {"x86_64": "x86-64", "i686": "x86"}.get(machine := self.triple.partition("-")[0], machine)

    @property
    def system(self) -> str:
        """The name that ``--target-os`` takes; empty for devices."""
        return next((name for name, ending in SYSTEMS.items() if self.triple.endswith(f"-{ending}")), "")


SYSTEMS = {
    "linux": "unknown-linux-gnu",
    "android": "unknown-linux-android",
    "freebsd": "unknown-freebsd",
    "macos": "apple-macosx11.0.0",
    "windows": "pc-windows-msvc",
}
"""Name of a system -> what stands behind the machine in LLVM's name of the target. macOS has Mach-O objects, Windows COFF, the
others ELF."""


class UnknownTarget(ValueError):
    """The name is no target; ``str()`` is the message for the user."""


_SSE2 = TargetInfo("", "sse2", "SSE2", 4, 32, 32, 128, "x86-64", "")
_SSE4 = replace(_SSE2, isa="sse4", isa_macro="SSE4", cpu="corei7", features="+sse4.2,+popcnt")
_SSE41 = replace(_SSE4, cpu="penryn", features="+sse4.1")
_AVX1 = replace(
    _SSE4, isa="avx", isa_macro="AVX", vector_bits=256, cpu="corei7-avx", features="+avx,+popcnt", has_masked_load=True
)
_AVX2 = replace(
    _AVX1,
    isa="avx2",
    isa_macro="AVX2",
    cpu="core-avx2",
    features="+avx2,+fma,+f16c,+bmi,+bmi2,+popcnt,+lzcnt,+movbe,+rdrnd,+fast-gather",
    has_fma=True,
    has_half_conversion=True,
    has_rand=True,
    has_gather=True,
)
_AVX2VNNI = replace(_AVX2, isa="avx2vnni", isa_macro="AVX2VNNI", cpu="alderlake", features="+avxvnni")
_SKX = replace(
    _AVX2,
    isa="avx512skx",
    isa_macro="AVX512SKX",
    mask_bits=1,
    vector_bits=512,
    cpu="skylake-avx512",
    features="+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512cd",
    has_scatter=True,
    has_masked_small=True,
)
_ICL = replace(_SKX, isa="avx512icl", isa_macro="AVX512ICL", cpu="icelake-server", features="")
_SPR = replace(
    _SKX, isa="avx512spr", isa_macro="AVX512SPR", cpu="sapphirerapids", features="", has_native_half=True,
    processor="alderlake", tile_products=("int8", "bf16"),
)  # fmt: skip
_GNR = replace(_SPR, isa="avx512gnr", isa_macro="AVX512GNR", cpu="graniterapids", tile_products=("int8", "bf16", "fp16"))
_DMR = replace(_GNR, isa="avx10_2dmr", isa_macro="AVX10_2DMR", cpu="diamondrapids")
_NVL = replace(_SPR, isa="avx10_2nvl", isa_macro="AVX10_2NVL", cpu="novalake", tile_products=())
_NEON = TargetInfo(
    "", "neon", "NEON", 4, 32, 32, 128, "generic", "", triple="aarch64-unknown-linux-gnu",
    has_fma=True, has_half_conversion=True,
)  # fmt: skip
# Vectors of SVE are as long as the CPU has them, gangs are not: these are for CPUs whose vectors have at least so many bits.
_SVE = replace(_NEON, isa="sve", isa_macro="SVE", features="+sve", has_masked_load=True)
_SVE256 = replace(
    _SVE, isa="sve256", vector_bits=256, has_masked_small=True, has_gather=True, has_scatter=True,
)  # fmt: skip
_SVE512 = replace(_SVE256, isa="sve512", vector_bits=512)
# Wider gangs take groups of registers.
_RVV = TargetInfo(
    "", "rvv", "RVV", 4, 32, 32, 128, "generic-rv64", "+m,+a,+f,+d,+c,+v", triple="riscv64-unknown-linux-gnu",
    has_fma=True, has_gather=True, has_scatter=True, has_masked_load=True, has_masked_small=True,
)  # fmt: skip
_WASM = TargetInfo(
    "", "wasm", "WASM", 4, 32, 32, 128, "generic", "+simd128,+bulk-memory", triple="wasm32-unknown-unknown", pointer_bits=32,
)  # fmt: skip

# ISA name in target names -> (record, lane forms), of each architecture the worst first. A form is mask bits x lanes; 1 is a
# mask register.
_ROWS: dict[str, tuple[TargetInfo, tuple[str, ...]]] = {
    "sse2": (_SSE2, ("i32x4", "i32x8")),
    "sse4.1": (_SSE41, ("i8x16", "i16x8", "i32x4", "i32x8")),
    "sse4.2": (_SSE4, ("i8x16", "i16x8", "i32x4", "i32x8")),
    "avx1": (_AVX1, ("i32x4", "i32x8", "i32x16", "i64x4")),
    "avx2": (_AVX2, ("i8x32", "i16x16", "i32x4", "i32x8", "i32x16", "i64x4")),
    "avx2vnni": (_AVX2VNNI, ("i32x4", "i32x8", "i32x16")),
    "avx512skx": (_SKX, ("x4", "x8", "x16", "x32", "x64")),
    "avx512icl": (_ICL, ("x4", "x8", "x16", "x32", "x64")),
    "avx512spr": (_SPR, ("x4", "x8", "x16", "x32", "x64")),
    "avx512gnr": (_GNR, ("x4", "x8", "x16", "x32", "x64")),
    "avx10.2dmr": (_DMR, ("x4", "x8", "x16", "x32", "x64")),
    "avx10.2nvl": (_NVL, ("x4", "x8", "x16", "x32", "x64")),
    "generic": (
        _SSE2,
        (
            *("i1x4", "i1x8", "i1x16", "i1x32", "i1x64", "i8x16", "i8x32", "i16x8", "i16x16"),
            *("i32x1", "i32x4", "i32x8", "i32x16", "i64x4"),
        ),
    ),
    "neon": (_NEON, ("i8x16", "i8x32", "i16x8", "i16x16", "i32x4", "i32x8")),
    "sve": (_SVE, ("i32x4",)),
    "sve256": (_SVE256, ("i8x32", "i16x16", "i32x8")),
    "sve512": (_SVE512, ("i8x64", "i16x32", "i32x16")),
    "rvv": (_RVV, ("i8x16", "i16x8", "i32x4", "i32x8", "i32x16")),
    "wasm": (_WASM, ("i8x16", "i16x8", "i32x4", "i32x8")),
}

ISAS: tuple[str, ...] = tuple(dict.fromkeys(base.isa for base, _ in _ROWS.values()))
"""Suffixes of symbols, of each architecture the worst first: which version a build for several targets takes."""

_ALIASES: dict[str, str] = {
    "sse2": "sse2-i32x4",
    "sse2-x2": "sse2-i32x8",
    "sse4": "sse4.2-i32x4",
    "sse4-x2": "sse4.2-i32x8",
    "avx": "avx1-i32x8",
    "avx1": "avx1-i32x8",
    "avx-x2": "avx1-i32x16",
    "avx1-x2": "avx1-i32x16",
    "avx2": "avx2-i32x8",
    "avx2-x2": "avx2-i32x16",
    "neon": "neon-i32x4",
    "neon-x2": "neon-i32x8",
    "sve": "sve-i32x4",
    "sve256": "sve256-i32x8",
    "sve512": "sve512-i32x16",
    "rvv": "rvv-i32x8",
    "wasm": "wasm-i32x4",
    "wasm-simd128": "wasm-i32x4",
}


@cache
def _record(name: str) -> TargetInfo:
    isa, _, form = name.partition("-")
    base = _ROWS[isa][0]
    bits_text, _, lanes_text = form.removeprefix("i").partition("x")
    width = int(lanes_text)
    mask_bits = int(bits_text) if bits_text else 1
    element_bits = 32 if mask_bits == 1 else mask_bits
    vector_bits = base.vector_bits
    if base.has_avx512:
        # A gang of four or eight 32-bit lanes fills an xmm or ymm register; wider registers would run half empty.
        vector_bits = min(512, max(256, width * 32))
    return replace(
        base,
        name=name,
        width=width,
        mask_bits=mask_bits,
        element_bits=element_bits,
        vector_bits=vector_bits,
    )


if TYPE_CHECKING:
    TARGETS: dict[str, TargetInfo]
    """The targets LLVM makes code for."""
    DEVICES: dict[str, TargetInfo]
    """The targets that ``voltac/targets`` makes code for."""


def __getattr__(name: str) -> dict[str, TargetInfo]:
    """All targets, when somebody asks for all: most programs are compiled for one."""
    if name == "TARGETS":
        found = {target: _record(target) for target in target_names()}
    elif name == "DEVICES":
        folders = (import_module(f"voltac.targets.{folder}.facts") for folder in _device_folders())
        found = {target.name: target for facts in folders for target in facts.TARGETS}
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def _device_folders() -> list[str]:
    """Each is one device, in one generation or several."""
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "targets")
    return sorted(name for name in os.listdir(folder) if os.path.exists(os.path.join(folder, name, "facts.py")))


def target_names() -> list[str]:
    """Every canonical target name, in the reference's order."""
    return [f"{isa}-{form}" for isa, (_, forms) in _ROWS.items() for form in forms]


def listed_devices() -> list[str]:
    """Names of the devices, for help and messages."""
    return list(__getattr__("DEVICES"))


def device_of_examples() -> str:
    """The device that examples name: the first whose threads enter a kernel together, of which there is the most to say."""
    return next(name for name, target in __getattr__("DEVICES").items() if target.has_threads)


def target_aliases() -> dict[str, str]:
    """Short name -> canonical name."""
    return dict(_ALIASES)


def find_target(name: str) -> TargetInfo:
    """The record for a canonical name or alias, in letters of any case; ``host`` is resolved by ``voltac.llvm.host``.

    Raises :class:`UnknownTarget`, naming the nearest and the families.
    """
    text = _ALIASES.get(name.lower(), name.lower())
    if text.startswith("sse4-"):
        text = "sse4.2-" + text.removeprefix("sse4-")
    if text.startswith("avx512") and "-i32x" in text:
        text = text.replace("-i32x", "-x")
    isa, _, form = text.partition("-")
    if isa in _ROWS and form in _ROWS[isa][1]:
        return _record(text)
    devices = __getattr__("DEVICES")
    found = devices.get(name) or devices.get(text)
    if found:
        return found
    listed = listed_devices()
    names = ["host", *_ALIASES, *target_names(), *listed]
    if isa in _ROWS:
        known = f"those for {isa} are: {', '.join(f'{isa}-{form}' for form in _ROWS[isa][1])}"
    else:
        known = f"families of targets are: {', '.join(_ROWS)}; others: host, {', '.join(listed)}"
    all_of_them = "'voltac --support-matrix' lists all"
    raise UnknownTarget(f"unknown target '{visible_name(name)}'{suggestion(name, names)}; {known}; {all_of_them}")
