"""Checks that a module is legal IR, and says what is not: the rules in the docstring of this folder."""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import Parts
from voltac.ir.scan import split_list
from voltac.ir.verify import verify as verify_structure

SCALARS = frozenset(("i1", "i32", "float", "ptr", "ptr addrspace(68)"))
VECTORS = frozenset(("<16 x i1>", "<16 x i32>", "<16 x float>"))
LEGAL = SCALARS | VECTORS
NUMBERS = frozenset(("i32", "<16 x i32>"))
FLOATS = frozenset(("float", "<16 x float>"))
CONDITIONS = frozenset(("i1", "<16 x i1>"))
_SHORT = frozenset(("i8", "i16"))
_PACKED = {"<16 x i8>": 16, "<16 x i16>": 32}
_SCRATCHPAD = "ptr addrspace(68)"


class IllegalIR(Exception):
    """``str()`` says where and why."""


def _all(types: frozenset[str]) -> Callable[[Parts], bool]:
    return lambda parts: all(operand.type in types for operand in parts.operands)


def _cast(*pairs: tuple[str, str]) -> Callable[[Parts], bool]:
    return lambda parts: (parts.operands[0].type, parts.type) in pairs


def _load(parts: Parts) -> bool:
    type, space = parts.type, parts.operands[0].type
    if type in VECTORS - {"<16 x i1>"}:
        return parts.alignment >= (4 if space == _SCRATCHPAD else 64)
    return type in SCALARS - {"i1"} or type in _SHORT


def _store(parts: Parts) -> bool:
    type, space = parts.operands[0].type, parts.operands[1].type
    if type in VECTORS - {"<16 x i1>"}:
        return parts.alignment >= (4 if space == _SCRATCHPAD else 64)
    if type in _PACKED:
        return space == "ptr" and parts.alignment >= _PACKED[type]
    return type in SCALARS - {"i1"} or type in _SHORT


def _select(parts: Parts) -> bool:
    condition, first, _ = (operand.type for operand in parts.operands)
    return first in LEGAL and (condition == "i1" or (condition == "<16 x i1>" and first in VECTORS - {"<16 x i1>"}))


def _getelementptr(parts: Parts) -> bool:
    return parts.element_type == "i8" and [operand.type for operand in parts.operands[1:]] == ["i32"]


def _shuffle(parts: Parts) -> bool:
    return parts.type in VECTORS - {"<16 x i1>"} and parts.operands[1].value == "poison"


def _insert(parts: Parts) -> bool:
    return parts.type in VECTORS - {"<16 x i1>"} and parts.operands[2].type == "i32"


def _extract(parts: Parts) -> bool:
    return parts.operands[0].type in VECTORS - {"<16 x i1>"} and parts.operands[1].type == "i32"


_INTRINSICS = ("@llvm.ctlz.", "@llvm.cttz.", "@llvm.masked.load.", "@llvm.masked.store.")


def _call(parts: Parts) -> bool:
    if parts.callee.startswith("@llvm.") and not parts.callee.startswith(_INTRINSICS):
        return False
    results = [parts.type] if parts.type[0] != "{" else [each.strip() for each in _members(parts.type)]
    return all(each in LEGAL or each == "void" for each in results) and _all(LEGAL)(parts)


def _members(type: str) -> list[str]:
    return split_list(type[1:-1])


def _anything(parts: Parts) -> bool:
    return True


RULES: dict[str, Callable[[Parts], bool]] = {
    **dict.fromkeys(("add", "sub", "mul", "shl", "lshr", "ashr", "icmp"), _all(NUMBERS)),
    **dict.fromkeys(("and", "or", "xor"), _all(NUMBERS | CONDITIONS)),
    **dict.fromkeys(("fadd", "fsub", "fmul", "fdiv"), _all(FLOATS)),
    **dict.fromkeys(("phi", "freeze"), _all(LEGAL)),
    "sitofp": _cast(("i32", "float"), ("<16 x i32>", "<16 x float>")),
    "fptosi": _cast(("float", "i32"), ("<16 x float>", "<16 x i32>")),
    "zext": _cast(("i1", "i32"), ("<16 x i1>", "<16 x i32>"), ("i16", "i32"), ("i8", "i32")),
    "sext": _cast(("i1", "i32"), ("<16 x i1>", "<16 x i32>")),
    "trunc": _cast(("i32", "i16"), ("i32", "i8"), ("<16 x i32>", "<16 x i8>"), ("<16 x i32>", "<16 x i16>")),
    "bitcast": _cast(
        ("float", "i32"), ("i32", "float"), ("<16 x float>", "<16 x i32>"), ("<16 x i32>", "<16 x float>"),
        ("<16 x i1>", "i16"), ("i16", "<16 x i1>"),
    ),
    "ptrtoint": _cast(("ptr", "i32"), (_SCRATCHPAD, "i32")),
    "addrspacecast": _cast(("ptr", _SCRATCHPAD)),
    "inttoptr": _cast(("i32", "ptr"), ("i32", _SCRATCHPAD)),
    "select": _select,
    "load": _load,
    "store": _store,
    "getelementptr": _getelementptr,
    "shufflevector": _shuffle,
    "insertelement": _insert,
    "extractelement": _extract,
    "call": _call,
    **dict.fromkeys(("alloca", "br", "switch", "ret", "unreachable", "extractvalue", "insertvalue"), _anything),
}  # fmt: skip


def illegal(instruction: Instruction) -> bool:
    """Whether no row allows the instruction."""
    rule = RULES.get(instruction.op)
    return rule is None or not rule(instruction.parts)


def complaints(function: Function) -> list[str]:
    """What of a function is no legal IR."""
    found = [f"parameter {each.name} is {each.type}" for each in function.parameters if each.type not in LEGAL]
    return found + [each.text.strip() for each in function.instructions() if illegal(each)]


def verify(module: Module) -> None:
    """Raise :class:`IllegalIR` for the first instruction that is not legal, InternalError for what no IR may be."""
    for function in module.functions:
        for complaint in complaints(function):
            raise IllegalIR(f"in @{function.name}: {complaint}")
    verify_structure(module, stage="legalize")
