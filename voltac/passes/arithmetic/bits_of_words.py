"""Bits that are counted in 32-bit lanes of AVX2 -> bits of bytes, added up by multiply-add.

When LLVM has finished simplifying::

    %n = call <8 x i32> @llvm.ctpop.v8i32(<8 x i32> %x)
    ->
    %b = bitcast <8 x i32> %x to <32 x i8>
    %c = call <32 x i8> @llvm.ctpop.v32i8(<32 x i8> %b)
    %p = call <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8> %c, <32 x i8> splat (i8 1))
    %n = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> %p, <16 x i16> splat (i16 1))

A byte has at most 8 bits, so no sum leaves its type. LLVM spreads the bytes' counts to 64 bits, sums them there and packs
the sums: five instructions, three of them shuffles, for these two. What is only compared stays: LLVM finds powers of two so.
"""

from __future__ import annotations

import re

from voltac.ir.function_texts import rewrite_functions
from voltac.system.lazy_patterns import lazy_pattern

_COUNT = lazy_pattern(
    r"  (?P<name>%\S+) = (?:tail )?call (?:range\([^)]*\) )?<8 x i32> @llvm\.ctpop\.v8i32\(<8 x i32> (?P<value>%[^\s,()]+)\)"
    r"(?P<debug>, !dbg !\d+)?$"
)
_TAKEN = lazy_pattern(r"%bits\.of\.word\.(\d+) =")
_DECLARED = (
    "declare <32 x i8> @llvm.ctpop.v32i8(<32 x i8>)",
    "declare <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8>, <32 x i8>)",
    "declare <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16>, <16 x i16>)",
)


def count_in_bytes(text: str) -> str:
    """The module's text, unchanged if no lanes of 32 bits, a register of them, are counted in."""
    if "@llvm.ctpop.v8i32(<8 x i32> %" not in text:
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)

    def function(body: str) -> str:
        nonlocal number
        lines: list[str] = []
        compared = set(re.findall(r"%[\w.$-]+", "\n".join(each for each in body.split("\n") if " = icmp " in each)))
        for line in body.split("\n"):
            found = _COUNT.match(line)
            if found is None or found["name"] in compared:
                lines.append(line)
                continue
            made, number = f"%bits.of.word.{number + 1}", number + 3
            pairs, counts = f"%bits.of.word.{number}", f"%bits.of.word.{number - 1}"
            debug = found["debug"] or ""
            lines += [
                f"  {made} = bitcast <8 x i32> {found['value']} to <32 x i8>",
                f"  {counts} = call <32 x i8> @llvm.ctpop.v32i8(<32 x i8> {made}){debug}",
                f"  {pairs} = call <16 x i16> @llvm.x86.avx2.pmadd.ub.sw(<32 x i8> {counts}, <32 x i8> splat (i8 1)){debug}",
                f"  {found['name']} = call <8 x i32> @llvm.x86.avx2.pmadd.wd(<16 x i16> {pairs}, "
                f"<16 x i16> splat (i16 1)){debug}",
            ]
        rewritten = "\n".join(lines)
        return body if rewritten == body else rewritten

    made = rewrite_functions(text, function)
    if made is text:
        return text
    missing = [line for line in _DECLARED if line.partition("(")[0] + "(" not in text]
    return made + "".join(f"\n{line}" for line in missing) + "\n"
