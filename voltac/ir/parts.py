"""The text of one instruction -> its parts: operation, flags, types, operands, labels.

One rule a shape of instruction, found by operation name in ``_SHAPES``. What has
no rule is an :class:`Parts` of the shape ``unknown`` without operands; passes
leave such instructions as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from voltac.ir import simple_forms
from voltac.ir.heads import split_head
from voltac.ir.scan import CONSTANT_WORDS, EXPRESSION_WORDS, end_of_type, end_of_value, match_bracket, split_list
from voltac.ir.types import vector_parts
from voltac.records import field, mutable_record
from voltac.system.lazy_patterns import lazy_pattern


class Operand(NamedTuple):
    """A typed operand as written: ``type`` is ``label`` for blocks, whose value keeps its ``%``."""

    type: str
    value: str


@mutable_record
class Parts:
    """One instruction, taken apart. ``type`` is the type of the result, ``void`` without one."""

    name: str
    """``%x`` or empty."""
    op: str
    type: str = "void"
    operands: list[Operand] = field(default_factory=list)
    """phi: the values in order, see ``labels``; call: the arguments; br/switch: condition or value first."""
    flags: tuple[str, ...] = ()
    """``nsw``, ``fast``, ``inbounds``, ``volatile``, ``tail``, ... in order."""
    predicate: str = ""
    """Of icmp and fcmp; the operation of atomicrmw."""
    element_type: str = ""
    """getelementptr: source element type; alloca: what is allocated; load: the loaded type."""
    labels: list[str] = field(default_factory=list)
    """Block names without ``%``: br and switch targets (default first), or a phi's incoming blocks."""
    indices: list[int] = field(default_factory=list)
    """extractvalue and insertvalue: the constant indices."""
    mask: str = ""
    """shufflevector: its mask operand as written."""
    callee: str = ""
    """call: ``@name`` or ``%name``; ``asm ...`` as written."""
    alignment: int = 0
    """load, store, alloca, ...: ``align N``, or 0."""
    ordering: str = ""
    """Atomic orderings as written, empty for what is not atomic."""
    metadata: dict[str, str] = field(default_factory=dict)
    """``tbaa`` -> ``!5``, ``dbg`` -> ``!DILocation(...)`` or ``!7``."""
    unknown: bool = False


_FLAG_WORDS = frozenset(
    (
        *("nsw", "nuw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw", "volatile", "atomic", "inalloca"),
        *("fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc", "weak"),
    )
)
_METADATA = lazy_pattern(r", !(\w[-\w.]*) (!\w+\(|!\d+|!\w+)")
_ALIGN = lazy_pattern(r"align (\d+)")


def parse(text: str) -> Parts:
    """Take an instruction apart."""
    name, operation, prefix, end = split_head(text)
    # As Parts(name, operation); what has a default that cannot change is left to the class.
    parts = _new(Parts)
    parts.name, parts.op = name, operation
    parts.operands, parts.labels, parts.indices, parts.metadata = [], _NO_LABELS, _NO_INDICES, _NO_METADATA
    rule = _SHAPES.get(operation)
    if rule is None:
        parts.unknown = True
        return parts
    rest = text[end + 1 :]
    if ", !" in rest:
        rest = _cut_metadata(rest, parts)
    flags: tuple[str, ...] = (prefix,) if prefix else ()
    while (word := rest[: (space := rest.find(" "))]) in _FLAG_WORDS and space > 0:
        flags += (word,)
        rest = rest[space + 1 :]
    if flags:
        parts.flags = flags
    rule(parts, rest)
    return parts


_NO_LABELS: list[str] = []
_NO_INDICES: list[int] = []
_NO_METADATA: dict[str, str] = {}
"""Of all instructions without: nobody changes the parts of one. A seventh of what parts take in memory."""
_new: Callable[[type[Parts]], Parts] = object.__new__
_made: Callable[..., Operand] = tuple.__new__
"""An operand of a pair of strings, without a call of its own ``__new__``, which only makes a pair of them."""


def _cut_metadata(rest: str, parts: Parts) -> str:
    """Cut the ``, !kind !7`` attachments off the end of an instruction."""
    parts.metadata = {}
    start = rest.index(", !")
    kind, _, value = rest[start + 3 :].partition(" !")
    if kind.isalnum() and value.isdigit():  # one, as nearly all have
        parts.metadata[kind] = "!" + value
        return rest[:start]
    start = -1
    position = 0
    while (found := _METADATA.search(rest, position)) is not None:
        if start < 0:
            start = found.start()
        value_start = found.start(2)
        end = match_bracket(rest, found.end() - 1) if found.group(2).endswith("(") else found.end()
        parts.metadata[found.group(1)] = rest[value_start:end]
        position = end
    return rest if start < 0 else rest[:start]


def _operand(text: str, position: int) -> tuple[Operand, int]:
    """The ``type value`` pair at a position, and the position after it."""
    simple = simple_forms.PAIR.match(text, position)
    if simple is not None and simple.group(2) not in EXPRESSION_WORDS and simple.group(2) != "addrspace":
        return _made(Operand, simple.groups()), simple.end()
    type_end = end_of_type(text, position)
    value_end = end_of_value(text, type_end + 1)
    return Operand(text[position:type_end], text[type_end + 1 : value_end]), value_end


