"""Quotients and roots by approximation (IA-64 13): a guess of eight bits, made better by sums of products, rounded once.

Inner steps are those of status field 1, of 64 bits and wide exponents; the last goes by field 0. Where the machine's guess is
the result already (a zero, an infinity, what is no number) its predicate is 0, and the last step left out.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.machine_code import AnyRegister, VirtualRegister
from voltac.codegen.selection import Selection
from voltac.ir.model import Instruction
from voltac.targets.ia64.select.conditions import under_predicate
from voltac.targets.ia64.select.registers import ALWAYS, ONE, ZERO

_HALF = ("double", 0x3FE0000000000000)
_TINY = ("double", 0x3DD0000000000000)
"""2^-34: keeps quotients of 32 bits that are whole from falling below the integer."""
Function = Callable[[Selection, Instruction], None]


class _Steps:
    """Sums of products, each into a register of its own."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection

    def step(self, row: str, a: AnyRegister, b: AnyRegister, c: AnyRegister, precision: str = "") -> VirtualRegister:
        made = self.selection.new("f")
        self.selection.emit(f"{row}{precision}.s1.f=f,f,f", made, a, b, c)
        return made

    def fma(self, a: AnyRegister, b: AnyRegister, c: AnyRegister, precision: str = "") -> VirtualRegister:
        return self.step("fma", a, b, c, precision)

    def fnma(self, a: AnyRegister, b: AnyRegister, c: AnyRegister, precision: str = "") -> VirtualRegister:
        return self.step("fnma", a, b, c, precision)


def _divide_floats(selection: Selection, instruction: Instruction) -> None:
    result = selection.result(instruction.name, instruction.type)
    a, b = (selection.register(one) for one in instruction.operands)
    go_on = selection.new("p")
    selection.emit("frcpa.s0.f,p=f,f", result, go_on, a, b)
    steps, y = _Steps(selection), result
    e, q = steps.fnma(b, y, ONE), steps.fma(a, y, ZERO["f"])
    if instruction.type == "float":
        q, e2 = steps.fma(q, e, q), steps.fma(e, e, ZERO["f"])
        q, e4 = steps.fma(q, e2, q), steps.fma(e2, e2, ZERO["f"])
        q = steps.fma(q, e4, q, ".d")
        last = selection.emit("fma.s.s0.f=f,f,f", result, q, ONE, ZERO["f"])
    else:
        q, e2, y = steps.fma(q, e, q), steps.fma(e, e, ZERO["f"]), steps.fma(y, e, y)
        q, e4, y = steps.fma(q, e2, q), steps.fma(e2, e2, ZERO["f"]), steps.fma(y, e2, y)
        q, y = steps.fma(q, e4, q, ".d"), steps.fma(y, e4, y)
        r = steps.fnma(b, q, a, ".d")
        last = selection.emit("fma.d.s0.f=f,f,f", result, r, y, q)
    under_predicate(last, go_on)


def _root(precision: str, rounds: int) -> Function:
    def select(selection: Selection, instruction: Instruction) -> None:
        result = selection.result(instruction.name, instruction.type)
        a = selection.register(instruction.parts.operands[0])
        half = selection.constant(_HALF, "f")
        go_on = selection.new("p")
        selection.emit("frsqrta.s0.f,p=f", result, go_on, a)
        steps = _Steps(selection)
        g, h = steps.fma(a, result, ZERO["f"]), steps.fma(result, half, ZERO["f"])
        for _ in range(rounds):
            r = steps.fnma(g, h, half)
            g, h = steps.fma(g, r, g), steps.fma(h, r, h)
        d = steps.fnma(g, g, a)
        under_predicate(selection.emit(f"fma{precision}.s0.f=f,f,f", result, d, h, g), go_on)

    return select


def _divide_integers(is_signed: bool, is_short: bool) -> Function:
    def select(selection: Selection, instruction: Instruction) -> None:
        result = selection.result(instruction.name, instruction.type)
        steps = _Steps(selection)
        numbers: list[VirtualRegister] = []
        for operand in instruction.parts.operands:
            whole, number = selection.new("f"), selection.new("f")
            selection.emit("setf.sig.f=r", whole, selection.register(operand))
            if is_signed or is_short:
                selection.emit("fcvt.xf.f=f", number, whole)
            else:
                number = steps.fma(whole, ONE, ZERO["f"])
            numbers.append(number)
        a, b = numbers
        y = selection.new("f")
        # Of 0 the guess is 0, and so is all that follows.
        selection.emit("frcpa.s1.f,p=f,f", y, ALWAYS, a, b)
        q, e = steps.fma(a, y, ZERO["f"]), steps.fnma(b, y, ONE)
        if is_short:
            q, e = steps.fma(q, e, q), steps.fma(e, e, selection.constant(_TINY, "f"))
            q = steps.fma(q, e, q)
        else:
            q, e2, y = steps.fma(q, e, q), steps.fma(e, e, ZERO["f"]), steps.fma(y, e, y)
            q, y = steps.fma(q, e2, q), steps.fma(y, e2, y)
            r = steps.fnma(b, q, a)
            q = steps.fma(r, y, q)
        cut = selection.new("f")
        selection.emit(f"fcvt.{'fx' if is_signed or is_short else 'fxu'}.trunc.s1.f=f", cut, q)
        selection.emit("getf.sig.r=f", result, cut)

    return select


QUOTIENTS: dict[str, Function] = {
    "fdiv.f": _divide_floats,
    "fdiv.d": _divide_floats,
    "call.llvm.sqrt.f32": _root(".s", 2),
    "call.llvm.sqrt.f64": _root(".d", 3),
    "call.ia64.sdiv": _divide_integers(True, False),
    "call.ia64.udiv": _divide_integers(False, False),
    "call.ia64.sdiv4": _divide_integers(True, True),
    "call.ia64.udiv4": _divide_integers(False, True),
}
"""By key."""
