"""Typed trees by hand, with short names, for tests that must not depend on the parser."""

from __future__ import annotations

from voltac.messages.message import NOWHERE
from voltac.options import Options
from voltac.sema import tree
from voltac.sema.types import (
    BOOL,
    DOUBLE,
    INT32,
    VARYING,
    VARYING_INT32,
    VOID_QUAL,
    FunctionType,
    Pointer,
    Qual,
    Type,
    joint_rate,
    uniform,
)
from voltac.target_info import find_target

EIGHT = Options(target=find_target("avx2-i32x8"))
INT_POINTER = uniform(Pointer(uniform(INT32)))
DOUBLE_POINTER = uniform(Pointer(uniform(DOUBLE)))
LANE = tree.ProgramIndex(NOWHERE, VARYING_INT32)


def local(name: str, qual: Qual = VARYING_INT32) -> tree.VariableSymbol:
    return tree.VariableSymbol(name, qual, "local")


def place(symbol: tree.VariableSymbol) -> tree.Variable:
    return tree.variable(symbol, NOWHERE)


def read(where: tree.Place | tree.VariableSymbol) -> tree.Value:
    if isinstance(where, tree.VariableSymbol):
        where = place(where)
    return tree.Load(NOWHERE, where.type.with_const(False), where)


def number(value: int | float, qual: Qual = VARYING_INT32) -> tree.Value:
    return tree.Constant(NOWHERE, qual, value)


def varying(value: tree.Value) -> tree.Value:
    return value if value.type.rate is VARYING else tree.Broadcast(NOWHERE, value.type.with_rate(VARYING), value)


def convert(value: tree.Value, type: Type) -> tree.Value:
    return tree.Convert(NOWHERE, Qual(type, value.type.rate), value)


def operate(left: tree.Value, operator: str, right: tree.Value | int) -> tree.Value:
    if isinstance(right, int):
        right = number(right, left.type)
    if joint_rate((left.type, right.type)) is VARYING:
        left, right = varying(left), varying(right)
    comparison = operator in ("<", "<=", ">", ">=", "==", "!=")
    return tree.Binary(NOWHERE, Qual(BOOL, left.type.rate) if comparison else left.type, operator, left, right)


def item(pointer: tree.VariableSymbol, index: tree.Value) -> tree.Place:
    """``pointer[index]``"""
    base = read(pointer)
    moved = tree.PointerOffset(NOWHERE, base.type.with_rate(joint_rate((base.type, index.type))), base, index)
    return tree.deref(moved, NOWHERE)


def element_of(aggregate: tree.Place, index: tree.Value) -> tree.Place:
    return tree.element(aggregate, index, NOWHERE)


def assign(where: tree.Place | tree.VariableSymbol, value: tree.Value) -> tree.Statement:
    if isinstance(where, tree.VariableSymbol):
        where = place(where)
    return tree.Evaluate(NOWHERE, tree.Assign(NOWHERE, value.type, where, value))


def declare(symbol: tree.VariableSymbol, value: tree.Initializer | int) -> tree.Statement:
    return tree.Declare(NOWHERE, symbol, number(value, symbol.type) if isinstance(value, int) else value)


def block(*statements: tree.Statement) -> tree.Block:
    return tree.Block(NOWHERE, statements)


def when(test: tree.Value, then: tree.Statement, otherwise: tree.Statement | None = None) -> tree.Statement:
    return tree.If(NOWHERE, test, then, otherwise, False)


def loop(test: tree.Value | None, step: tree.Value | None, *body: tree.Statement) -> tree.Statement:
    return tree.Loop(NOWHERE, test, step, block(*body), True, False, None)


def step(symbol: tree.VariableSymbol) -> tree.Value:
    return tree.Increment(NOWHERE, symbol.type, place(symbol), "++", True)


BREAK, CONTINUE = tree.Break(NOWHERE), tree.Continue(NOWHERE)


def function(
    name: str, parameters: list[tree.VariableSymbol], *body: tree.Statement, result: Qual = VOID_QUAL
) -> tree.FunctionSymbol:
    kind = FunctionType(result, tuple(symbol.type for symbol in parameters))
    return tree.FunctionSymbol(name, kind, name, tuple(parameters), block(*body))


def program(*functions: tree.FunctionSymbol) -> tree.Program:
    return tree.Program(functions=list(functions))
