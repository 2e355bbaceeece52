"""Vectors of float16 on CPUs without the conversions -> vectors of float and integer operations, as LLVM text.

    %r = fadd <8 x half> %a, %b
    ->
    %r.half.left = call <8 x float> @volta.extend.8(<8 x half> %a)
    %r.half.right = call <8 x float> @volta.extend.8(<8 x half> %b)
    %r.half.wide = fadd <8 x float> %r.half.left, %r.half.right
    %r = call <8 x half> @volta.narrow.8(<8 x float> %r.half.wide)

LLVM would call a function for each lane. A float has more than twice the digits of a
float16 and two more, so sums, products and quotients rounded to it first are rounded
to float16 as if at once; larger integers than a float holds are infinite as float16.
"""

from __future__ import annotations

import re

from voltac.passes.arithmetic.half_functions import widen_half_functions
from voltac.system.lazy_patterns import lazy_pattern

_OPERATION = lazy_pattern(
    r"^  (?P<result>%\S+) = (?P<op>fadd|fsub|fmul|fdiv|fcmp)(?P<flags>(?: [a-z]+)*) <(?P<lanes>\d+) x half> "
    r"(?P<operands>[^!\n]*?)(?P<rest>, ![^\n]*)?$",
    re.MULTILINE,
)
_WIDENING = lazy_pattern(
    r"^  (?P<result>%\S+) = (?P<op>fpext|fptosi|fptoui) <(?P<lanes>\d+) x half> (?P<value>.*?) to (?P<type><\d+ x \w+>)"
    r"(?P<rest>, ![^\n]*)?$",
    re.MULTILINE,
)
_NARROWING = lazy_pattern(
    r"^  (?P<result>%\S+) = (?P<op>fptrunc|sitofp|uitofp)(?P<flags>(?: [a-z]+)*) "
    r"(?P<type><\d+ x (?:float|i\d+)>) (?P<value>.*?) to <(?P<lanes>\d+) x half>(?P<rest>, ![^\n]*)?$",
    re.MULTILINE,
)

_HELPERS = """
define internal <{n} x float> @volta.extend.{n}(<{n} x half> %value) alwaysinline nounwind {{
  %bits = bitcast <{n} x half> %value to <{n} x i16>
  %wide = zext <{n} x i16> %bits to <{n} x i32>
  %magnitude = and <{n} x i32> %wide, splat (i32 32767)
  %shifted = shl <{n} x i32> %magnitude, splat (i32 13)
  %rebased = add <{n} x i32> %shifted, splat (i32 939524096)
  %endless = icmp ugt <{n} x i32> %magnitude, splat (i32 31743)
  %more = select <{n} x i1> %endless, <{n} x i32> splat (i32 939524096), <{n} x i32> zeroinitializer
  %normal = add <{n} x i32> %rebased, %more
  %raised = add <{n} x i32> %rebased, splat (i32 8388608)
  %raisedf = bitcast <{n} x i32> %raised to <{n} x float>
  %exact = fsub <{n} x float> %raisedf, splat (float 0x3F10000000000000)
  %exactbits = bitcast <{n} x float> %exact to <{n} x i32>
  %tiny = icmp ult <{n} x i32> %magnitude, splat (i32 1024)
  %unsigned = select <{n} x i1> %tiny, <{n} x i32> %exactbits, <{n} x i32> %normal
  %sign = and <{n} x i32> %wide, splat (i32 32768)
  %signbit = shl <{n} x i32> %sign, splat (i32 16)
  %all = or <{n} x i32> %unsigned, %signbit
  %result = bitcast <{n} x i32> %all to <{n} x float>
  ret <{n} x float> %result
}}

define internal <{n} x half> @volta.narrow.{n}(<{n} x float> %value) alwaysinline nounwind {{
  %bits = bitcast <{n} x float> %value to <{n} x i32>
  %magnitude = and <{n} x i32> %bits, splat (i32 2147483647)
  %rebased = sub <{n} x i32> %magnitude, splat (i32 939524096)
  %last = lshr <{n} x i32> %rebased, splat (i32 13)
  %odd = and <{n} x i32> %last, splat (i32 1)
  %up = add <{n} x i32> %rebased, splat (i32 4095)
  %even = add <{n} x i32> %up, %odd
  %normal = lshr <{n} x i32> %even, splat (i32 13)
  %positive = bitcast <{n} x i32> %magnitude to <{n} x float>
  %aligned = fadd <{n} x float> %positive, splat (float 5.000000e-01)
  %alignedbits = bitcast <{n} x float> %aligned to <{n} x i32>
  %subnormal = sub <{n} x i32> %alignedbits, splat (i32 1056964608)
  %small = icmp slt <{n} x i32> %magnitude, splat (i32 947912704)
  %finite = select <{n} x i1> %small, <{n} x i32> %subnormal, <{n} x i32> %normal
  %large = icmp sgt <{n} x i32> %magnitude, splat (i32 1199570943)
  %nan = icmp sgt <{n} x i32> %magnitude, splat (i32 2139095040)
  %payload = lshr <{n} x i32> %magnitude, splat (i32 13)
  %kept = and <{n} x i32> %payload, splat (i32 1023)
  %named = or <{n} x i32> %kept, splat (i32 32256)
  %quiet = select <{n} x i1> %nan, <{n} x i32> %named, <{n} x i32> splat (i32 31744)
  %unsigned = select <{n} x i1> %large, <{n} x i32> %quiet, <{n} x i32> %finite
  %high = lshr <{n} x i32> %bits, splat (i32 16)
  %sign = and <{n} x i32> %high, splat (i32 32768)
  %all = or <{n} x i32> %unsigned, %sign
  %short = trunc <{n} x i32> %all to <{n} x i16>
  %result = bitcast <{n} x i16> %short to <{n} x half>
  ret <{n} x half> %result
}}
"""


