"""What a device has not, and the instruction that needs it → the place of the program that it comes from.

sin(a[i])        the library's sine, inlined, needs what there is not: the call is the place
a[i] + 1         the statement is
"""

from __future__ import annotations

from voltac.codegen.not_on_device import NotOnDevice
from voltac.ir.model import Function, Instruction
from voltac.ir.read import read
from voltac.lower.debug.debug_names import recorded
from voltac.messages.message import NOWHERE, Span
from voltac.options import Options
from voltac.passes.accesses.access import SourcePlaces, locations
from voltac.sema import tree
from voltac.sema.tree_walk import nodes, nodes_of


def place_of_function(reason: NotOnDevice, program: tree.Program) -> Span:
    """The head of the function that needs it; ``NOWHERE`` for one that is not the program's own."""
    return next((each.span for each in _own(program) if reason.function in (each.name, each.mangled)), NOWHERE)


def place_of_instruction(reason: NotOnDevice, text: str, program: tree.Program, options: Options) -> Span:
    """The place in the program of an instruction of ``text``, which has debug information; ``NOWHERE`` if it has none.

    Of one in a function of the library that is a call of that function, through whatever others it goes.
    """
    module = read(text)
    places = SourcePlaces(locations(module))
    seen: set[str] = set()
    waiting = [(reason.function, reason.instruction)] if reason.instruction is not None else []
    while waiting:
        function, instruction = waiting.pop(0)
        statement, calls = _statement(*places.outermost(instruction), program, options)
        if statement is not NOWHERE:
            comes_from_call = instruction.op == "call" or places.inlined(instruction)
            return calls[0] if comes_from_call and len(calls) == 1 else statement
        if function not in seen:
            seen.add(function)
            waiting += [(caller.name, call) for caller in module.functions for call in _calls_of(function, caller)]
    return NOWHERE


def _calls_of(name: str, caller: Function) -> list[Instruction]:
    return [each for each in caller.instructions() if each.op == "call" and each.parts.callee == "@" + name]


def _statement(file: str, line: int, column: int, program: tree.Program, options: Options) -> tuple[Span, list[Span]]:
    """The innermost statement that begins there, and what in it asks the library or LLVM for something."""
    found, calls = NOWHERE, list[Span]()
    for function in _own(program):
        for node in nodes_of(function) if recorded(function.span.file, options) == file else ():
            if isinstance(node, tree.Statement) and (node.span.line, node.span.column) == (line, column):
                found, calls = node.span, [each.span for each in nodes(node) if _asks(each)]
    return found, calls


def _asks(node: object) -> bool:
    return isinstance(node, tree.Intrinsic) or (isinstance(node, tree.Call) and node.function.library)


def _own(program: tree.Program) -> list[tree.FunctionSymbol]:
    return [function for function in program.functions if not function.library and function.body is not None]
