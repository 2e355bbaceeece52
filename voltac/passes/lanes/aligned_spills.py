"""Functions whose live vectors are more than registers keep a frame pointer, so that what is spilled is aligned, on x86.

When LLVM has finished simplifying, in functions with many vectors wider than 16 bytes::

    define void @f(ptr %a) #0 {
      ->
    define void @f(ptr %a) #0 "frame-pointer"="all" {

The stack is aligned to 16 bytes when a function is called. LLVM aligns it to what it spills only where a register is reserved
for the frame before registers are given out; else vectors of 32 bytes are spilled at multiples of 16. Half of them cross a line
of the cache, and now and then, as the system places the stack and callers use it, one crosses a page: 16 boxes at a time by a
ray, with two values spilled, took 209 ns for most of the stack's places and up to 606 ns for others, and 209 ns for all with
this. A loop of sums over boxes took 3 times as long at the worst places.

The attribute changes no result: it reserves one general register. LLVM aligns the stack in those functions only that do spill.
"""

from __future__ import annotations

from voltac.ir.function_texts import rewrite_functions
from voltac.system.lazy_patterns import lazy_pattern
from voltac.target_info import TargetInfo

_KEPT = '"frame-pointer"="all"'
_ALIGNED = 16
"""Bytes that the stack is aligned to at a call, by the System V and the Windows ABI for x86-64."""
_FEW, _MANY = 16, 32
"""Vector registers of AVX2 and of AVX-512."""
_VALUE = lazy_pattern(r"\n  (%[^ ]+) = [^\n<]+<(\d+) x (float|double|ptr|half|bfloat|i\d+)>")
_NAME = lazy_pattern(r"%[\w.]+")
_BITS = {"float": 32, "double": 64, "ptr": 0, "half": 16, "bfloat": 16}
_CALL = lazy_pattern(r" call [^@\n]*@(?!llvm\.)")
_ATTRIBUTES = lazy_pattern(r" #\d+(?= )")


def spills_unaligned(target: TargetInfo) -> bool:
    """Whether registers are wider than the stack is aligned, and there are enough others to reserve one."""
    return target.is_x86 and target.pointer_bits == 64 and target.vector_bits > 8 * _ALIGNED


def align_spills(text: str, target: TargetInfo) -> str:
    """The module's text, unchanged if no function has many wide vectors."""
    most = _MANY if target.has_avx512 else _FEW

    def rewritten(body: str) -> str:
        if not _may_spill(body, target.vector_bits, most):
            return body
        head, line, rest = body.partition("\n")
        at = head.rindex(")")
        return head[:at] + _ATTRIBUTES.sub(lambda found: f"{found[0]} {_KEPT}", head[at:], count=1) + line + rest

    return rewrite_functions(text, rewritten)


def _may_spill(body: str, register_bits: int, most: int) -> bool:
    """Whether more wide vectors are live in a block than there are registers, or calls may change every one.

    Addresses aside, which are mostly scalars by then.
    """
    calls = _CALL.search(body) is not None
    wide: dict[str, int] = {}
    registers: dict[tuple[str, str], int] = {}
    """Of a type, by its lanes and their element; 0 of one that is not wide."""
    for name, lanes, element in _VALUE.findall(body):
        kind = lanes, element
        taken = registers.get(kind)
        if taken is None:
            taken = registers[kind] = _registers(*kind, register_bits)
        if taken:
            if calls:
                return True
            wide[name] = taken
    return len(wide) > 1 and sum(wide.values()) > most and any(_are_live(block, wide, most) for block in body.split("\n\n"))


def _registers(lanes: str, element: str, register_bits: int) -> int:
    bits = int(lanes) * (_BITS[element] if element in _BITS else int(element[1:]))
    return max(1, bits // register_bits) if bits > 8 * _ALIGNED else 0


def _are_live(block: str, wide: dict[str, int], most: int) -> bool:
    """Whether wide vectors of a block take more registers somewhere, as it is written."""
    names = _NAME.findall(block)
    named = wide.keys() & names
    if sum(map(wide.__getitem__, named)) <= most:
        return False
    lines: list[tuple[str, list[str]]] = []
    """What is made in each line that names wide vectors, if it is one, and those that it names otherwise."""
    last: dict[str, int] = {}
    made: dict[str, int] = {}
    for line in block.split("\n"):
        used = [name for name in _NAME.findall(line) if name in named]
        if not used:
            continue
        at = len(lines)
        for name in used:
            last[name] = at
        result = used.pop(0) if line.startswith(f"  {used[0]} = ") else ""
        if result:
            made[result] = at
        lines.append((result, used))
    # What an earlier line names, a phi, goes around a loop; what is made elsewhere is kept for the next time.
    around = {name for at, (_, used) in enumerate(lines) for name in used if made.get(name, -1) > at}
    live = sum(wide[name] for name in last if name not in made)
    if live > most:
        return True
    ends: dict[int, int] = {}
    for at, (result, _) in enumerate(lines):
        if result:
            live += wide[result]
            if live > most:
                return True
            if result not in around:
                ends[last[result]] = ends.get(last[result], 0) + wide[result]
        live -= ends.pop(at, 0)
    return False
