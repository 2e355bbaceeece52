"""What memory accesses cost on one kind of processor; the passes choose between correct alternatives by it.

The rows of the processors that LLVM makes code for are in ``passes/accesses/cost_rows.py``, a device's is among its facts.
"""

from __future__ import annotations

from voltac.records import record


@record
class CostRow:
    """One kind of processor. Costs are in the unit of ``passes/accesses/cost_rows.py``, widths in bytes."""

    shuffle_bytes: int
    """Widest register in which 32 and 64 bit elements are permuted freely."""
    short_shuffle_bytes: int
    """The same for 16 bit elements."""
    byte_shuffle_bytes: int
    """The same for 8 bit elements."""
    native_gather: bool
    """Whether a gather instruction is better for 32 and 64 bit elements than scalar loads and inserts, all lanes on."""
    native_masked_gather: bool
    """The same where lanes may be off."""
    native_scatter: bool
    gather_lane: float
    """A lane of a gather, or of scalar loads and inserts, with every lane on; likewise for scatters."""
    scatter_lane: float
    masked_gather_lane: float
    masked_scatter_lane: float
    two_source_shuffle: float
    """Any elements of two vectors into one."""
    mask_shuffle: float
    """Any lanes of a mask into another."""
    masked_store: float
    crossing_load: float = 1.0
    """A load as wide as a register that crosses two lines of the cache."""
    native_loaded_gather: bool = False
    """Whether a gather instruction is better even where indices come from memory, from where scalar loads take them as they
    are, all lanes on."""
