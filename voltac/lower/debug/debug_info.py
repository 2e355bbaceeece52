"""Places, scopes and variables of the source -> LLVM debug metadata.

With ``-g`` every instruction gets the place of its statement (DWARF line tables), and
every variable a record of where it is: ``#dbg_declare`` with its address, or ``#dbg_value``
with its value. At ``-O0`` values are also kept in memory, so that they can be seen
wherever the variable is in scope.

Without, only accesses to memory and calls get their place, in a unit that LLVM writes
no debug sections for: the passes need the places for performance warnings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.ir.strings import quoted
from voltac.lower.debug.debug_names import folder_and_name
from voltac.lower.debug.debug_types import DebugTypes
from voltac.lower.text.ir_values import IR
from voltac.lower.text.module_builder import ModuleBuilder
from voltac.messages.message import Span
from voltac.options import Options
from voltac.sema import tree
from voltac.sema.type_layout import Layout

if TYPE_CHECKING:
    from voltac.lower.function_context import FunctionContext
    from voltac.lower.memory.places import Address


class DebugInfo:
    """The metadata of one module."""

    def __init__(self, text: ModuleBuilder, options: Options, file: str, sizes: Layout) -> None:
        self._text = text
        self._options = options
        self._full = options.debug_info
        self._every_place = options.debug_info or bool(options.sample_profile)
        self._profiling = options.profiling
        self._optimized = options.level > 0
        self._files: dict[str, str] = {}
        self._locations: dict[tuple[str, Span], str] = {}
        self._file_of_scope: dict[str, str] = {}
        self._globals: list[str] = []
        self._retained: dict[str, list[str]] = {}
        """Subprogram -> its variables; those that the optimiser removes are shown as such."""
        self._variables: dict[tuple[str, tree.VariableSymbol], str] = {}
        """By scope: each copy of a body has its own."""
        self._types = DebugTypes(text, sizes, options.target)
        self._unit = f"!{text.metadata_placeholder()}"
        self._main = self._file(file or "input.ispc")
        self._untyped = text.metadata_node("!DISubroutineType(types: !{null})")
        flags = [text.metadata_node('!{i32 2, !"Debug Info Version", i32 3}')]
        if self._full:
            flags.append(text.metadata_node(f'!{{i32 7, !"Dwarf Version", i32 {options.dwarf_version}}}'))
        if options.position_independent:
            level = 1 if options.position_independent == "small" else 2
            flags.append(text.metadata_node(f'!{{i32 8, !"PIC Level", i32 {level}}}'))
        text.named_metadata["llvm.dbg.cu"] = f"!{{{self._unit}}}"
        text.named_metadata["llvm.module.flags"] = f"!{{{', '.join(flags)}}}"

    @property
    def keeps_values(self) -> bool:
        """Does a value need a place in memory to be seen as long as its variable is in scope?"""
        return self._full and not self._optimized

    def finish(self) -> None:
        """Write the nodes that list others."""
        text = self._text
        variables = f"globals: {text.metadata_node('!{' + ', '.join(self._globals) + '}')}, " if self._globals else ""
        text.metadata[int(self._unit[1:])] = (
            f'distinct !DICompileUnit(language: DW_LANG_C99, file: {self._main}, producer: "voltac", '
            f"isOptimized: {'true' if self._optimized else 'false'}, runtimeVersion: 0, {variables}"
            f"emissionKind: {'FullDebug' if self._full else 'NoDebug'}, "
            f"debugInfoForProfiling: {'true' if self._profiling else 'false'}, "
            # The linker joins the name indices of objects into a section that gdb refuses with a warning.
            "nameTableKind: None)"
        )
        for node, variables_of in self._retained.items():
            text.metadata[int(node[1:])] = f"!{{{', '.join(variables_of)}}}"

    def _file(self, name: str) -> str:
        known = self._files.get(name)
        if known is None:
            # The strings of debug information end at a zero byte.
            folder, shown = (part.replace("\0", "\\0") for part in folder_and_name(name, self._options))
            known = self._text.metadata_node(f"!DIFile(filename: {quoted(shown)}, directory: {quoted(folder)})")
            self._files[name] = known
        return known

    # --- functions and scopes

    def begin_function(self, c: FunctionContext, symbol: tree.FunctionSymbol) -> str:
        """The ``!dbg`` part of the definition."""
        file = self._file(symbol.span.file or "input.ispc")
        type = self._types.function(symbol.type) if self._full else self._untyped
        flags, retained = "DISPFlagDefinition", ""
        if self._optimized:
            flags += " | DISPFlagOptimized"
            if self._full:
                c.retained_variables = f"!{self._text.metadata_placeholder()}"
                self._retained[c.retained_variables] = []
                retained = f", retainedNodes: {c.retained_variables}"
        c.scope = self._text.metadata_node(
            # Without the symbol's name: gdb would show that instead.
            f"distinct !DISubprogram(name: {quoted(symbol.name)}, scope: {file}, file: {file}, "
            f"line: {symbol.span.line}, type: {type}, scopeLine: {symbol.span.line}, spFlags: {flags}, "
            f"unit: {self._unit}{retained})"
        )
        self._file_of_scope[c.scope] = symbol.span.file
        c.span = symbol.span
        c.build.place_of_call = lambda: self.attachment(c)
        return f" !dbg {c.scope}"

    def enter(self, c: FunctionContext, span: Span) -> str:
        """Begin a scope of variables; gives the one around it, to be put back into ``c.scope``."""
        outside = c.scope
        if self._full and span.line:
            file = self._file(span.file)
            c.scope = self._text.metadata_node(
                f"distinct !DILexicalBlock(scope: {outside}, file: {file}, line: {span.line}, column: {_column(span)})"
            )
            self._file_of_scope[c.scope] = span.file
        return outside

    def enter_block(self, c: FunctionContext, node: tree.Block) -> str:
        """As :meth:`enter` for a block that declares variables of its own."""
        if self._full and node is not c.body and _opens_scope(node):
            return self.enter(c, node.span)
        return c.scope

    # --- places

    def _location(self, scope: str, span: Span) -> str:
        key = (scope, Span(*span))
        location = self._locations.get(key)
        if location is None:
            if span.file != self._file_of_scope[scope]:
                # Text of an included file in the middle of a function.
                file = self._file(span.file)
                scope = self._text.metadata_node(f"!DILexicalBlockFile(scope: {scope}, file: {file}, discriminator: 0)")
            location = self._text.metadata_node(f"!DILocation(line: {span.line}, column: {_column(span)}, scope: {scope})")
            self._locations[key] = location
        return location

    def at(self, c: FunctionContext, span: Span) -> None:
        """What is emitted from here on belongs to this place of the source."""
        if not span.line:
            return
        c.span = span
        if self._every_place:
            c.build.location = f", !dbg {self._location(c.scope, span)}"

    def at_end(self, c: FunctionContext) -> None:
        """What is emitted from here on belongs to the closing brace of the function."""
        span = c.body.span
        if span.end_line:
            self.at(c, Span(span.file, span.end_line, max(1, span.end_column - 1), span.end_line, span.end_column))

    def attachment(self, c: FunctionContext) -> str:
        """What an access or a call has behind it."""
        return f", !dbg {self._location(c.scope, c.span)}"

    # --- variables

    def declare(self, c: FunctionContext, symbol: tree.VariableSymbol, address: Address, *, indirect: bool = False) -> None:
        """A variable lies at an address; ``indirect``: at the address that lies there."""
        if not self._full:
            return
        if address.as_mask and c.target.mask_bits == 1 and not self._optimized:
            self._record(c, symbol, "#dbg_declare", address.pointer, *_bytes_of_bits(c.width), as_mask=False)
            return
        expression = "!DIExpression(DW_OP_deref)" if indirect else "!DIExpression()"
        self._record(c, symbol, "#dbg_declare", address.pointer, expression, as_mask=address.as_mask)

    def value(self, c: FunctionContext, symbol: tree.VariableSymbol, value: IR) -> None:
        """A variable has this value until it is told another one."""
        if self._full and value.type != c.types.mask:
            self._record(c, symbol, "#dbg_value", value, "!DIExpression()", as_mask=False)

    def _record(
        self, c: FunctionContext, symbol: tree.VariableSymbol, kind: str, what: IR, *expressions: str, as_mask: bool
    ) -> None:
        span = symbol.span
        if not span.line or not c.build.reachable:
            return
        variable = self._variables.get((c.scope, symbol))
        if variable is None:
            type = self._types.mask if as_mask else self._type(symbol)
            number = f"arg: {c.symbol.parameters.index(symbol) + 1}, " if symbol in c.symbol.parameters else ""
            file = self._file(span.file)
            variable = self._variables[c.scope, symbol] = self._text.metadata_node(
                f"!DILocalVariable(name: {quoted(symbol.name)}, {number}scope: {c.scope}, file: {file}, "
                f"line: {span.line}, type: {type})"
            )
            if c.retained_variables:
                self._retained[c.retained_variables].append(variable)
        elif kind == "#dbg_declare":
            # LLVM wants one address of a variable, and a copy of a statement may have no scope of its own.
            return
        location = self._location(c.scope, span)
        for expression in expressions:
            c.build.debug_record(f"{kind}({what}, {variable}, {expression}, {location})")

    def _type(self, symbol: tree.VariableSymbol) -> str:
        return self._types.reference(symbol.type) if symbol.is_reference else self._types.of(symbol.type)

    def global_variable(self, symbol: tree.VariableSymbol, name: str, scope: str = "") -> None:
        """A variable of the file or, in a ``scope``, a static one of a function."""
        if not self._full or not symbol.span.line:
            return
        file = self._file(symbol.span.file)
        local = "true" if symbol.kind == "static" else "false"
        variable = self._text.metadata_node(
            f"distinct !DIGlobalVariable(name: {quoted(symbol.name)}, scope: {scope or self._unit}, file: {file}, "
            f"line: {symbol.span.line}, type: {self._type(symbol)}, isLocal: {local}, isDefinition: true)"
        )
        node = self._text.metadata_node(f"!DIGlobalVariableExpression(var: {variable}, expr: !DIExpression())")
        self._globals.append(node)
        self._text.globals[name] += f", !dbg {node}"


def _column(span: Span) -> int:
    """0 where the column is not known, or more than there is room for."""
    return span.column if span.column < 1 << 16 else 0


_EACH_BYTE, _OWN_BIT = 0x0101010101010101, 0x8040201008040201
_BELOW_TOP, _TOP = 0x7F7F7F7F7F7F7F7F, 0x8080808080808080
"""Eight bytes each: a 1 to repeat a byte, of byte i only bit i, what carries any bit into the highest, and that one."""


def _bytes_of_bits(width: int) -> list[str]:
    """A mask of one bit a lane as an object of a byte a lane: gdb cannot take a single element out of packed bits.

    Eight lanes at a time: a byte of the mask is repeated in each byte of a word, where one
    bit of it is left, which ends up as the lowest of its byte.
    """
    expressions = []
    for byte in range(-(-width // 8)):
        steps = [f"DW_OP_plus_uconst, {byte}"] if byte else []
        steps += ["DW_OP_deref_size, 1"]
        for number, operation in ((_EACH_BYTE, "mul"), (_OWN_BIT, "and"), (_BELOW_TOP, "plus"), (_TOP, "and"), (7, "shr")):
            steps += [f"DW_OP_constu, {number}, DW_OP_{operation}"]
        steps += ["DW_OP_stack_value"]
        if width > 8:
            steps += [f"DW_OP_LLVM_fragment, {64 * byte}, 64"]
        expressions.append(f"!DIExpression({', '.join(steps)})")
    return expressions


def _opens_scope(node: tree.Block) -> bool:
    """Do declarations end with the block? Labelled statements and declarations of several variables are blocks too."""
    statements = node.statements
    if not statements or isinstance(statements[0], tree.CaseLabel | tree.Label):
        return False
    return _declares(node) and not all(isinstance(statement, tree.Declare) for statement in statements)


def _declares(node: tree.Block) -> bool:
    for statement in node.statements:
        if isinstance(statement, tree.Declare):
            return True
        if isinstance(statement, tree.Block) and not _opens_scope(statement) and _declares(statement):
            return True
    return False
