"""NaplesPU as the stages before its own see it: the row of the target."""

from __future__ import annotations

from voltac.target_info import TargetInfo
from voltac.target_info.access_costs import CostRow
from voltac.target_info.device_facts import DeviceFacts, MachineSetting, ThreadFacts

THREADS = ThreadFacts(most=8, cores=8, core=0, thread=2, arguments=13, threads_of_a_core=20, barrier=42, barriers=511)
"""Control registers (NaplesPU 1.4), the last one free otherwise. A barrier's field for threads has room for more
(NaplesPU 1.8), and there is one barrier more, at which kernels end."""
SCRATCHPAD_BYTES = 0xF800
"""The rest is each thread's staging space."""

_LATENCIES = range(1, 100_001)
"""Cycles. Chosen: far beyond any memory, so that a mistake in the number is found."""
SETTINGS = (
    # The usual numbers are those of NaplesPU 6.3.
    MachineSetting("latency", 40, _LATENCIES, "cycles until memory answers", "CYCLES"),
    MachineSetting("write_latency", 2, _LATENCIES, "cycles until memory has accepted a line", "CYCLES"),
    # The hardware's go on.
    MachineSetting("blocking_stores", False, text="a store that misses stops its thread"),
    MachineSetting("fpu", "ideal", ("ideal", "rtl"), "arithmetic of float: IEEE's, or that of the hardware as it was built"),
)

_VECTORS = (
    ("i8", "int8"), ("u8", "uint8"), ("i16", "int16"), ("u16", "uint16"), ("i32", "int32"), ("u32", "uint32"), ("f32", "float"),
)  # fmt: skip

DEVICE = DeviceFacts(
    title="NaplesPU",
    data_layout="e-m:e-p:32:32-i64:64-n32-S512",
    functions=(
        ("__barrier", "npu.barrier"),
        ("__flush", "npu.flush"),
        ("__invalidate", "npu.invalidate"),
        ("__read_control", "npu.read_control"),
        ("__write_control", "npu.write_control"),
    ),
    words=(
        ("__scratchpad", "__attribute__((scratchpad))"),
        ("write_mask(bits)", "__write_mask(bits)"),
        ("__builtin_convertvector(vector, type)", "((type)(vector))"),
        ("__builtin_npu_write_mask_reg(bits)", "__write_mask(bits)"),
        ("__builtin_npu_write_mask_regv16i32(lanes)", "__write_mask(createmask(lanes))"),
        # A vector is a varying value.
        *((f"vec16{short}", f"varying {full}") for short, full in _VECTORS),
    ),
    # Counted in instructions of the expansions in legalize, times 0.25. Gathers and scatters are intrinsics to the passes and
    # written out by the target, which picks the place where the lanes' values wait.
    costs=CostRow(64, 64, 64, True, True, True, 0.75, 0.75, 0.8, 0.8, 1.0, 2.0, 2.0),
    shuffle="npu.shuffle",
    threads=THREADS,
    scratchpad_bytes=SCRATCHPAD_BYTES,
    settings=SETTINGS,
    libraries=("without_double", "naplespu"),
)

TARGETS = (TargetInfo(
    "naplespu", "naplespu", "NAPLESPU", 16, 1, 32, 512, "naplespu", "", triple="naplespu-unknown-unknown",
    pointer_bits=32, has_double=False, has_ieee_products=False, device=DEVICE,
    # By the target's own expansions, which know more ways than the passes.
    has_masked_load=True, has_masked_small=True,
),)  # fmt: skip
