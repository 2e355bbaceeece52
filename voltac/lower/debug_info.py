"""Places in the source -> LLVM debug metadata.

With ``-g`` every instruction gets the place of its statement (DWARF line tables).
Without, only accesses to memory and calls get theirs, in a unit that LLVM writes
no debug sections for: the passes need the places for performance warnings.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from voltac.diagnostics import Span
from voltac.lower.builder import ModuleBuilder
from voltac.options import Options
from voltac.sema import tree

if TYPE_CHECKING:
    from voltac.lower.context import FunctionContext


class DebugInfo:
    """The metadata of one module."""

    def __init__(self, text: ModuleBuilder, options: Options, file: str) -> None:
        self._text = text
        self._full = options.debug_info
        self._optimized = options.level > 0
        self._files: dict[str, str] = {}
        self._locations: dict[tuple[str, int, int], str] = {}
        self._scopes: dict[int, str] = {}
        main = self._file(file or "input.ispc")
        self._unit = text.metadata_node(
            f'distinct !DICompileUnit(language: DW_LANG_C99, file: {main}, producer: "voltac", '
            f"isOptimized: {'true' if self._optimized else 'false'}, runtimeVersion: 0, "
            f"emissionKind: {'FullDebug' if self._full else 'NoDebug'}, "
            # The linker joins the name indices of objects into a section that gdb refuses with a warning.
            "nameTableKind: None)"
        )
        self._signature = text.metadata_node("!DISubroutineType(types: !{null})")
        flags = [text.metadata_node('!{i32 2, !"Debug Info Version", i32 3}')]
        if self._full:
            flags.append(text.metadata_node(f'!{{i32 7, !"Dwarf Version", i32 {options.dwarf_version}}}'))
        text.named_metadata["llvm.dbg.cu"] = f"!{{{self._unit}}}"
        text.named_metadata["llvm.module.flags"] = f"!{{{', '.join(flags)}}}"

    def _file(self, name: str) -> str:
        known = self._files.get(name)
        if known is None:
            folder, base = os.path.split(os.path.abspath(name))
            quoted = [part.replace("\\", "\\5C").replace('"', "\\22") for part in (base, folder)]
            known = self._text.metadata_node(f'!DIFile(filename: "{quoted[0]}", directory: "{quoted[1]}")')
            self._files[name] = known
        return known

    def begin_function(self, c: FunctionContext, symbol: tree.FunctionSymbol) -> str:
        """The ``!dbg`` part of the definition."""
        file = self._file(symbol.span.file or "input.ispc")
        flags = "DISPFlagDefinition | DISPFlagOptimized" if self._optimized else "DISPFlagDefinition"
        scope = self._text.metadata_node(
            f'distinct !DISubprogram(name: "{symbol.name}", scope: {file}, file: {file}, line: {symbol.span.line}, '
            f"type: {self._signature}, scopeLine: {symbol.span.line}, spFlags: {flags}, unit: {self._unit})"
        )
        self._scopes[id(c)] = scope
        c.span = symbol.span
        if self._full:
            c.build.location = f", !dbg {self._location(c, symbol.span)}"
        return f" !dbg {scope}"

    def _location(self, c: FunctionContext, span: Span) -> str:
        scope = self._scopes[id(c)]
        key = (scope, span.line, span.column)
        location = self._locations.get(key)
        if location is None:
            location = self._text.metadata_node(f"!DILocation(line: {span.line}, column: {span.column}, scope: {scope})")
            self._locations[key] = location
        return location

    def at(self, c: FunctionContext, span: Span) -> None:
        """What is emitted from here on belongs to this place of the source."""
        if not span.line:
            return
        c.span = span
        if self._full:
            c.build.location = f", !dbg {self._location(c, span)}"

    def attachment(self, c: FunctionContext) -> str:
        """What an access or a call has behind it; empty where the builder writes places itself."""
        return "" if self._full else f", !dbg {self._location(c, c.span)}"
