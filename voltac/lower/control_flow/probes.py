"""Instrumented builds: where the mask may differ from what it was before, code that counts it or tells of it.

A *probe* stands before the first statement of each stretch of code that lanes run through together: the function, a
branch, the body of a loop, what is behind a statement that lanes may have left. The statements that follow it under the same
mask share it. With ``instrument="counts"`` it adds one to a counter, of which there is one for each number of lanes that
may be on; additions are atomic, since tasks count too. With ``"calls"`` it calls the C function that users of ispc define
(documented in ispc's performance guide, "Instrumenting ISPC Programs To Understand Runtime Behavior").
"""

from __future__ import annotations

from voltac.ir.marks import PROFILE_COUNTS, PROFILE_PLACES
from voltac.lower.control_flow import masks
from voltac.lower.function_context import FunctionContext
from voltac.lower.module_context import ModuleContext
from voltac.lower.text.ir_values import IR, integer
from voltac.messages.message import Span
from voltac.messages.visible import bytes_of
from voltac.records import mutable_record
from voltac.sema import tree

CALLED = "ISPCInstrument"
"""``void ISPCInstrument(const char *file, const char *note, int line, uint64_t mask)``"""

_NOT_EXECUTED = (tree.Block, tree.CaseLabel, tree.Label)
"""Statements that do nothing of their own."""
_NOTES: dict[type, str] = {
    tree.If: "if",
    tree.Loop: "loop",
    tree.Foreach: "foreach",
    tree.ForeachActive: "foreach_active",
    tree.ForeachUnique: "foreach_unique",
    tree.Switch: "switch",
    tree.Return: "return",
    tree.Break: "break",
    tree.Continue: "continue",
    tree.Goto: "goto",
    tree.Unmasked: "unmasked",
}
"""What the note of a call says that is about to be executed; of others, ``statement``."""
ENTRY = "function entry"


@mutable_record(eq=False)
class _Probes:
    """The probes of one version of a function."""

    known: dict[tuple[str, str], int]
    """Block and mask -> the probe for them: what is executed in one block under one mask is executed as often."""

    def before(self, c: FunctionContext, node: tree.Statement) -> None:
        """Of a statement that is about to be lowered."""
        if not isinstance(node, _NOT_EXECUTED):
            self.reached(c, node.span, _NOTES.get(type(node), "statement"))

    def reached(self, c: FunctionContext, span: Span, note: str) -> None:
        """A place in the source."""
        if not c.build.reachable:
            return
        mask = c.mask
        key = c.build.label, "" if mask is None else mask.name
        number = self.known.get(key)
        if c.options.instrument == "calls":
            if number is None:
                self.known[key] = 0
                _tell(c, mask, span, note)
            return
        places = c.module.probes
        if number is None:
            number = self.known[key] = len(places)
            places.append([])
            _count(c, mask, number)
        places[number].append([span.file, span.line, span.column, note])


def begin_probes(c: FunctionContext) -> None:
    """Where the body of a function of the program begins, in an instrumented build; the library is not looked at."""
    if c.options.instrument and not c.symbol.library:
        probes = _Probes({})
        probes.reached(c, c.symbol.span, ENTRY)
        c.probe = probes.before


def _tell(c: FunctionContext, mask: IR | None, span: Span, note: str) -> None:
    callee = c.module.text.declare(CALLED, "void", "ptr, ptr, i32, i64", "nounwind")
    file, text = (c.module.text.text_constant(bytes_of(one)) for one in (span.file, note))
    lanes = integer("i64", (1 << c.width) - 1) if mask is None else _widened(c, masks.bits(c, mask))
    c.build.emit(f"call void {callee}({file}, {text}, i32 {span.line}, {lanes})")


def _count(c: FunctionContext, mask: IR | None, number: int) -> None:
    first = number * (c.width + 1)
    if mask is None:
        index = integer("i64", first + c.width)
    else:
        lanes = masks.bits(c, mask)
        callee = c.module.intrinsic(f"llvm.ctpop.{lanes.type}", lanes.type, lanes.type)
        on = _widened(c, c.build.value(lanes.type, f"call {lanes.type} {callee}({lanes})"))
        index = c.build.binary("add", on, integer("i64", first))
    counter = c.build.gep("i64", IR("ptr", f'@"{PROFILE_COUNTS}"'), index)
    c.build.emit(f"atomicrmw add {counter}, i64 1 monotonic, align 8")


def _widened(c: FunctionContext, value: IR) -> IR:
    """An unsigned integer as one of 64 bits."""
    return value if value.type == "i64" else c.build.convert("zext", value, "i64")


def finish(module: ModuleContext) -> None:
    """Define what the probes of a module count in, and the text that says of what: a list a probe of its statements, each
    ``[file, line, column, note]``."""
    if module.options.instrument != "counts":
        return
    import json  # late: for these builds only

    size = len(module.probes) * (module.options.target.width + 1)
    module.text.globals[f'@"{PROFILE_COUNTS}"'] = f"global [{size} x i64] zeroinitializer, align 64"
    content = bytes_of(json.dumps(module.probes))
    module.text.globals[f'@"{PROFILE_PLACES}"'] = module.text.bytes_constant(content)
