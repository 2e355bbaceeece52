"""Operations on floats and doubles -> themselves, lane by lane; halves are computed with as floats.

    %c = fadd <4 x double> %a, %b     ->    fadd double, of each lane
    %d = fptrunc double %a to half    ->    to float, to odd where that is not exact, and from there to half

A result of one operation on halves, computed as a float and rounded, is the rounded result: a float has more than twice
the bits.
"""

from __future__ import annotations

from voltac.codegen.legalize.function import Legalizer, Rule, Words
from voltac.codegen.legalize.halves import from_half, to_half
from voltac.codegen.legalize.integers import zero_extended
from voltac.codegen.legalize.routines import call_routine
from voltac.codegen.legalize.scalar_accesses import bits_of_float
from voltac.codegen.legalize.shapes import NotLegal
from voltac.ir.model import Instruction


def element_of(f: Legalizer, instruction: Instruction) -> str:
    """The type of the elements of what an operation takes."""
    element = f.shapes.of(instruction.operands[0].type).element
    if element not in ("float", "double", "half"):
        raise NotLegal(f"arithmetic on {element}")
    return element


def _arithmetic(f: Legalizer, instruction: Instruction) -> None:
    element, operation = element_of(f, instruction), instruction.op
    if operation == "frem":
        f.elementwise(instruction, lambda vector, a, b: [_remainder(f, element, a[0], b[0])])
        return

    def compute(vector: bool, a: Words, b: Words) -> Words:
        if element == "half":
            x, y = (from_half(f, False, words[0]) for words in (a, b))
            return [to_half(f, False, f.write.float_op(operation, x, y, False))]
        return [_fused(f, instruction, element, a[0], b[0])]

    f.elementwise(instruction, compute)


def _fused(f: Legalizer, instruction: Instruction, element: str, a: str, b: str) -> str:
    """With the flag that allows one rounding for a product and a sum: selection looks for it."""
    flag = " contract" if "contract" in instruction.parts.flags or "fast" in instruction.parts.flags else ""
    return f.write.value(f"{instruction.op}{flag} {element} {a}, {b}")


def _remainder(f: Legalizer, element: str, a: str, b: str) -> str:
    """Exact, so that it may be computed as of doubles."""
    x, y = (as_double(f, element, one) for one in (a, b))
    made = call_routine(f, "remainder", False, [x, y])[0]
    return from_double(f, element, made)


def as_double(f: Legalizer, element: str, value: str) -> str:
    """The same number."""
    if element == "half":
        value, element = from_half(f, False, value), "float"
    return value if element == "double" else f.write.value(f"fpext float {value} to double")


def from_double(f: Legalizer, element: str, value: str) -> str:
    """Rounded once."""
    if element == "half":
        return to_half(f, False, _to_odd(f, value))
    return value if element == "double" else f.write.value(f"fptrunc double {value} to float")


def _to_odd(f: Legalizer, value: str) -> str:
    """A float whose last bit tells that it is not exact: what is rounded from it is rounded as from the double."""
    w = f.write
    near = w.value(f"fptrunc double {value} to float")
    back = w.value(f"fpext float {near} to double")
    bits = w.bits_of(near, False)
    sizes = [w.call("double @llvm.fabs.f64(double)", one) for one in (back, value)]
    above = w.to_int(w.value(f"fcmp ogt double {sizes[0]}, {sizes[1]}"), False)
    odd = w.op("or", w.op("sub", bits, above), 1)
    exact = w.value(f"fcmp oeq double {back}, {value}")
    unordered = w.value(f"fcmp uno double {back}, {value}")
    return w.float_of(w.select(w.bit_op("or", exact, unordered, False), bits, odd, w.word, False), False)


def _comparison(f: Legalizer, instruction: Instruction) -> None:
    element, predicate = element_of(f, instruction), instruction.parts.predicate

    def compute(vector: bool, a: Words, b: Words) -> Words:
        if predicate in ("true", "false"):
            return [predicate]
        x, y = (from_half(f, False, words[0]) if element == "half" else words[0] for words in (a, b))
        return [f.write.value(f"fcmp {predicate} {'float' if element == 'half' else element} {x}, {y}")]

    f.elementwise(instruction, compute)


def _negation(f: Legalizer, instruction: Instruction) -> None:
    element = element_of(f, instruction)

    def compute(vector: bool, a: Words) -> Words:
        return [f.write.op("xor", a[0], 0x8000) if element == "half" else f.write.value(f"fneg {element} {a[0]}")]

    f.elementwise(instruction, compute)


def _size(f: Legalizer, instruction: Instruction) -> None:
    source, target = f.shapes.of(instruction.operands[0].type), f.shapes.of(instruction.type)

    def compute(vector: bool, a: Words) -> Words:
        if source.element == "float" and target.element == "half":
            return [to_half(f, False, a[0])]
        return [from_double(f, target.element, as_double(f, source.element, a[0]))]

    if {source.element, target.element} - {"half", "float", "double"}:
        raise NotLegal(f"a conversion from {source.element} to {target.element}")
    f.elementwise(instruction, compute)


_FORMATS = {"half": (16, 10), "float": (32, 23), "double": (64, 52)}
"""Bits of a number, and of its fraction."""


def _class_test(f: Legalizer, instruction: Instruction) -> None:
    """``llvm.is.fpclass``: each class is an interval of magnitudes, with a sign."""
    value, classes = instruction.operands
    shape, wanted = f.shapes.of(value.type), int(classes.value)
    bits, fraction = _FORMATS[element_of(f, instruction)]
    infinity = (1 << bits - 1) - (1 << fraction)
    # Zero, subnormal, normal, infinite: numbers of LLVM's bits for the negative and the positive ones.
    sizes = ((0, 0, 5, 6), (1, (1 << fraction) - 1, 4, 7), (1 << fraction, infinity - 1, 3, 8), (infinity, infinity, 2, 9))
    quiet = infinity + (1 << fraction - 1)
    nans = ((infinity + 1, quiet - 1, 0), (quiet, (1 << bits - 1) - 1, 1))

    def compute(vector: bool, a: Words) -> Words:
        w = f.write
        word = zero_extended(f, 16, a, False)[0] if shape.element == "half" else bits_of_float(f, shape, a[0])
        size = w.op("and", word, (1 << bits - 1) - 1)
        tests = [_between(f, size, low, high) for low, high, number in nans if wanted >> number & 1]
        for low, high, negative, positive in sizes:
            for number, sign in ((negative, 1 << bits - 1), (positive, 0)):
                if wanted >> number & 1:
                    tests.append(_between(f, word, sign | low, sign | high))
        result = "false"
        for test in tests:
            result = test if result == "false" else w.bit_op("or", result, test, False)
        return [result]

    f.define(instruction, [word for words in f.columns(value) for word in compute(False, words)])


def _between(f: Legalizer, word: str, low: int, high: int) -> str:
    return f.write.compare("ule", f.write.op("sub", word, low), high - low)


INTRINSICS: dict[str, Rule] = {"is.fpclass": _class_test}

RULES: dict[str, Rule] = {
    **dict.fromkeys(("fadd", "fsub", "fmul", "fdiv", "frem"), _arithmetic),
    "fcmp": _comparison,
    "fneg": _negation,
    **dict.fromkeys(("fpext", "fptrunc"), _size),
}
