"""Conversions between 64-bit integers and double -> sums with large numbers, on processors without AVX-512.

When LLVM has finished simplifying::

    %d = sitofp <4 x i64> %x to <4 x double>
    %i = fptosi <4 x double> %d to <4 x i64>
    %u = fptoui <4 x double> %d to <4 x i64>

which these processors have for scalars only, and signed ones; of float as of double. x is put together from halves: the lower
as the last bits of 2^52, the upper as those of 2^84 + 2^63 (its sign bit turned), less what is too much there, which is exact;
the last sum rounds, once. The way back takes off the nearest multiple of 2^32; both parts, added to 1.5 * 2^52, are the last
bits of the sums. Of numbers that the integers do not hold the result is poison before, and something after.
Before AVX2 signed integers are as fast one by one.
"""

from __future__ import annotations

import re
import struct

from voltac.system.lazy_patterns import lazy_pattern

_CONVERSION = lazy_pattern(
    r"^  (?P<name>%\S+) = (?P<op>sitofp|fptosi|fptoui) <(?P<lanes>\d+) x (?P<source>i64|float|double)> "
    r"(?P<value>%[^\s,]+) to <\d+ x (?P<target>i64|double)>(?P<debug>, !dbg !\d+)?(?:, !.*)?$",
    re.MULTILINE,
)
_CONVERTS = lazy_pattern(r" = (?:sitofp|fptosi|fptoui) <\d+ x (?:i64|float|double)> %[^\s,]+ to <\d+ x (?:i64|double)>")
_TAKEN = lazy_pattern(r"%wide\.conversion\.(\d+) =")
_TRUNC = "llvm.trunc.v{lanes}f64"
_LEAST_LANES = 4
"""A register of AVX2: two lanes are faster as scalars."""


def _bits(value: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


_LOW = (1 << 32) - 1
_LOW_UNIT, _HIGH_UNIT = 2.0**52, 2.0**84 + 2.0**63
_SIGNED_UNIT = 1.5 * 2.0**52
"""Numbers whose last bits count ones, 2^32 and, from 2^51 below to 2^51 above, ones."""


_ALL = ("sitofp", "fptosi", "fptoui")


def convert_wide(text: str, operations: tuple[str, ...] = _ALL) -> str:
    """The module's text, unchanged without such conversions."""
    if not any(f" = {op} <" in text for op in operations) or not _CONVERTS.search(text):
        return text
    conversions = _Conversions(max(map(int, _TAKEN.findall(text)), default=0), operations)
    text = _CONVERSION.sub(conversions.replaced, text)
    for declaration in sorted(conversions.declarations):
        if declaration not in text:
            text += f"\n{declaration}\n"
    return text


class _Conversions:
    def __init__(self, number: int, operations: tuple[str, ...]) -> None:
        self.number, self.operations = number, operations
        self.declarations: set[str] = set()
        self.lines: list[str] = []
        self.lanes, self.debug = 0, ""
        """Of what is being replaced."""

    def replaced(self, made: re.Match[str]) -> str:
        """The lines in place of a conversion."""
        self.lanes, self.debug = int(made["lanes"]), made["debug"] or ""
        to_double = made["op"] == "sitofp"
        if made["op"] not in self.operations or self.lanes < _LEAST_LANES:
            return made[0]
        if to_double != (made["source"] == "i64") or to_double != (made["target"] == "double"):
            return made[0]
        self.lines = []
        value = made["value"]
        if made["source"] == "float":
            value = self._line(f"fpext <{self.lanes} x float> {value} to <{self.lanes} x double>")
        value = self._to_double(value) if to_double else self._to_integer(value)
        self.lines[-1] = self.lines[-1].replace(f"  {value} =", f"  {made['name']} =")
        return "\n".join(self.lines)

    def _line(self, operation: str) -> str:
        self.number += 1
        name = f"%wide.conversion.{self.number}"
        self.lines.append(f"  {name} = {operation}{self.debug}")
        return name

    def _integer(self, op: str, first: str, second: str | int) -> str:
        by = second if isinstance(second, str) else f"splat (i64 {second})"
        return self._line(f"{op} <{self.lanes} x i64> {first}, {by}")

    def _double(self, op: str, first: str, second: str | float) -> str:
        by = second if isinstance(second, str) else f"splat (double 0x{_bits(second):016X})"
        return self._line(f"{op} <{self.lanes} x double> {first}, {by}")

    def _cast(self, value: str, source: str, target: str) -> str:
        return self._line(f"bitcast <{self.lanes} x {source}> {value} to <{self.lanes} x {target}>")

    def _to_double(self, x: str) -> str:
        low = self._integer("or", self._integer("and", x, _LOW), _bits(_LOW_UNIT))
        high = self._integer("xor", self._integer("lshr", x, 32), _bits(_HIGH_UNIT))
        multiples = self._double("fsub", self._cast(high, "i64", "double"), _HIGH_UNIT + _LOW_UNIT)
        return self._double("fadd", multiples, self._cast(low, "i64", "double"))

    def _to_integer(self, x: str) -> str:
        kind, name = f"<{self.lanes} x double>", _TRUNC.format(lanes=self.lanes)
        self.declarations.add(f"declare {kind} @{name}({kind})")
        whole = self._line(f"call {kind} @{name}({kind} {x})")
        high = self._double("fadd", self._double("fmul", whole, 2.0**-32), _SIGNED_UNIT)
        multiples = self._double("fmul", self._double("fsub", high, _SIGNED_UNIT), 2.0**32)
        low = self._double("fadd", self._double("fsub", whole, multiples), _SIGNED_UNIT)
        upper = self._integer("shl", self._cast(high, "double", "i64"), 32)
        both = self._integer("add", upper, self._cast(low, "double", "i64"))
        return self._integer("sub", both, _bits(_SIGNED_UNIT))
