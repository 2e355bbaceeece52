"""What accesses cost on a target: the rows by which the passes choose between correct alternatives.

Unit: one 256-bit store, 0.27 ns on the AMD Zen 4 on which the rows were measured with
intrinsics in cache (gather of 8 lanes 3.7 ns, scalar loads and inserts 4.3 ns, scatter 3.3 ns,
scalar stores 2.2 ns, ``vmaskmovps`` store 3.3 ns, AVX-512 masked store no more than a plain one).
"""

from __future__ import annotations

from voltac.records import replace
from voltac.target_info import TargetInfo
from voltac.target_info.access_costs import CostRow
from voltac.target_info.processors import find_processor

_SSE = CostRow(16, 16, 16, False, False, False, 2.0, 1.2, 4.0, 4.0, 2.0, 2.0, 12.0)
_AVX = CostRow(32, 16, 16, False, False, False, 2.0, 1.2, 3.0, 3.0, 2.0, 2.0, 12.0)
_AVX2 = CostRow(32, 16, 16, False, True, False, 1.5, 1.2, 1.7, 3.0, 2.0, 2.0, 12.0)
# Measured on Zen 4, in cycles: loads of 64 bytes, under a mask or not, 1.0, across lines of the cache 1.5; of arrays that may
# begin anywhere about half of that is saved. Permutations of one and of two registers of 64 bytes 1.0.
_AVX512 = CostRow(64, 64, 16, True, True, True, 1.7, 1.2, 1.7, 1.5, 1.0, 3.0, 2.0, 1.3)
# With permutations of bytes (VBMI).
_AVX512_BYTES = CostRow(64, 64, 64, True, True, True, 1.7, 1.2, 1.7, 1.5, 1.0, 3.0, 2.0, 1.3)
# Not measured: any bytes of up to four registers into one by one instruction, a mask never narrower than its lanes.
_NEON = CostRow(16, 16, 16, False, False, False, 2.0, 1.2, 3.0, 3.0, 1.0, 1.5, 12.0)
# Not measured: Arm's guides give a gather of Neoverse V1 about one load a lane, scatters more; tables span one register.
_SVE = CostRow(16, 16, 16, False, False, False, 2.0, 1.2, 3.0, 3.0, 1.0, 1.5, 1.0)
_SVE256 = CostRow(32, 32, 32, True, True, True, 1.7, 1.2, 1.7, 1.5, 2.0, 2.0, 1.0)
_SVE512 = CostRow(64, 64, 64, True, True, True, 1.7, 1.2, 1.7, 1.5, 2.0, 2.0, 1.0)
# Not measured: indexed accesses take about a step a lane, whatever the length.
_RVV = CostRow(16, 16, 16, True, True, True, 1.7, 1.2, 1.7, 1.5, 2.0, 2.0, 1.0)

_ROWS = {
    "rvv": _RVV, "wasm": _SSE, "neon": _NEON, "sve": _SVE, "sve256": _SVE256, "sve512": _SVE512,
    "sse2": _SSE, "sse4": _SSE, "avx": _AVX, "avx2": _AVX2, "avx2vnni": _AVX2,
}  # fmt: skip


def cost_row(target: TargetInfo) -> CostRow:
    """The row of a target, as its processor differs from it, without the instructions that its options forbid."""
    if target.device is not None:
        return target.device.costs
    if target.has_avx512:
        row = _AVX512 if target.isa == "avx512skx" else _AVX512_BYTES
    else:
        row = _ROWS[target.isa]
    processor = find_processor(target.processor)
    if processor is not None:
        row = replace(row, native_gather=processor.gathers, native_loaded_gather=processor.gathers_loaded)
    if not target.has_gather:
        row = replace(row, native_gather=False, native_masked_gather=False, native_loaded_gather=False)
    if row.native_scatter and not target.has_scatter:
        row = replace(row, native_scatter=False)
    return row


def has_masked(target: TargetInfo, size: int) -> bool:
    """Whether vectors of elements of ``size`` bytes can be loaded and stored under a mask by one instruction."""
    return target.has_masked_small or (target.has_masked_load and size >= 4)


def has_halves(target: TargetInfo) -> bool:
    """Whether registers are of 256 bits, and shuffled half by half."""
    return target.is_x86 and target.vector_bits == 256


def shuffle_elements(target: TargetInfo, size: int) -> int:
    """Elements of ``size`` bytes in the widest vector to load and permute."""
    row = cost_row(target)
    widest = {1: row.byte_shuffle_bytes, 2: row.short_shuffle_bytes}.get(size, row.shuffle_bytes)
    return max(1, min(widest, target.vector_bits // 8) // size)
