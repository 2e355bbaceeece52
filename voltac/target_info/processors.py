"""What differs between processors of one instruction set in the choice of correct alternatives: rows by family.

Times are of eight elements of 32 bits in the first-level cache, in cycles: by a gather instruction; by scalar loads and
inserts, the indices in a vector; and the same with the indices loaded as scalars too. Those of scalars are llvm-mca's, where
nothing else is said. A masked store of 32 bytes takes a cycle by LLVM's models of Intel's processors (3 to 4 operations), 12 by
those of Zen 3 and 4 (42 operations), where it was measured too (``passes/accesses/cost_rows.py``); on a Xeon with AMX a sort
takes 0.88 of its time with the branch.
"""

from __future__ import annotations

from voltac.records import record


@record
class Processor:
    """A family whose choices are alike."""

    name: str
    cpus: tuple[str, ...]
    """LLVM's names."""
    gathers: bool
    """Gathers of 32 and 64 bit elements are clearly faster than scalar loads and inserts of indices in a vector."""
    gathers_loaded: bool
    """They are so even where indices come from memory, and need not leave a vector."""
    masked_stores: bool
    """Stores of 32 and 64 bit elements under a mask of whole lanes (``vmaskmov``) cost no more than the branch past them."""


WITHOUT_WAITS = "skylake without waits"
"""The row of those whose gathers microcode does not make wait."""

PROCESSORS = (
    # 12 (measured by Umezawa, 2014: umezawa.dyndns.info/wordpress/?p=4280); 14, 8.
    Processor("haswell", ("haswell", "core-avx2"), False, False, True),
    # Gathers take 1/1.5 to 1/2.1 of scalar loads' time (measured, stackoverflow.com/questions/75845054).
    Processor("broadwell", ("broadwell",), True, False, True),
    # 5 without microcode of August 2023 and later (uops.info); with it gathers wait, and take longer than scalar loads
    # (Intel's advisory 00828; deal.II's changes of 2023).
    Processor(
        "skylake",
        ("skylake", "skylake-avx512", "icelake-client", "icelake-server", "tigerlake"),
        False, False, True,
    ),
    Processor(WITHOUT_WAITS, (), True, True, True),
    # 4.3; 11.2, 7.2, measured on a Xeon with AMX.
    Processor(
        "alderlake",
        ("alderlake", "meteorlake", "arrowlake", "lunarlake", "novalake", "sapphirerapids", "graniterapids", "diamondrapids"),
        True, True, True,
    ),
    # Microcoded: 100 (LLVM's models of Zen 1 and 2).
    Processor("zen", ("znver1", "znver2"), False, False, False),
    # 8, of 39 operations (uops.info); 12, 5.3.
    Processor("zen3", ("znver3",), False, False, False),
    # 13.7; 15.9, measured on Zen 4 (``passes/accesses/cost_rows.py``). Of 64-bit numbers, LLVM's pull request 199488 by AMD
    # measures 1.7 to 3.5 times the time of scalar loads.
    Processor("zen4", ("znver4", "znver5"), True, False, False),
)  # fmt: skip

_BY_NAME = {row.name: row for row in PROCESSORS}
_BY_CPU = {cpu: row for row in PROCESSORS for cpu in row.cpus}


def processor_of(cpu: str) -> str:
    """The name of the row of LLVM's name of a CPU; empty where there is none."""
    row = _BY_CPU.get(cpu)
    return row.name if row is not None else ""


def find_processor(name: str) -> Processor | None:
    """The row of that name; None for the empty name, of which nothing is known."""
    return _BY_NAME[name] if name else None
