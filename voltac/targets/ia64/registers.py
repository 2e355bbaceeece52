"""The names of the machine's registers (IA-64 2).

Kinds are ``r`` (general), ``f`` (floating), ``p`` (predicates), ``b`` (branches) and ``ar``; a number is an encoding.
"""

from __future__ import annotations

from voltac.codegen.machine_code import Register

COUNTS = {"r": 128, "f": 128, "p": 64, "b": 8}
"""Registers of each file."""
APPLICATION = {
    "ar.rsc": 16, "ar.bsp": 17, "ar.bspstore": 18, "ar.rnat": 19, "ar.ccv": 32, "ar.unat": 36, "ar.fpsr": 40,
    "ar.itc": 44, "ar.pfs": 64, "ar.lc": 65, "ar.ec": 66,
}  # fmt: skip
"""Name -> number of the application registers that programs use."""
_ALIASES = (("gp", "r1"), ("sp", "r12"), ("tp", "r13"), ("rp", "b0"))


def _named() -> dict[str, Register]:
    found = {
        f"{kind}{number}": Register(f"{kind}{number}", kind, number)
        for kind, count in COUNTS.items()
        for number in range(count)
    }
    found |= {name: Register(name, "ar", number) for name, number in APPLICATION.items()}
    return found | {alias: found[name] for alias, name in _ALIASES}


BY_NAME = _named()
"""Every name that the assembler reads, aliases too."""
