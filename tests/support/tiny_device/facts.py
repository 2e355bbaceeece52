"""The machine as the stages before its own see it."""

from __future__ import annotations

from voltac.target_info import TargetInfo
from voltac.target_info.access_costs import CostRow
from voltac.target_info.device_facts import DeviceFacts

DEVICE = DeviceFacts(
    title="Tiny",
    data_layout="e-m:e-p:32:32-n32",
    functions=(),
    words=(),
    costs=CostRow(4, 4, 4, False, False, False, 2.0, 2.0, 4.0, 4.0, 2.0, 2.0, 4.0),
)
TARGETS = (TargetInfo(
    "tiny", "tiny", "TINY", 4, 32, 32, 128, "tiny", "", triple="tiny-unknown-unknown",
    pointer_bits=32, has_double=False, device=DEVICE,
),)  # fmt: skip
