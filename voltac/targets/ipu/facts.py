"""The tile as the stages before its own see it: a row for each generation."""

from __future__ import annotations

from voltac.records import replace
from voltac.target_info import TargetInfo
from voltac.target_info.access_costs import CostRow
from voltac.target_info.device_facts import DeviceFacts, ThreadFacts

WORKERS = 6
"""Contexts that run a kernel (IPU 1.1)."""
GANG = 4
"""Lanes: a pair of registers of halves, two of floats (IPU 6)."""

WORKER_REGISTER = 1
"""``$WSR``, of which the lowest bits are the worker's number (IPU 1.3)."""

ENTRY = "__runCodelet_"
"""What the name of a vertex begins with (IPU 4.1)."""
STACK_SIZE = "__stack_size"
"""The symbol of a program that is the number of bytes of each worker's stack."""
ROOM_BYTES = 32
"""In front of the vertex state, a word for each worker: the barriers it has come to, of which there are none at first."""

_THREADS = ThreadFacts(
    most=WORKERS, cores=1, core=0, thread=WORKER_REGISTER, arguments=0, threads_of_a_core=0, barrier=0, barriers=0,
    least=WORKERS, has_chunks=True,
)  # fmt: skip

DEVICE = DeviceFacts(
    title="The IPU",
    data_layout="e-m:e-p:32:32-i64:64-n32-S64",
    functions=(("__barrier", "ipu.barrier"), ("__read_control", "ipu.read_control")),
    words=(),
    # Every lane is loaded and stored by an instruction of its own.
    costs=CostRow(4, 4, 4, False, False, False, 1.0, 1.0, 1.5, 1.5, 1.0, 1.0, 2.0),
    threads=_THREADS,
    store_bytes=4,
    keeps_loops=True,
    libraries=("without_double",),
)

_MK1 = TargetInfo(
    "ipu-mk1", "ipu", "IPU", GANG, 32, 32, 32 * GANG, "ipu-mk1", "", triple="ipu-unknown-unknown",
    pointer_bits=32, has_double=False, has_ieee_products=False, device=DEVICE,
)  # fmt: skip
TARGETS = (_MK1, replace(_MK1, name="ipu-mk2", cpu="ipu-mk2"))
