"""The symbols of a document: functions, types with their members, global variables, macros."""

from __future__ import annotations

from lsprotocol.types import DocumentSymbol, Position, SymbolKind
from lsprotocol.types import Range as ClientRange

from voltac.editors.declared_names import DeclaredName
from voltac.editors.documents import OpenDocument
from voltac.editors.positions import NO_RANGE, Range

_KINDS = {
    "variable": SymbolKind.Variable,
    "function": SymbolKind.Function,
    "template": SymbolKind.Function,
    "struct": SymbolKind.Struct,
    "enum": SymbolKind.Enum,
    "enumerator": SymbolKind.EnumMember,
    "type": SymbolKind.Class,
    "member": SymbolKind.Field,
    "macro": SymbolKind.Constant,
}


def document_symbols(document: OpenDocument) -> list[DocumentSymbol]:
    """In the order of the source."""
    own = [entry for entry in document.names.entries if entry.file == document.path and entry.depth == 0]
    # Those of an enumeration are below it, if it has a name.
    below = {id(child) for entry in own for child in entry.children}
    top = [entry for entry in own if id(entry) not in below]
    return [_symbol(entry) for entry in sorted(top, key=lambda entry: entry.place or NO_RANGE)]


def _symbol(entry: DeclaredName) -> DocumentSymbol:
    place = entry.place or NO_RANGE
    extent = entry.extent or place
    if not (extent[:2] <= place[:2] and place[2:] <= extent[2:]):
        # A name out of a macro stands elsewhere.
        extent = place
    children = [_symbol(child) for child in entry.children]
    return DocumentSymbol(entry.name, _KINDS[entry.kind], _range(extent), _range(place), detail=entry.detail, children=children)


def _range(range: Range) -> ClientRange:
    return ClientRange(Position(*range[:2]), Position(*range[2:]))
