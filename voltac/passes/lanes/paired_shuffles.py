"""Elements of two registers in an order that goes from half to half -> both at once within halves, then one permutation.

When LLVM has finished simplifying::

    %r = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <0, 4, 8, 12, 1, 5, 9, 13>         a row of a transposed matrix

becomes

    %both = shufflevector <8 x float> %a, <8 x float> %b, <8 x i32> <0, 1, 8, 9, 4, 5, 12, 13>      vshufps
    %apart = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %both)
    %r = shufflevector <8 x float> %apart, <8 x float> poison, <8 x i32> <0, 4, 2, 6, 1, 5, 3, 7>   vpermps

LLVM permutes each register and blends them: three instructions, and two orders to keep in registers. It is done where of each
register the same one or two places of both halves are wanted. The fence is no instruction; it keeps LLVM from
seeing that the two are one shuffle.
"""

from __future__ import annotations

from voltac.system.lazy_patterns import lazy_pattern

_SHUFFLE = lazy_pattern(
    r"  (?P<name>%\S+) = shufflevector <8 x (?P<element>float|i32)> (?P<first>%[^\s,]+), <8 x \w+> (?P<second>%[^\s,]+), "
    r"<8 x i32> <(?P<mask>i32 \d+(?:, i32 \d+){7})>(?P<rest>.*)$"
)
_TAKEN = lazy_pattern(r"%both\.(\d+) =")
_HALF = 4
"""Elements of half a register."""
_FENCE = "declare <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float>)"


def shuffle_pairs(text: str) -> str:
    """The module's text, unchanged if there is no such shuffle."""
    if " = shufflevector <8 x " not in text:
        return text
    number = max(map(int, _TAKEN.findall(text)), default=0)
    result: list[str] = []
    found_any = False
    for line in text.split("\n"):
        found = _SHUFFLE.match(line) if " = shufflevector <8 x " in line else None
        orders = _orders([int(each.split()[1]) for each in found["mask"].split(", ")]) if found else None
        if found is None or orders is None:
            result.append(line)
            continue
        number += 1
        found_any = True
        both, order = (", ".join(f"i32 {at}" for at in each) for each in orders)
        element, rest, name = found["element"], found["rest"], f"%both.{number}"
        bare, given, taken = name, f"{name}.bits", f"{name}.apart"
        kind = f"<8 x {element}>"
        result.append(f"  {bare} = shufflevector {kind} {found['first']}, {kind} {found['second']}, <8 x i32> <{both}>{rest}")
        if element == "i32":
            result.append(f"  {given} = bitcast <8 x i32> {bare} to <8 x float>{rest}")
            bare = given
        result.append(f"  {taken} = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> {bare}){rest}")
        whole = taken if element == "float" else f"{name}.mixed"
        mixed = found["name"] if element == "float" else whole
        result.append(f"  {mixed} = shufflevector <8 x float> {taken}, <8 x float> poison, <8 x i32> <{order}>{rest}")
        if element == "i32":
            result.append(f"  {found['name']} = bitcast <8 x float> {whole} to <8 x i32>{rest}")
    if found_any and _FENCE not in text:
        result += [_FENCE, ""]
    return "\n".join(result)


def _orders(mask: list[int]) -> tuple[list[int], list[int]] | None:
    """What is taken of both registers within halves, and in which order it is then; None where LLVM's way is as good."""
    lanes = 2 * _HALF
    if all(at % lanes // _HALF == to // _HALF for to, at in enumerate(mask)):
        return None  # nothing leaves its half
    if len({at % lanes for at in mask}) == lanes:
        return None  # a blend, and one permutation
    if all(one % 2 == 0 and other == one + 1 for one, other in zip(mask[::2], mask[1::2])):
        return None  # elements of 64 bits
    places = [sorted({at % _HALF for at in mask if at // lanes == register}) for register in (0, 1)]
    if not all(1 <= len(each) <= 2 for each in places):
        return None
    own = [(each * 2)[:2] for each in places]
    both = [start + register * lanes + at for start in (0, _HALF) for register in (0, 1) for at in own[register]]
    return both, [both.index(at) for at in mask]
