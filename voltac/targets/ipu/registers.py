"""The names of a worker's registers (IPU 1.2, 1.3).

A register's number is its encoding: that of a pair is half of its first
register's, that of a quad a quarter. Kinds are ``m``, ``m2`` (pair), ``a``, ``a2``,
``a4`` (quad), and ``csr`` and ``ucsr`` for the two files of control registers.
"""

from __future__ import annotations

from voltac.codegen.machine_code import Register

REGISTERS = 16
"""Names in each of both files; twelve and eight of them hold values (IPU 1.2)."""

LOWER_CSRS = {
    "PC": 0, "WSR": 1, "VERTEX_BASE": 2, "WORKER_BASE": 3, "REPEAT_COUNT": 4, "REPEAT_FIRST": 5, "REPEAT_END": 6,
    "FP_ICTL": 0x20, **{f"WORKER{number}_BASE": 0x21 + number for number in range(6)}, "CCCSLOAD": 0x50,
    "COUNT_L": 0x60, "COUNT_U": 0x61, "DBG_DATA": 0x70, "DBG_BRK_ID": 0x71, "CTXT_STS": 0x72,
}  # fmt: skip
"""Name -> number for ``get`` and ``put``."""
UPPER_CSRS = {
    "FP_STS": 0, "FP_CLR": 1, "FP_CTL": 2, "PRNG_0_0": 3, "PRNG_0_1": 4, "PRNG_1_0": 5, "PRNG_1_1": 6, "PRNG_SEED": 7, "TAS": 8,
}  # fmt: skip
"""Name -> number for ``uget`` and ``uput``."""

WORKER_MASK = 7
"""The bits of ``$WSR`` that are the worker's number."""

_ALIASES = (
    ("$bp", "$m8"), ("$fp", "$m9"), ("$lr", "$m10"), ("$sp", "$m11"), ("$m12", "$mworker_base"), ("$m13", "$mvertex_base"),
    ("$m15", "$mzero"), ("$a15", "$azero"), ("$a14:15", "$azeros"),
)  # fmt: skip
"""Another name, and that which is printed."""


def _named() -> dict[str, Register]:
    printed = dict(_ALIASES)
    found: list[Register] = []
    for file, widths in (("m", (2,)), ("a", (2, 4))):
        single = [
            Register(printed.get(name, name), file, number) for number in range(REGISTERS) for name in (f"${file}{number}",)
        ]
        found += single
        for width in widths:
            for first in range(0, REGISTERS, width):
                name = f"${file}{first}:{first + width - 1}"
                lanes = tuple(single[first : first + width])
                found.append(Register(printed.get(name, name), f"{file}{width}", first // width, lanes))
    found += [Register(f"${name}", "csr", number) for name, number in LOWER_CSRS.items()]
    found += [Register(f"${name}", "ucsr", number) for name, number in UPPER_CSRS.items()]
    by_name = {register.name: register for register in found}
    return by_name | {alias: by_name[name] for alias, name in _ALIASES}


BY_NAME = _named()
"""Every name that the assembler reads, aliases too."""

WIDTHS = {"m": 1, "m2": 2, "a": 1, "a2": 2, "a4": 4}
"""Registers of each kind of operand."""
_KEEPING = {"m": range(12), "a": range(8)}
"""Those of each file that a write changes (IPU 1.2)."""


def written_registers(kind: str, number: int) -> list[str]:
    """The registers that an operand of a kind names and that can be written; ``$azeros`` and ``$m14`` are none."""
    if kind not in WIDTHS:
        return []
    width = WIDTHS[kind]
    first = number * width
    return [f"${kind[0]}{register}" for register in range(first, first + width) if register in _KEEPING[kind[0]]]
