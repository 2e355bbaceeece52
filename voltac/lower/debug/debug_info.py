"""Files, scopes, places and variables of the source -> LLVM debug metadata of a module.

With ``-g`` every instruction gets the place of its statement (DWARF line tables), and
every variable a record of where it is: ``#dbg_declare`` with its address, or ``#dbg_value``
with its value. At ``-O0`` values are also kept in memory, so that they can be seen
wherever the variable is in scope.

Without, only accesses to memory and calls get their place, in a unit that LLVM writes
no debug sections for: the passes need the places for performance warnings. Which code of a function belongs to
which place is the business of ``function_debug.py``.
"""

from __future__ import annotations

from voltac.ir.strings import quoted
from voltac.lower.debug.debug_names import folder_and_name
from voltac.lower.debug.debug_types import DebugTypes
from voltac.lower.text.module_builder import ModuleBuilder
from voltac.messages.message import Span
from voltac.options import Options
from voltac.sema import tree
from voltac.sema.type_layout import Layout


class DebugInfo:
    """The metadata of one module."""

    def __init__(self, text: ModuleBuilder, options: Options, file: str, sizes: Layout) -> None:
        self._text = text
        self._options = options
        self.full = options.debug_info
        """With variables and types, for a debugger."""
        self.every_place = options.debug_info or bool(options.sample_profile)
        """Every instruction gets a place, not only accesses to memory and calls."""
        self._profiling = options.profiling
        self.optimized = options.level > 0
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
        if self.full:
            flags.append(text.metadata_node(f'!{{i32 7, !"Dwarf Version", i32 {options.dwarf_version}}}'))
        if options.position_independent:
            level = 1 if options.position_independent == "small" else 2
            flags.append(text.metadata_node(f'!{{i32 8, !"PIC Level", i32 {level}}}'))
        text.named_metadata["llvm.dbg.cu"] = f"!{{{self._unit}}}"
        text.named_metadata["llvm.module.flags"] = f"!{{{', '.join(flags)}}}"

    def finish(self) -> None:
        """Write the nodes that list others."""
        text = self._text
        variables = f"globals: {text.metadata_node('!{' + ', '.join(self._globals) + '}')}, " if self._globals else ""
        text.metadata[int(self._unit[1:])] = (
            f'distinct !DICompileUnit(language: DW_LANG_C99, file: {self._main}, producer: "voltac", '
            f"isOptimized: {'true' if self.optimized else 'false'}, runtimeVersion: 0, {variables}"
            f"emissionKind: {'FullDebug' if self.full else 'NoDebug'}, "
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

    # --- scopes and places

    def subprogram(self, symbol: tree.FunctionSymbol) -> tuple[str, str]:
        """The scope that a function is, and the list of its variables; empty where none is kept."""
        file = self._file(symbol.span.file or "input.ispc")
        type = self._types.function(symbol.type) if self.full else self._untyped
        flags, kept, retained = "DISPFlagDefinition", "", ""
        if self.optimized:
            flags += " | DISPFlagOptimized"
            if self.full:
                kept = f"!{self._text.metadata_placeholder()}"
                self._retained[kept] = []
                retained = f", retainedNodes: {kept}"
        scope = self._text.metadata_node(
            # Without the symbol's name: gdb would show that instead.
            f"distinct !DISubprogram(name: {quoted(symbol.name)}, scope: {file}, file: {file}, "
            f"line: {symbol.span.line}, type: {type}, scopeLine: {symbol.span.line}, spFlags: {flags}, "
            f"unit: {self._unit}{retained})"
        )
        self._file_of_scope[scope] = symbol.span.file
        return scope, kept

    def block(self, outside: str, span: Span) -> str:
        """A scope of variables inside another one."""
        file = self._file(span.file)
        scope = self._text.metadata_node(
            f"distinct !DILexicalBlock(scope: {outside}, file: {file}, line: {span.line}, column: {_column(span)})"
        )
        self._file_of_scope[scope] = span.file
        return scope

    def location(self, scope: str, span: Span) -> str:
        """A place of the source, in a scope."""
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

    # --- variables

    def local_variable(
        self, scope: str, symbol: tree.VariableSymbol, number: int, kept: str, as_mask: bool
    ) -> tuple[str, bool]:
        """A variable or parameter in a scope, and whether it is new there.

        ``number`` counts parameters from 1 and is 0 for variables; ``kept`` is the list of the function's variables.
        """
        known = self._variables.get((scope, symbol))
        if known is not None:
            return known, False
        type = self._types.mask if as_mask else self._type(symbol)
        argument = f"arg: {number}, " if number else ""
        file = self._file(symbol.span.file)
        variable = self._variables[scope, symbol] = self._text.metadata_node(
            f"!DILocalVariable(name: {quoted(symbol.name)}, {argument}scope: {scope}, file: {file}, "
            f"line: {symbol.span.line}, type: {type})"
        )
        if kept:
            self._retained[kept].append(variable)
        return variable, True

    def _type(self, symbol: tree.VariableSymbol) -> str:
        return self._types.reference(symbol.type) if symbol.is_reference else self._types.of(symbol.type)

    def global_variable(self, symbol: tree.VariableSymbol, name: str, scope: str = "") -> None:
        """A variable of the file or, in a ``scope``, a static one of a function."""
        if not self.full or not symbol.span.line:
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
