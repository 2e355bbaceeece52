"""Divisions of bytes by constants -> divisions of 16-bit numbers, for which x86 has multiplications.

When LLVM has finished simplifying::

    %b = trunc nsw <16 x i16> %x to <16 x i8>
    %r = srem <16 x i8> %b, splat (i8 10)

becomes

    %divided = srem <16 x i16> %x, splat (i16 10)
    %r = trunc nsw <16 x i16> %divided to <16 x i8>

LLVM divides in the fewest bits that hold the numbers. Reciprocals are multiplied with twice as many bits: of bytes by three
shuffles around the product, of 16-bit numbers by one instruction.
"""

from __future__ import annotations

from voltac.system.lazy_patterns import lazy_pattern

_CUT = lazy_pattern(r"  (?P<name>%\S+) = trunc (?P<flags>(?:nuw |nsw )+)<\d+ x i16> (?P<value>%[^\s,]+) to <\d+ x i8>")
_DIVISION = lazy_pattern(
    r"  (?P<name>%\S+) = (?P<op>[us](?:div|rem)) (?:exact )?<(?P<lanes>\d+) x i8> (?P<value>%[^\s,]+), "
    r"splat \(i8 (?P<by>-?\d+)\)(?P<debug>, !dbg !\d+)?$"
)
_TAKEN = lazy_pattern(r"%divided\.(\d+) =")
_DIVIDES = lazy_pattern(r" = [us](?:div|rem) (?:exact )?<\d+ x i8> ")


def divide_in_words(text: str) -> str:
    """The module's text, unchanged if no byte is divided."""
    if not _DIVIDES.search(text):
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)
    cuts: dict[tuple[str, str], str] = {}
    """Byte, and whether it is what was cut as a signed or as an unsigned number -> the 16-bit number."""
    result: list[str] = []
    for line in text.split("\n"):
        if line.startswith("define "):
            cuts = {}
        elif " = trunc n" in line and (found := _CUT.match(line)):
            cuts.update({(found["name"], flag[1]): found["value"] for flag in found["flags"].split()})
        elif " x i8> " in line and (found := _DIVISION.match(line)):
            sign, lanes, debug = found["op"][0], found["lanes"], found["debug"] or ""
            wide = cuts.get((found["value"], sign))
            if wide is None:
                number += 1
                wide, extension = f"%divided.{number}", "sext" if sign == "s" else "zext"
                result.append(f"  {wide} = {extension} <{lanes} x i8> {found['value']} to <{lanes} x i16>{debug}")
            number += 1
            by = int(found["by"]) if sign == "s" else int(found["by"]) % 256
            result.append(f"  %divided.{number} = {found['op']} <{lanes} x i16> {wide}, splat (i16 {by}){debug}")
            line = f"  {found['name']} = trunc <{lanes} x i16> %divided.{number} to <{lanes} x i8>{debug}"
        result.append(line)
    return "\n".join(result)