def parse_operand(text: str) -> Operand:
    """``i32 5`` -> ``Operand("i32", "5")``."""
    return _operand(text, 0)[0]


def _binary(parts: Parts, rest: str) -> None:
    first, end = _operand(rest, 0)
    parts.operands = [first, _made(Operand, (first[0], rest[end + 2 :]))]
    parts.type = first.type


def _unary(parts: Parts, rest: str) -> None:
    first, _ = _operand(rest, 0)
    parts.operands = [first]
    parts.type = first.type


def _compare(parts: Parts, rest: str) -> None:
    parts.predicate, _, rest = rest.partition(" ")
    _binary(parts, rest)
    vector = vector_parts(parts.type)
    parts.type = f"<{vector[0]} x i1>" if vector else "i1"


def _cast(parts: Parts, rest: str) -> None:
    first, end = _operand(rest, 0)
    parts.operands = [first]
    parts.type = rest[end + len(" to ") :]


def _typed_list(parts: Parts, rest: str) -> list[str]:
    """Operands separated by commas; ``align N`` and plain integers go to their own fields, other words are returned."""
    if (simple := simple_forms.pairs(rest, 0, "")) is not None:
        for pair in simple:
            kind, value = pair
            if kind == "label":
                parts.labels = [*parts.labels, value[1:]]
            elif kind == "align":
                parts.alignment = int(value)
            else:
                parts.operands.append(_made(Operand, pair))
        return []
    others: list[str] = []
    for item in split_list(rest):
        align = _ALIGN.fullmatch(item)
        if align is not None:
            parts.alignment = int(align.group(1))
        elif item.isdigit():
            parts.indices = [*parts.indices, int(item)]
        else:
            operand, end = _operand(item, 0)
            if operand.type == "label":
                parts.labels = [*parts.labels, operand.value[1:]]
            else:
                parts.operands.append(operand)
            if end < len(item):
                others.append(item[end:].strip())
    return others


def _select(parts: Parts, rest: str) -> None:
    _typed_list(parts, rest)
    parts.type = parts.operands[1].type


def _load(parts: Parts, rest: str) -> None:
    if (simple := simple_forms.load(rest)) is not None:
        parts.type, pointer, alignment = simple
        parts.element_type, parts.operands, parts.alignment = parts.type, [Operand("ptr", pointer)], int(alignment)
        return
    end = end_of_type(rest, 0)
    parts.type = parts.element_type = rest[:end]
    parts.ordering = " ".join(_typed_list(parts, rest[end + 2 :]))


def _store(parts: Parts, rest: str) -> None:
    parts.ordering = " ".join(_typed_list(parts, rest))


def _getelementptr(parts: Parts, rest: str) -> None:
    if rest.startswith("inrange("):
        rest = rest[match_bracket(rest, rest.index("(")) + 1 :]
    end = end_of_type(rest, 0)
    parts.element_type = rest[:end]
    _typed_list(parts, rest[end + 2 :])
    lanes = 0
    for operand in parts.operands:
        vector = vector_parts(operand.type)
        if vector:
            lanes = vector[0]
    base = parts.operands[0].type
    parts.type = f"<{lanes} x ptr>" if lanes and not vector_parts(base) else base


def _alloca(parts: Parts, rest: str) -> None:
    end = end_of_type(rest, 0)
    parts.element_type = rest[:end]
    parts.type = "ptr"
    if rest[end : end + 2] == ", ":
        _typed_list(parts, rest[end + 2 :])


def _phi(parts: Parts, rest: str) -> None:
    end = end_of_type(rest, 0)
    parts.type = rest[:end]
    parts.labels = []
    for item in split_list(rest[end + 1 :]):
        value, label = split_list(item[1:-1])
        parts.operands.append(Operand(parts.type, value))
        parts.labels.append(label[1:])


_CASE = lazy_pattern(r'\w+ [-\w]+, label %(?:"[^"]*"|[-\w$.]+)')


def _switch(parts: Parts, rest: str) -> None:
    """Operands: the value, then one constant for each label after the first (the default)."""
    table = rest.index("[")
    _typed_list(parts, rest[:table].rstrip())
    # LLVM prints a case a line; ``lower`` writes them all in one.
    for case in _CASE.findall(rest, table):
        value, label = split_list(case)
        parts.operands.append(parse_operand(value))
        parts.labels.append(parse_operand(label).value[1:])


def _return(parts: Parts, rest: str) -> None:
    if rest != "void":
        _typed_list(parts, rest)


def _extractelement(parts: Parts, rest: str) -> None:
    _typed_list(parts, rest)
    vector = vector_parts(parts.operands[0].type)
    parts.type = vector[1] if vector else "void"


def _insertelement(parts: Parts, rest: str) -> None:
    _typed_list(parts, rest)
    parts.type = parts.operands[0].type


