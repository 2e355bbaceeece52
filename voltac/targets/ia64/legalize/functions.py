"""LLVM's intrinsics that work lane by lane, as the machine has them: rows by the name without its type suffixes (IA-64 15)."""

from __future__ import annotations

from voltac.codegen.legalize.elementwise import INTEGER_FUNCTIONS
from voltac.codegen.legalize.function import LaneFunction, Legalizer, Routine, Words
from voltac.codegen.legalize.halves import from_half, to_half
from voltac.codegen.legalize.integers import zero_extended
from voltac.codegen.legalize.shapes import NotLegal, Shape
from voltac.targets.ia64.legalize.conversions import ROUNDING


def _suffix(element: str) -> str:
    return "f32" if element == "float" else "f64"


def _instruction(name: str, count: int) -> LaneFunction:
    """An intrinsic that selection knows, of floats and doubles; halves by way of float, which rounds them right."""

    def compute(f: Legalizer, vector: bool, shape: Shape, *operands: Words) -> Words:
        is_half = shape.element == "half"
        element = "float" if is_half else shape.element
        if element not in ("float", "double"):
            raise NotLegal(f"{name} of {element}")
        values = [from_half(f, False, words[0]) if is_half else words[0] for words in operands]
        declaration = f"{element} @llvm.{name}.{_suffix(element)}({', '.join([element] * count)})"
        made = f.write.call(declaration, *values)
        return [to_half(f, False, made) if is_half else made]

    return compute


def _extreme(name: str, number_wins: bool) -> LaneFunction:
    """The machine's own gives the second one where one is no number; what is to be given is chosen behind it."""

    def compute(f: Legalizer, vector: bool, shape: Shape, a: Words, b: Words) -> Words:
        w = f.write
        is_half = shape.element == "half"
        element = "float" if is_half else shape.element
        x, y = (from_half(f, False, words[0]) if is_half else words[0] for words in (a, b))
        made = w.call(f"{element} @ia64.{name}.{_suffix(element)}({element}, {element})", x, y)
        if number_wins:
            # Where y is none it is x, where x is none the machine gives y.
            made = w.choose(w.value(f"fcmp uno {element} {y}, {y}"), x, made, element)
        else:
            made = w.choose(w.value(f"fcmp uno {element} {x}, {x}"), x, made, element)
            # Of zeros of different signs the negative one is less.
            sign = w.call(f"{element} @llvm.copysign.{_suffix(element)}({element}, {element})", "1.0", y)
            takes = w.value(f"fcmp {'olt' if name == 'fmin' else 'ogt'} {element} {sign}, 0.0")
            zero = w.choose(takes, y, x, element)
            made = w.choose(w.value(f"fcmp oeq {element} {x}, {y}"), zero, made, element)
        return [to_half(f, False, made) if is_half else made]

    return compute


def _fmuladd(f: Legalizer, vector: bool, shape: Shape, *operands: Words) -> Words:
    return _instruction("fma", 3)(f, vector, shape, *operands)


