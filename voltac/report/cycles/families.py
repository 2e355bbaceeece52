"""Kinds of instructions → ports and latency, by family of processors.

Figures of Intel's are those of Fog (*Instruction tables*, 2022) and of Abel and Reineke (*uops.info*, ASPLOS 2019), of AMD's
those of its *Software optimization guide for family 19h* and of Fog. Where members differ the newer one's are taken.
"""

from __future__ import annotations

from voltac.options import Options
from voltac.records import record
from voltac.target_info.processors import processor_of


@record
class PortUse:
    """What one kind of instruction takes, each entry of ``ports`` for one operation: the ports that can do it."""

    ports: tuple[str, ...]
    latency: int
    occupies: int = 1
    """Cycles for which each operation keeps its port."""


@record
class Family:
    """A family."""

    name: str
    """As users know it."""
    width: int
    """Operations that enter a core in a cycle."""
    kinds: dict[str, PortUse]
    wide: dict[str, PortUse]
    """What differs for vectors of 512 bits."""
    load: tuple[str, int]
    """Ports, and cycles until what is loaded can be used."""
    store: tuple[str, ...]
    store_bytes: int
    """That one operation stores."""
    forwarding: int
    """Cycles from a store to a load of the same place."""


_INTEL = {
    "fma": PortUse(("01",), 4), "multiply": PortUse(("01",), 4), "add": PortUse(("01",), 4), "compare": PortUse(("01",), 4),
    "round": PortUse(("01", "01"), 8), "reciprocal": PortUse(("0",), 4), "convert": PortUse(("01",), 4),
    "divide32": PortUse(("0",), 11, 5), "divide64": PortUse(("0",), 14, 8),
    "multiply32": PortUse(("01", "01"), 10), "multiply16": PortUse(("01",), 5),
    "logic": PortUse(("015",), 1), "vector_add": PortUse(("015",), 1), "vector_compare": PortUse(("01",), 1),
    "vector_shift": PortUse(("01",), 1), "blend": PortUse(("015", "015"), 2),
    "shuffle": PortUse(("5",), 1), "cross": PortUse(("5",), 3), "horizontal": PortUse(("5", "5", "015"), 3),
    "to_scalar": PortUse(("0",), 3), "from_scalar": PortUse(("5",), 3),
    "to_scalar2": PortUse(("0", "5"), 3), "from_scalar2": PortUse(("5", "5"), 4),
    "compare_mask": PortUse(("5",), 3), "mask": PortUse(("0",), 1), "mask_move": PortUse(("5",), 4),
    "from_mask": PortUse(("05",), 3),
    "gather": PortUse(("0", "015", "5", *("23",) * 8), 20), "scatter": PortUse(("0", "5", *("237",) * 8, *("4",) * 8), 20),
    "integer": PortUse(("0156",), 1), "address": PortUse(("15",), 1), "integer_shift": PortUse(("06",), 1),
    "integer_multiply": PortUse(("1",), 3), "bit_scan": PortUse(("1",), 3), "integer_divide": PortUse(("0",), 26, 6),
    "branch": PortUse(("06",), 1), "jump": PortUse(("6",), 1), "call": PortUse(("6", "237", "4"), 3), "move": PortUse((), 0),
    "free": PortUse((), 0),
}  # fmt: skip
_INTEL_WIDE = {
    **{kind: PortUse(("05",), 4) for kind in ("fma", "multiply", "add", "compare", "convert")},
    "round": PortUse(("05", "05"), 8), "multiply32": PortUse(("05", "05"), 10), "multiply16": PortUse(("05",), 5),
    "logic": PortUse(("05",), 1), "vector_add": PortUse(("05",), 1), "vector_compare": PortUse(("0",), 1),
    "vector_shift": PortUse(("0",), 1),
    "blend": PortUse(("05",), 1), "divide32": PortUse(("0",), 18, 10), "divide64": PortUse(("0",), 24, 16),
    "gather": PortUse(("0", "05", "5", *("23",) * 16), 26), "scatter": PortUse(("0", "5", *("237",) * 16, *("4",) * 16), 26),
}  # fmt: skip
_AMD = {
    "fma": PortUse(("ab",), 4), "multiply": PortUse(("ab",), 3), "add": PortUse(("cd",), 3), "compare": PortUse(("ab",), 1),
    "round": PortUse(("cd",), 3), "reciprocal": PortUse(("ab",), 3), "convert": PortUse(("cd",), 3),
    "divide32": PortUse(("b",), 11, 4), "divide64": PortUse(("b",), 13, 5),
    "multiply32": PortUse(("ad",), 3), "multiply16": PortUse(("ad",), 3),
    "logic": PortUse(("abcd",), 1), "vector_add": PortUse(("abcd",), 1), "vector_compare": PortUse(("abcd",), 1),
    "vector_shift": PortUse(("bc",), 1), "blend": PortUse(("abcd",), 1),
    "shuffle": PortUse(("bc",), 1), "cross": PortUse(("bc", "bc"), 4), "horizontal": PortUse(("bc", "bc", "abcd"), 3),
    "to_scalar": PortUse(("c",), 3), "from_scalar": PortUse(("bc",), 3),
    "to_scalar2": PortUse(("bc", "c"), 4), "from_scalar2": PortUse(("bc", "bc"), 4),
    "compare_mask": PortUse(("abcd",), 3), "mask": PortUse(("ab",), 1), "mask_move": PortUse(("b",), 2),
    "from_mask": PortUse(("bc",), 2),
    "gather": PortUse((*("bc",) * 16, *("xyz",) * 8), 20), "scatter": PortUse((*("bc",) * 16, *("st",) * 8), 20),
    "integer": PortUse(("0123",), 1), "address": PortUse(("0123",), 1), "integer_shift": PortUse(("12",), 1),
    "integer_multiply": PortUse(("1",), 3), "bit_scan": PortUse(("12",), 1), "integer_divide": PortUse(("2",), 12, 6),
    "branch": PortUse(("03",), 1), "jump": PortUse(("3",), 1), "call": PortUse(("3", "st"), 3),
    "move": PortUse((), 0), "free": PortUse((), 0),
}  # fmt: skip
_AMD_WIDE = {
    **{kind: PortUse((ports, ports), latency) for kind, ports, latency in (
        ("fma", "ab", 4), ("multiply", "ab", 3), ("add", "cd", 3), ("compare", "ab", 2), ("convert", "cd", 4),
        ("logic", "abcd", 1), ("vector_add", "abcd", 1), ("vector_compare", "abcd", 1), ("vector_shift", "bc", 1),
        ("shuffle", "bc", 1), ("blend", "abcd", 1), ("multiply32", "ad", 3), ("multiply16", "ad", 3),
    )},
    "divide32": PortUse(("b",), 11, 8), "divide64": PortUse(("b",), 13, 10),
}  # fmt: skip
SKYLAKE = Family("Skylake", 4, _INTEL, _INTEL_WIDE, ("23", 6), ("237", "4"), 64, 5)
ICE_LAKE = Family(
    "Ice Lake and later", 5,
    _INTEL | {"shuffle": PortUse(("15",), 1), "bit_scan": PortUse(("1",), 3)}, _INTEL_WIDE | {"shuffle": PortUse(("5",), 1)},
    ("23", 6), ("78", "49"), 32, 5,
)  # fmt: skip
ZEN = Family("Zen 3 and later", 6, _AMD, _AMD_WIDE, ("xyz", 7), ("st",), 16, 7)

_BY_ROW = {"zen": ZEN, "zen3": ZEN, "zen4": ZEN, "alderlake": ICE_LAKE}


def family_for(row: str, has_avx512: bool) -> Family:
    """The family whose figures are used: by the row of ``target_info/processors.py``, or by instruction set without one."""
    return _BY_ROW.get(row) or (ICE_LAKE if has_avx512 else SKYLAKE)


def family_of(options: Options) -> Family | None:
    """The family that code is made for; None where there are no figures, or code that nobody asked to be fast."""
    target = options.target
    if not target.is_x86 or not options.level:
        return None
    return family_for(processor_of(options.cpu) if options.cpu else target.processor, target.has_avx512)