def _shufflevector(parts: Parts, rest: str) -> None:
    if (simple := simple_forms.shuffle(rest)) is not None:
        one, element, first, other, second, lanes_taken, parts.mask = simple
        parts.operands = [Operand(one, first), Operand(other, second)]
        parts.type = f"<{lanes_taken} x {element}>"
        return
    _typed_list(parts, rest)
    mask = parts.operands.pop()
    parts.mask = mask.value
    vector, lanes = vector_parts(parts.operands[0].type), vector_parts(mask.type)
    if vector and lanes:
        parts.type = f"<{lanes[0]} x {vector[1]}>"


def _extractvalue(parts: Parts, rest: str) -> None:
    _typed_list(parts, rest)
    parts.type = "aggregate"


def _insertvalue(parts: Parts, rest: str) -> None:
    _typed_list(parts, rest)
    parts.type = parts.operands[0].type


def _atomicrmw(parts: Parts, rest: str) -> None:
    parts.predicate, _, rest = rest.partition(" ")
    parts.ordering = " ".join(_typed_list(parts, rest))
    parts.type = parts.operands[1].type


def _cmpxchg(parts: Parts, rest: str) -> None:
    parts.ordering = " ".join(_typed_list(parts, rest))
    parts.type = "{ " + parts.operands[1].type + ", i1 }"


def _fence(parts: Parts, rest: str) -> None:
    parts.ordering = rest


def _call(parts: Parts, rest: str) -> None:
    """``[convention] [return attributes] type[(parameter types)] callee(arguments) ...``."""
    if (simple := simple_forms.call(rest)) is not None:
        parts.type, parts.callee, arguments = simple
        parts.operands = [_made(Operand, pair) for pair in arguments]
        return
    position = _skip_attributes(rest, 0)
    end = end_of_type(rest, position)
    parts.type = rest[position:end]
    if rest.startswith(" (", end):
        end = match_bracket(rest, end + 1)
    callee_end = end_of_value(rest, end + 1)
    parts.callee = rest[end + 1 : callee_end]
    arguments_end = match_bracket(rest, callee_end)
    for item in split_list(rest[callee_end + 1 : arguments_end - 1]):
        if item.startswith("metadata "):
            parts.operands.append(Operand("metadata", item[len("metadata ") :]))
            continue
        type_end = end_of_type(item, 0)
        value_start = _skip_attributes(item, type_end + 1)
        parts.operands.append(Operand(item[:type_end], item[value_start:]))


_ATTRIBUTE = lazy_pattern(r'"[^"]*"(?:="[^"]*")?|[a-z_]\w*')
_TYPE_WORD = lazy_pattern(r"(?:i\d+|half|bfloat|float|double|ptr|void|x86_\w+|fp128|label|token|metadata|target)\b")


def _skip_attributes(text: str, position: int) -> int:
    """Skip attribute words (``noundef``, ``align 4``, ``dereferenceable(8)``, ``fastcc``, ``"key"="value"``)."""
    while (found := _ATTRIBUTE.match(text, position)) is not None:
        word = found.group()
        if word in CONSTANT_WORDS or word in EXPRESSION_WORDS or _TYPE_WORD.match(text, position):
            return position
        if word == "c" and text.startswith('c"', position):
            return position
        end = found.end()
        if text.startswith("(", end):
            end = match_bracket(text, end)
        elif word == "align":
            end = end_of_value(text, end + 1)
        if end >= len(text):
            return position
        position = end + 1
    return position


BINARY = ("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor")
FLOAT_BINARY = ("fadd", "fsub", "fmul", "fdiv", "frem")
CASTS = (
    *("trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint", "ptrtoaddr"),
    *("inttoptr", "bitcast", "addrspacecast"),
)

LANEWISE_INTRINSICS = frozenset(
    (
        *("fabs", "copysign", "minnum", "maxnum", "minimum", "maximum", "smin", "smax", "umin", "umax", "abs", "ctpop"),
        *("fma", "fmuladd", "floor", "ceil", "rint", "trunc", "sqrt", "sadd", "uadd", "ssub", "usub", "fshl", "fshr"),
    )
)
"""Families of LLVM's intrinsics, ``@llvm.FAMILY.``, that compute each lane of vectors for itself."""

_SHAPES: dict[str, Callable[[Parts, str], object]] = {
    **dict.fromkeys((*BINARY, *FLOAT_BINARY), _binary),
    **dict.fromkeys(("fneg", "freeze"), _unary),
    **dict.fromkeys(("icmp", "fcmp"), _compare),
    **dict.fromkeys(CASTS, _cast),
    "select": _select,
    "load": _load,
    "store": _store,
    "getelementptr": _getelementptr,
    "alloca": _alloca,
    "phi": _phi,
    "br": _typed_list,
    "switch": _switch,
    "ret": _return,
    "call": _call,
    "extractelement": _extractelement,
    "insertelement": _insertelement,
    "shufflevector": _shufflevector,
    "extractvalue": _extractvalue,
    "insertvalue": _insertvalue,
    "atomicrmw": _atomicrmw,
    "cmpxchg": _cmpxchg,
    "fence": _fence,
    "unreachable": lambda parts, rest: None,
}
