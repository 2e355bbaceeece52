"""Intrinsics that ask the core: its clock, and the trap."""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Rule
from voltac.ir.model import Instruction


def _trap(f: Legalizer, instruction: Instruction) -> None:
    f.write.call("void @npu.trap()")


def _cycles(f: Legalizer, instruction: Instruction) -> None:
    """The high half is read on both sides of the low one until it is the same."""
    w = f.write
    again, done = w.new_label("cycles"), w.new_label("cycles.read")
    w.jump(again)
    w.start(again)
    high = w.call("i32 @npu.read_control(i32)", "5")
    low = w.call("i32 @npu.read_control(i32)", "4")
    check = w.call("i32 @npu.read_control(i32)", "5")
    w.branch(w.compare("eq", high, check), done, again)
    w.start(done)
    f.define(instruction, [low, high])


INTRINSICS: dict[str, Rule] = {
    "readcyclecounter": _cycles,
    "trap": _trap,
    "debugtrap": _trap,
}
