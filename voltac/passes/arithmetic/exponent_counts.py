"""Leading and trailing zeros of lanes -> exponents of floats, where x86 has no instruction for them.

When LLVM has finished simplifying::

    %n = call <8 x i32> @llvm.ctlz.v8i32(<8 x i32> %x, i1 false)

becomes

    %top = and %x, (xor (lshr %x, 1), -1)                  the highest bit, and not the one below
    %exponent = lshr (bitcast (sitofp %top to <8 x float>) to <8 x i32>), 23
    %n = umin (usub.sat 158, %exponent), 32

(Warren, Hacker's Delight, 5-3.) Without the second bit no rounding reaches the next power of two. A number with the highest bit
is negative, and its exponent with the sign is above 158; that of zero is 0. Of trailing zeros the lowest bit alone is
converted. That is six to seven operations where LLVM looks up all nibbles, some fifteen. Leading zeros of 64-bit numbers are
those of the upper half and, where these are 32, of the lower half.
"""

from __future__ import annotations

import re

from voltac.system.lazy_patterns import lazy_pattern

_COUNT = lazy_pattern(
    r"  (?P<name>%\S+) = (?:tail )?call (?:range\([^)]*\) )?<(?P<lanes>\d+) x i32> @llvm\.ct(?P<end>[lt])z\.v\d+i32\("
    r"<\d+ x i32> (?P<value>%[^\s,]+), i1 (?P<nonzero>true|false)\)(?P<rest>.*)$"
)
_WIDE_COUNT = lazy_pattern(
    r"^  (?P<name>%\S+) = (?:tail )?call (?:range\([^)]*\) )?<(?P<lanes>\d+) x i64> @llvm\.ctlz\.v\d+i64\("
    r"<\d+ x i64> (?P<value>%[^\s,]+), i1 (?:true|false)\)(?P<debug>, !dbg !\d+)?.*$",
    re.MULTILINE,
)
_TAKEN = lazy_pattern(r"%count\.zeros\.(\d+) =")
_BIAS, _MANTISSA, _BITS = 127, 23, 32
"""Of floats; bits of a number."""


def count_by_exponents(text: str) -> str:
    """The module's text, unchanged if no zeros are counted."""
    if "@llvm.ctlz.v" not in text and "@llvm.cttz.v" not in text:
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)

    def by_halves(found: re.Match[str]) -> str:
        nonlocal number
        lanes, debug = int(found["lanes"]), found["debug"] or ""
        kind, words = f"<{lanes} x i64>", f"<{2 * lanes} x i32>"
        a, b, c, d, e, f, g, h = (f"%count.zeros.{number + place}" for place in range(1, 9))
        number += 8
        made = (
            f"{a} = bitcast {kind} {found['value']} to {words}",
            f"{b} = call {words} @llvm.ctlz.v{2 * lanes}i32({words} {a}, i1 false)",
            f"{c} = bitcast {words} {b} to {kind}",
            f"{d} = lshr {kind} {c}, splat (i64 {_BITS})",
            f"{e} = and {kind} {c}, splat (i64 {2 * _BITS - 1})",
            # All ones where the upper half has none.
            f"{f} = lshr {kind} {d}, splat (i64 5)",
            f"{g} = sub {kind} zeroinitializer, {f}",
            f"{h} = and {kind} {e}, {g}",
            f"{found['name']} = add {kind} {d}, {h}",
        )
        return "\n".join(f"  {line}{debug}" for line in made)

    text = _WIDE_COUNT.sub(by_halves, text)
    declared: set[str] = set()
    result: list[str] = []
    for line in text.split("\n"):
        found = _COUNT.match(line) if "@llvm.ct" in line else None
        if found is None:
            result.append(line)
            continue
        lanes, rest = int(found["lanes"]), found["rest"] if found["rest"].startswith(", !dbg") else ""
        kind, floats, halves = f"<{lanes} x i32>", f"<{lanes} x float>", f"<{2 * lanes} x i16>"

        def value(made: str, name: str = "", rest: str = rest) -> str:
            nonlocal number
            number += not name
            name = name or f"%count.zeros.{number}"
            result.append(f"  {name} = {made}{rest}")
            return name

        x, last = found["value"], "" if found["nonzero"] == "false" else found["name"]
        if found["end"] == "l":
            below = value(f"lshr {kind} {x}, splat (i32 1)")
            top = value(f"and {kind} {x}, {value(f'xor {kind} {below}, splat (i32 -1)')}")
        else:
            top = value(f"and {kind} {x}, {value(f'sub {kind} zeroinitializer, {x}')}")
        bits = value(f"bitcast {floats} {value(f'sitofp {kind} {top} to {floats}')} to {kind}")
        if found["end"] == "l":
            exponent = value(f"bitcast {kind} {value(f'lshr {kind} {bits}, splat (i32 {_MANTISSA})')} to {halves}")
            most = ", ".join([f"i16 {_BIAS + _BITS - 1}, i16 0"] * lanes)
            callee = f"@llvm.usub.sat.v{2 * lanes}i16"
            declared.add(f"declare {halves} {callee}({halves}, {halves})")
            count = value(f"call {halves} {callee}({halves} <{most}>, {halves} {exponent})")
            count = value(f"bitcast {halves} {count} to {kind}", last)
        else:
            shifted = value(f"shl {kind} {bits}, splat (i32 1)")
            exponent = value(f"lshr {kind} {shifted}, splat (i32 {_MANTISSA + 1})")
            count = value(f"sub {kind} {exponent}, splat (i32 {_BIAS})", last)
        if not last:
            callee = f"@llvm.umin.v{lanes}i32"
            declared.add(f"declare {kind} {callee}({kind}, {kind})")
            value(f"call {kind} {callee}({kind} {count}, {kind} splat (i32 {_BITS}))", found["name"])
    made = "\n".join(result)
    missing = [line for line in sorted(declared) if line.partition("(")[0] + "(" not in text]
    return "\n".join([made, *missing, ""]) if missing else made
