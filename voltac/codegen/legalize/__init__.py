"""ir -> ir: every value and operation becomes one that a machine with words of 32 bits has ("legal IR").

    %q = udiv i64 %a, %b      ->      %q = call { i32, i32, i32, i32 } @divide(i32 %a.0, i32 %a.1, i32 %b.0, i32 %b.1)

A device asks for this with a :class:`~voltac.codegen.legalize.function.LegalMachine`: the facts of its registers and
instructions, and tables of what writes an operation. It takes the rows from here
and puts its own beside them or in their place:

=========================  ====================================================================
:data:`RULES`              integers of any width, division, aggregates, calls, memory, vectors of any number of lanes, atomics
:data:`FLOAT_RULES`        comparisons, signs, remainders, numbers of 16 bits, on the bits of floats
``INTRINSICS``             LLVM's intrinsics that see the instruction (``intrinsics.py``); those of floats in ``floats.py``
``INTEGER_FUNCTIONS``      those that work lane by lane (``elementwise.py``); of floats in ``float_elementwise.py``
``REDUCTIONS``             of vectors (``reductions.py``)
``..._ROUTINES``           what is too long to be written out (``routines.py`` and its neighbours)
=========================  ====================================================================

What is legal: types as in ``shapes.py``; ``add sub mul and or xor shl lshr ashr icmp select`` of words and, but for ``mul`` and
shifts, of conditions; ``zext sext trunc`` between conditions, bytes, halves and words; ``getelementptr i8``; loads and stores
of what :class:`~voltac.codegen.legalize.machine_facts.MachineFacts` names; ``phi br switch call ret``; what a machine's own
rows write.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.legalize import aggregates, atomics, division, floats, function, halves, integer_rules, lanes, memory
from voltac.codegen.legalize.function import Legalizer, LegalMachine, Rule
from voltac.codegen.legalize.routines import routine_text
from voltac.codegen.legalize.shapes import Shapes
from voltac.codegen.legalize.writer import nowhere
from voltac.ir.model import Function, Module
from voltac.ir.read import read
from voltac.ir.write import write
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns

RULES: dict[str, Rule] = {
    **function.RULES,
    **aggregates.RULES,
    **atomics.RULES,
    **division.RULES,
    **integer_rules.RULES,
    **lanes.RULES,
    **memory.RULES,
}
"""Operation -> rule, for every machine."""
FLOAT_RULES: dict[str, Rule] = {**floats.RULES, **halves.RULES}
"""For those whose floats are added, subtracted, multiplied and divided, and no more."""


def legal_text(
    text: str,
    options: Options,
    passes: tuple[Pass, ...],
    check: Callable[[Module], None],
    runs: PassRuns | None = None,
) -> str:
    """Any module -> the same in legal IR, by a machine's passes; ``check`` raises where something is not legal."""
    module = read(text)
    runs = runs or PassRuns()
    for row in runs.of(passes, options, lambda: write(module)):
        row.run(module, options)
    check(module)
    return write(module)


def legalize(module: Module, options: Options, machine: LegalMachine) -> None:
    """Rewrite the functions of a module, and add the routines they call."""
    shapes = Shapes(module.layout(options.target.pointer_bits // 8), machine.facts)
    declarations: set[str] = set()
    wanted: set[str] = set()
    uses_nowhere = False
    groups = {line.split()[1]: line for line in module.lines() if line.startswith("attributes #")}

    def rewrite(function: Function) -> Function:
        nonlocal uses_nowhere
        words = " ".join(groups.get(word, word) for word in function.attributes.split())
        legalizer = Legalizer(machine, shapes, function, words)
        made = legalizer.run()
        if machine.pair_lanes is not None and options.level:
            declarations.update(machine.pair_lanes(made, legalizer.lanes))
        declarations.update(legalizer.write.declarations)
        wanted.update(legalizer.write.routines)
        uses_nowhere = uses_nowhere or legalizer.write.uses_nowhere
        return made

    items: list[Function | list[str]] = []
    for item in module.items:
        items.append(rewrite(item) if isinstance(item, Function) else item)
    done: set[str] = set()
    while wanted - done:
        name = min(wanted - done)
        done.add(name)
        routine = read(routine_text(machine, name)).functions[0]
        items.append(rewrite(routine))
    module.items = items
    module.declare(f"declare {line} nounwind" for line in sorted(declarations))
    if uses_nowhere:
        size = machine.facts.vector_bytes
        module.items.insert(1, [f"{nowhere(machine.facts)} = internal constant [{size} x i8] zeroinitializer, align {size}"])


def drop_unused(module: Module) -> None:
    """Take out declarations of what is no longer called, and debug information."""
    called = {
        instruction.parts.callee
        for function in module.functions
        for instruction in function.instructions()
        if instruction.op == "call"
    }
    for item in module.items:
        if isinstance(item, list):
            item[:] = [line for line in item if _is_kept(line, called)]


def _is_kept(line: str, called: set[str]) -> bool:
    if line.startswith("declare "):
        name = line[line.index("@") :].partition("(")[0]
        return name in called or not name.startswith("@llvm.")
    return not line.startswith("!")
