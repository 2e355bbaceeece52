"""The machine as the stages before its own see it."""

from __future__ import annotations

from voltac.records import replace
from voltac.target_info import TargetInfo
from voltac.target_info.access_costs import CostRow
from voltac.target_info.device_facts import DeviceFacts

DEVICE = DeviceFacts(
    title="IA-64",
    data_layout="e-m:e-i64:64-i128:128-n32:64-S128",
    functions=(),
    words=(),
    # A gang has one lane: an access is one load or store whatever it is called.
    costs=CostRow(1, 1, 1, False, False, False, 1.0, 1.0, 1.5, 1.5, 1.0, 1.0, 2.0),
    keeps_loops=True,
    # A loop with a branch is no pipeline: an iteration takes about 20 cycles, of loads, comparisons and sums one behind the
    # other; of instructions under predicates 2 (of floats) to 6 go with each cycle of a pipeline (IA-64 10). Accesses count
    # as 8 and 12, and are one instruction.
    branch_limit=64,
    libraries=("fused",),
)

_X1 = TargetInfo(
    "ia64-x1", "ia64", "IA64", 1, 32, 32, 32, "itanium2", "", triple="ia64-unknown-linux-gnu",
    has_fma=True, device=DEVICE,
)  # fmt: skip

_PACKED = replace(_X1, vector_bits=64)
TARGETS = (
    _X1,
    replace(_PACKED, name="ia64-f32x2", width=2),
    replace(_PACKED, name="ia64-i8x8", width=8, mask_bits=8, element_bits=8),
    replace(_PACKED, name="ia64-i16x4", width=4, mask_bits=16, element_bits=16),
)
"""The scalar target, and those whose gangs fill a register."""

FAILURE = 0x1FA11
"""What ``break`` has where a program finds something wrong; three parameters say what. Chosen, of a program's own numbers."""
