"""What an aarch64 CPU runs, as Linux tells each process (``getauxval``, ``prctl``), by the names of ``/proc/cpuinfo``.

An emulator of programs answers these for the CPU it stands for, while its ``/proc/cpuinfo`` may be that of the machine below.
"""

from __future__ import annotations

import ctypes

_HARDWARE, _HARDWARE_2 = 16, 26
"""``AT_HWCAP`` and ``AT_HWCAP2``: a bit for each instruction set."""
_SVE_LENGTH, _LENGTH_BITS = 51, 0xFFFF
"""``PR_SVE_GET_VL``, whose answer has the bytes of a vector in these bits."""

# The names of the bits from 0 on (Linux, arch/arm64/include/uapi/asm/hwcap.h).
_NAMES = (
    "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma lrcpc dcpop sha3 sm3 sm4"
    " asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs sb paca pacg"
)
_NAMES_2 = (
    "dcpodp sve2 sveaes svepmull svebitperm svesha3 svesm4 flagm2 frint svei8mm svef32mm svef64mm svebf16 i8mm bf16 dgh rng bti"
)

VECTOR_LENGTHS = (256, 512)
"""Bits that vectors of SVE must have for the targets of these names; ``sve256`` stands beside the instruction sets."""


def arm_features() -> frozenset[str]:
    """The instruction sets of this process's CPU, and ``sve256``, ``sve512`` where vectors of SVE have so many bits."""
    process = ctypes.CDLL(None)
    process.getauxval.restype = ctypes.c_ulong
    found = set(_named(_NAMES, process.getauxval(_HARDWARE))) | set(_named(_NAMES_2, process.getauxval(_HARDWARE_2)))
    if "sve" in found:
        bits = 8 * (process.prctl(_SVE_LENGTH, 0, 0, 0, 0) & _LENGTH_BITS)
        found.update(f"sve{length}" for length in VECTOR_LENGTHS if bits >= length)
    return frozenset(found)


def _named(names: str, bits: int) -> list[str]:
    return [name for position, name in enumerate(names.split()) if bits >> position & 1]