def with_half_vectors(text: str) -> str:
    """The module with operations on vectors of float16 rewritten; what is rare is left to LLVM."""
    if " x half>" not in text:
        return text
    lanes: set[str] = set()

    def extended(match: re.Match[str], value: str, name: str) -> str:
        lanes.add(match["lanes"])
        n = match["lanes"]
        return f"  {name} = call <{n} x float> @volta.extend.{n}(<{n} x half> {value}){match['rest'] or ''}\n"

    def narrowed(match: re.Match[str], value: str) -> str:
        lanes.add(match["lanes"])
        n = match["lanes"]
        return f"  {match['result']} = call <{n} x half> @volta.narrow.{n}(<{n} x float> {value}){match['rest'] or ''}"

    def part(match: re.Match[str], stem: str) -> str:
        result = match["result"]
        return f'{result[:-1]}.{stem}"' if result.endswith('"') else f"{result}.{stem}"

    def operation(match: re.Match[str]) -> str:
        operands = _OPERANDS.fullmatch(match["operands"])
        if operands is None:
            return match[0]
        left, right, wide = part(match, "half.left"), part(match, "half.right"), part(match, "half.wide")
        before = extended(match, operands[1], left) + extended(match, operands[2], right)
        head = f"{match['op']}{match['flags']} <{match['lanes']} x float> {left}, {right}{match['rest'] or ''}"
        if match["op"] == "fcmp":
            return f"{before}  {match['result']} = {head}"
        return f"{before}  {wide} = {head}\n{narrowed(match, wide)}"

    def widening(match: re.Match[str]) -> str:
        wide, rest = part(match, "half.wide"), match["rest"] or ""
        if match["op"] == "fpext" and match["type"].endswith("float>"):
            return extended(match, match["value"], match["result"]).rstrip("\n")
        converted = f"{match['op']} <{match['lanes']} x float> {wide} to {match['type']}{rest}"
        return f"{extended(match, match['value'], wide)}  {match['result']} = {converted}"

    def narrowing(match: re.Match[str]) -> str:
        if match["op"] == "fptrunc":
            return narrowed(match, match["value"])
        wide = part(match, "half.wide")
        floats = f"<{match['lanes']} x float>"
        converted = f"{match['op']}{match['flags']} {match['type']} {match['value']} to {floats}{match['rest'] or ''}"
        return f"  {wide} = {converted}\n{narrowed(match, wide)}"

    text = _OPERATION.sub(operation, widen_half_functions(text))
    text = _WIDENING.sub(widening, text)
    text = _NARROWING.sub(narrowing, text)
    return text + "".join(_HELPERS.format(n=n) for n in sorted(lanes, key=int))


_OPERAND = r"(%\S+|zeroinitializer|splat \([^)]*\)|<[^>]*>)"
_OPERANDS = lazy_pattern(f"{_OPERAND}, {_OPERAND}")
