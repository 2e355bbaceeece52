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
_VALUE = lazy_pattern(r"\n  (%[\w.]+) = [^\n<]+<(\d+) x (float|double|ptr|half|bfloat|i\d+)>")
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
    wide: dict[str, int] = {}
    for found in _VALUE.finditer(body):
        bits = int(found[2]) * (_BITS[found[3]] if found[3] in _BITS else int(found[3][1:]))
        if bits > 8 * _ALIGNED:
            wide[found[1]] = max(1, bits // register_bits)
    if wide and _CALL.search(body) is not None:
        return True
    return len(wide) > 1 and sum(wide.values()) > most and any(_most_live(block, wide) > most for block in body.split("\n\n"))


def _most_live(block: str, wide: dict[str, int]) -> int:
    """The registers that wide vectors of a block take where they are most, as it is written."""
    texts = block.split("\n")
    lines = [_NAME.findall(line) for line in texts]
    begun = [(at, names[0]) for at, names in enumerate(lines) if names and names[0] in wide]
    made = {name: at for at, name in begun if texts[at].startswith(f"  {name} = ")}
    last = {name: at for at, names in enumerate(lines) for name in names if name in wide}
    # What an earlier line names, a phi, goes around a loop; what is made elsewhere is kept for the next time.
    around = {name for at, names in enumerate(lines) for name in names[1:] if made.get(name, -1) > at}
    ends: dict[int, int] = {}
    live = most = sum(wide[name] for name in last if name not in made)
    for at, names in enumerate(lines):
        if names and made.get(names[0]) == at:
            name = names[0]
            live += wide[name]
            if name not in around:
                ends[last[name]] = ends.get(last[name], 0) + wide[name]
        most = max(most, live)
        live -= ends.pop(at, 0)
    return most