def _count_ones(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    if shape.bits == 1:
        return a
    counts = [f.write.call("i64 @llvm.ctpop.i64(i64)", word) for word in zero_extended(f, shape.bits, a, vector)]
    total = counts[0]
    for count in counts[1:]:
        total = f.write.op("add", total, count)
    f.zero_above[total] = 8
    return [total, *["0"] * (len(a) - 1)]


def _swap_bytes(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    made = [f.write.call("i64 @llvm.bswap.i64(i64)", word) for word in reversed(a)]
    if len(a) == 1 and shape.bits < f.word_bits:
        made = [f.write.op("lshr", made[0], f.word_bits - shape.bits)]
        f.zero_above[made[0]] = shape.bits
    elif shape.bits % f.word_bits:
        raise NotLegal(f"the bytes of a number of {shape.bits} bits, the other way round")
    return made


def _reverse_bits(f: Legalizer, vector: bool, shape: Shape, a: Words) -> Words:
    w = f.write
    if len(a) > 1:
        raise NotLegal(f"the bits of a number of {shape.bits} bits, the other way round")
    word = w.call("i64 @llvm.bswap.i64(i64)", a[0])
    for places, mask in ((4, 0x0F0F0F0F0F0F0F0F), (2, 0x3333333333333333), (1, 0x5555555555555555)):
        up = w.op("shl", w.op("and", word, mask), places)
        word = w.op("or", up, w.op("and", w.op("lshr", word, places), mask))
    return [w.op("lshr", word, f.word_bits - shape.bits) if shape.bits < f.word_bits else word]


FUNCTIONS: dict[str, LaneFunction] = {
    **INTEGER_FUNCTIONS,
    "ctpop": _count_ones,
    "bswap": _swap_bytes,
    "bitreverse": _reverse_bits,
    **{name: _instruction(name, 1) for name in ("sqrt", "fabs")},
    "copysign": _instruction("copysign", 2),
    "fma": _instruction("fma", 3),
    "fmuladd": _fmuladd,
    **{name: _extreme("fmin", True) for name in ("minnum", "minimumnum")},
    **{name: _extreme("fmax", True) for name in ("maxnum", "maximumnum")},
    "minimum": _extreme("fmin", False),
    "maximum": _extreme("fmax", False),
    "canonicalize": lambda f, vector, shape, a: a,
    **ROUNDING,
}

_REMAINDER = """\
define internal double @NAME(double %a, double %b) nounwind noinline {
entry:
  %abits = bitcast double %a to i64
  %bbits = bitcast double %b to i64
  %asize = and i64 %abits, 9223372036854775807
  %bsize = and i64 %bbits, 9223372036854775807
  %sign = xor i64 %abits, %asize
  %none = icmp uge i64 %asize, 9218868437227405312
  %odd = icmp ugt i64 %bsize, 9218868437227405312
  %zero = icmp eq i64 %bsize, 0
  %bad = or i1 %none, %odd
  %worse = or i1 %bad, %zero
  br i1 %worse, label %nan, label %numbers
nan:
  %product = fmul double %a, %b
  %no = fdiv double %product, %product
  ret double %no
numbers:
  %less = icmp ult i64 %asize, %bsize
  br i1 %less, label %same, label %begin
same:
  ret double %a
begin:
  %aexp0 = lshr i64 %asize, 52
  %bexp0 = lshr i64 %bsize, 52
  %afrac = and i64 %asize, 4503599627370495
  %bfrac = and i64 %bsize, 4503599627370495
  %anormal = icmp ne i64 %aexp0, 0
  %bnormal = icmp ne i64 %bexp0, 0
  %alead = or i64 %afrac, 4503599627370496
  %blead = or i64 %bfrac, 4503599627370496
  %am = select i1 %anormal, i64 %alead, i64 %afrac
  %bm = select i1 %bnormal, i64 %blead, i64 %bfrac
  %aexp = select i1 %anormal, i64 %aexp0, i64 1
  %bexp = select i1 %bnormal, i64 %bexp0, i64 1
  br label %step
step:
  %rest = phi i64 [ %am, %begin ], [ %twice, %next ]
  %exp = phi i64 [ %aexp, %begin ], [ %lower, %next ]
  %enough = icmp uge i64 %rest, %bm
  %difference = sub i64 %rest, %bm
  %left = select i1 %enough, i64 %difference, i64 %rest
  %more = icmp ugt i64 %exp, %bexp
  br i1 %more, label %next, label %scale
next:
  %twice = shl i64 %left, 1
  %lower = sub i64 %exp, 1
  br label %step
scale:
  %whole = uitofp i64 %left to double
  %up = shl i64 %bexp, 52
  %large = icmp ugt i64 %bexp, 1075
  %excess = sub i64 %bexp, 1075
  %missing = sub i64 1075, %bexp
  %distance = select i1 %large, i64 %excess, i64 %missing
  %half = lshr i64 %distance, 1
  %other = sub i64 %distance, %half
  %plus1 = add i64 %half, 1023
  %plus2 = add i64 %other, 1023
  %minus1 = sub i64 1023, %half
  %minus2 = sub i64 1023, %other
  %e1 = select i1 %large, i64 %plus1, i64 %minus1
  %e2 = select i1 %large, i64 %plus2, i64 %minus2
  %p1 = shl i64 %e1, 52
  %p2 = shl i64 %e2, 52
  %f1 = bitcast i64 %p1 to double
  %f2 = bitcast i64 %p2 to double
  %m1 = fmul double %whole, %f1
  %m2 = fmul double %m1, %f2
  %mbits = bitcast double %m2 to i64
  %signed = or i64 %mbits, %sign
  %result = bitcast i64 %signed to double
  ret double %result
}
"""
"""Of significands as integers, a step for each power of two between the numbers; exact."""

ROUTINES: dict[str, Routine] = {"remainder": Routine(_REMAINDER, ("double", "double"), ("double",))}
