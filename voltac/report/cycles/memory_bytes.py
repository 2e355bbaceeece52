"""Bytes of memory that an x86 instruction with a memory operand loads or stores.

From the operand sizes of the instruction set reference (Intel, *Software Developer's Manual*, volume 2).
"""

from __future__ import annotations

import re

_ELEMENT = {"b": 1, "w": 2, "h": 2, "d": 4, "l": 4, "s": 4, "q": 8}
_FLOAT = {"h": 2, "s": 4, "d": 8}
_REPEATED = re.compile(r"\{1to(\d+)\}")
_PART_OF_REGISTER = re.compile(r"(?:insert|extract|broadcast)[fi](\d+)(?:x(\d+))?$")
_REPEATS = re.compile(r"broadcast(?:s([sd])|([bwdq]))$")
_LOW_OR_HIGH = re.compile(r"mov[lh]p[sd]$")
_ELEMENT_OF_VECTOR = re.compile(r"(?:p(?:ins|ext)r|mov)([bwdq])$|(?:insert|extract)p(s)$")
_SCALAR_TO_FLOAT = re.compile(r"cvtu?si2s[sdh]([lq]?)$")
_SCALAR_FLOAT = re.compile(r"(?:cvtt?s([sdh])2\w+|(?!p)\w*s([sdh]))$")
_WIDENS = re.compile(r"mov[sz]x?([bwdl])([wdlq])$")
_NARROWS = re.compile(r"pmov(?:us|s)?([wdq])([bwd])$")
_HALF_A_REGISTER = re.compile(r"cvt(?:ps2pd|u?dq2pd|t?ps2u?qq|ph2ps|ps2ph)x?$")


def bytes_moved(mnemonic: str, memory: str, bits: int) -> int:
    """Of an instruction whose widest vector register has so many bits, 0 where it has none; ``memory`` is the operand."""
    name = mnemonic.removeprefix("v")
    if not bits:
        widened = _WIDENS.search(name)
        return 1 if name.startswith("set") else _ELEMENT.get(widened[1] if widened else name[-1], 8)
    if found := _REPEATED.search(memory):
        return bits // 8 // int(found[1])
    if found := _PART_OF_REGISTER.match(name):
        return int(found[1]) * int(found[2] or 1) // 8
    if found := _REPEATS.search(name):
        return _FLOAT[found[1]] if found[1] else _ELEMENT[found[2]]
    if _LOW_OR_HIGH.match(name):
        return 8
    if found := _ELEMENT_OF_VECTOR.match(name):
        return _ELEMENT[found[1] or found[2]]
    if found := _SCALAR_TO_FLOAT.match(name):
        return _ELEMENT[found[1] or "l"]
    if found := _SCALAR_FLOAT.match(name):
        return _FLOAT[found[1] or found[2]]
    return _of_vector(name, bits)


def _of_vector(name: str, bits: int) -> int:
    """The register's, or a part where elements in memory are smaller."""
    register = bits // 8
    if found := _WIDENS.search(name):
        return register * _ELEMENT[found[1]] // _ELEMENT[found[2]]
    if found := _NARROWS.match(name):
        return register * _ELEMENT[found[2]] // _ELEMENT[found[1]]
    return register // 2 if _HALF_A_REGISTER.match(name) else register
