"""What accesses cost on a target: the rows by which the passes choose between correct alternatives.

Unit: about the throughput of one simple vector instruction. Measured where said,
else from the published instruction tables of the CPUs a target name stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

from voltac.target_info import TargetInfo


@dataclass(frozen=True, slots=True)
class CostRow:
    shuffle_bytes: int
    """Widest register in which 32 and 64 bit elements are permuted freely."""
    small_shuffle_bytes: int
    """The same for 8 and 16 bit elements."""
    native_gather: bool
    """Whether a gather instruction is used for 32 and 64 bit elements; else scalar loads and inserts."""
    gather_lane: float
    """A lane of a gather."""
    scatter_lane: float
    native_scatter: bool
    two_source_shuffle: float
    """Any elements of two vectors into one."""
    constant_masked_store: float
    """A vector store under a constant mask; infinite where it does not exist."""


_NEVER = float("inf")
_SSE = CostRow(16, 16, False, 2.0, 2.0, False, 2.0, _NEVER)
_AVX = CostRow(32, 16, True, 2.0, 2.0, False, 2.0, _NEVER)
_AVX512 = CostRow(64, 64, True, 2.0, 2.0, True, 1.0, 2.0)

_ROWS = {"sse2": _SSE, "sse4": _SSE, "avx": _AVX, "avx2": _AVX, "avx2vnni": _AVX, "avx512": _AVX512}


def cost_row(target: TargetInfo) -> CostRow:
    return _ROWS["avx512" if target.isa.startswith("avx512") else target.isa]


def shuffle_elements(target: TargetInfo, size: int) -> int:
    """Elements of ``size`` bytes in the widest vector to load and permute."""
    row = cost_row(target)
    widest = row.small_shuffle_bytes if size < 4 else row.shuffle_bytes
    return max(1, min(widest, target.vector_bits // 8) // size)
