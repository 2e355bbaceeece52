"""Functions whose vectors may be more than registers keep a frame pointer, so that what is spilled is aligned, on x86.

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
_VALUE = lazy_pattern(r"\n  %[^\n<]+<(\d+) x (float|double|ptr|half|bfloat|i\d+)>")
_BITS = {"float": 32, "double": 64, "ptr": 64, "half": 16, "bfloat": 16}
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
    """Whether a block makes more wide vectors than there are registers, or calls may change every register.

    Few blocks spill that only keep values of many others.
    """
    some = False
    for block in body.split("\n\n"):
        registers = 0
        for found in _VALUE.finditer(block):
            element = found[2]
            bits = int(found[1]) * (_BITS.get(element) or int(element[1:]))
            if bits > 8 * _ALIGNED:
                registers += max(1, bits // register_bits)
        if registers > most:
            return True
        some = some or registers > 0
    return some and _CALL.search(body) is not None
