"""Packed addresses in the functions of blocks: each is unpacked once, and known steps are numbers (IPU 3.4)."""

from __future__ import annotations

import re

from voltac.codegen.encoding import Decoded
from voltac.targets.ipu.simulator.integers import step_of

_ADDRESS = 0x1FFFFF
"""The bits of an address."""
_ADVANCED = re.compile(r"advanced\(P0, P1, stride, ([^)]*)\)")


def pace_meaning(half: Decoded, names: dict[str, str]) -> tuple[str, list[str]]:
    """The meaning of a row with ``p_``, ``q_``, ``r_`` for its three addresses, and the lines that make these."""
    low, high = (names.get(word, "0") for word in ("P0", "P1"))
    lines = [
        f"p_ = {low} & {_ADDRESS}",
        f"q_ = {high} & {_ADDRESS}",
        f"r_ = {low} >> 21 | ({high} >> 21 & 1023) << 11",
    ]
    meaning = half.row.meaning
    found = _ADVANCED.search(meaning)
    assert found is not None
    selectors = [_selector(text.strip(), names["imm"]) for text in found[1].split(",")]
    p, q, r = (_stepped(name, number, names["stride"]) for name, number in zip(("p_", "q_", "r_"), [*selectors, -1, -1]))
    if r != "r_":
        lines.append(f"s_ = {r}")
        r = "s_"
    meaning = _ADVANCED.sub(f"({p} | ({r} & 2047) << 21, {q} | {r} >> 11 << 21)", meaning)
    for text, name in (("first(P0)", "p_"), ("second(P1)", "q_"), ("third(P0, P1)", "r_")):
        meaning = meaning.replace(text, name)
    return meaning, lines


def _selector(text: str, imm: str) -> int:
    """A selector of the row: ``-1``, ``imm``, ``imm >> 2``."""
    if text == "-1":
        return -1
    _, _, shift = text.partition(" >> ")
    return int(imm) >> int(shift or 0) & 3


def _stepped(name: str, selector: int, stride: str) -> str:
    if selector < 0:
        return name
    if selector == 0 or stride == "0":
        step = step_of(0, selector)
        return f"({name} + {step} & {_ADDRESS})" if step else name
    return f"({name} + step_of({stride}, {selector}) & {_ADDRESS})"
