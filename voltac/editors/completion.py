"""What may be written at a place: members behind a dot, else names, functions of the library, and words of the language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lsprotocol.types import CompletionItem, CompletionItemKind, MarkupContent, MarkupKind

from voltac.editors.declared_names import DeclaredName, vector_members
from voltac.editors.documents import OpenDocument
from voltac.editors.names import KnownNames
from voltac.editors.positions import characters, lines_of
from voltac.editors.words import BUILT_IN_VARIABLES, KEYWORDS, LIBRARY, Word, words
from voltac.report.source_colours import coloured

_KINDS = {
    "variable": CompletionItemKind.Variable,
    "parameter": CompletionItemKind.Variable,
    "function": CompletionItemKind.Function,
    "template": CompletionItemKind.Function,
    "struct": CompletionItemKind.Struct,
    "enum": CompletionItemKind.Enum,
    "enumerator": CompletionItemKind.EnumMember,
    "type": CompletionItemKind.Class,
    "member": CompletionItemKind.Field,
    "macro": CompletionItemKind.Constant,
}
_OF_WORDS = {
    KEYWORDS: (CompletionItemKind.Keyword, "4"),
    BUILT_IN_VARIABLES: (CompletionItemKind.Constant, "2"),
    LIBRARY: (CompletionItemKind.Function, "3"),
}
"""Heading -> kind, and where they stand in the list."""
_DIRECTIVES = ("define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "pragma", "error", "warning")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_BRACKETS = re.compile(r"\[[^][]*\]")
_CHAIN = re.compile(r"((?:[A-Za-z_]\w*\s*(?:\.|->)\s*)+)\Z")
_DIRECTIVE = re.compile(r"\s*#\s*\w*\Z")


def code_before(document: OpenDocument, line: int, column: int, encoding: str) -> list[str] | None:
    """The lines up to a position, comments and strings made blanks; None within one of these."""
    lines = lines_of(document.text)[: line + 1]
    if len(lines) <= line:
        return None
    lines[-1] = lines[-1][: characters(lines[-1], column, encoding)]
    found = coloured(lines)
    blank = ("comment", "string")
    code = ["".join(" " * len(text) if kind in blank else text for text, kind in pieces) for pieces in found]
    text, kind = found[-1][-1] if found[-1] else ("", "")
    if kind == "comment" and (text.startswith("//") or not text.endswith("*/")):
        return None
    return None if '"' in code[-1] else code


def completions(document: OpenDocument, line: int, column: int, encoding: str) -> list[CompletionItem]:
    """The items for a position, in the units of the client."""
    code = code_before(document, line, column, encoding)
    if code is None:
        return []
    here = code[-1]
    if _DIRECTIVE.fullmatch(here):
        return [CompletionItem(label=word, kind=CompletionItemKind.Keyword) for word in _DIRECTIVES]
    before = _NAME.sub("", here)
    if before.rstrip().endswith((".", "->")):
        return list(_members(document, before, line, column))
    if before[-1:].isdigit():
        # A suffix of a number.
        return []
    return list(_everything(document, line, column))


def _everything(document: OpenDocument, line: int, column: int) -> Iterator[CompletionItem]:
    found = visible(document, line, column)
    for entry in found.values():
        place = "0" if entry.scope is not None else "1" if entry.file else "5"
        yield _item(entry, place)
    known = words()
    for name, form in document.names.library.items():
        if name not in found:
            # What is a device's own is said by its declaration.
            yield _word(known.get(name) or Word(name, LIBRARY, (form,), ""))
    for name, word in known.items():
        if word.heading != LIBRARY and name not in found:
            yield _word(word)


def visible(document: OpenDocument, line: int, column: int) -> dict[str, DeclaredName]:
    """Name -> meaning at a position; with what was there before the present text had its mistakes."""
    names, earlier = document.names, document.compiled_names
    if names is earlier:
        return names.visible(document.path, line, column)
    return {**earlier.visible(document.path, line, column), **names.visible(document.path, line, column)}


def _members(document: OpenDocument, before: str, line: int, column: int) -> Iterator[CompletionItem]:
    key = _key_of_chain(document, before, line, column)
    for entry in _members_of(document, key):
        yield _item(entry, "0")
    for letter in vector_members(key):
        yield CompletionItem(label=letter, kind=CompletionItemKind.Field, detail="element of a short vector")


def _key_of_chain(document: OpenDocument, before: str, line: int, column: int) -> str:
    """The key of the members of ``a.b[i]->c``, as far as names lead; indices lead to elements, which have the same key."""
    while (plain := _BRACKETS.sub("", before)) != before:
        before = plain
    chain = _CHAIN.search(before)
    if chain is None or before[: chain.start()].rstrip().endswith((".", "->", ")")):
        return ""
    first, *others = re.findall(r"\w+", chain[1])
    entry = visible(document, line, column).get(first)
    key = entry.members if entry is not None else ""
    for name in others:
        key = next((member.members for member in _members_of(document, key) if member.name == name), "")
    return key


def _members_of(document: OpenDocument, key: str) -> Sequence[DeclaredName]:
    if not key:
        return ()
    return document.names.members.get(key) or document.compiled_names.members.get(key, ())


def _item(entry: DeclaredName, place: str) -> CompletionItem:
    return CompletionItem(
        label=entry.name,
        kind=_KINDS.get(entry.kind, CompletionItemKind.Text),
        detail=entry.detail,
        documentation=_markdown(entry.documentation),
        sort_text=place + entry.name,
    )


def _word(word: Word) -> CompletionItem:
    kind, place = _OF_WORDS[word.heading]
    detail = "\n".join(word.forms) or None
    return CompletionItem(
        label=word.name, kind=kind, detail=detail, documentation=_markdown(word.text), sort_text=place + word.name
    )


def _markdown(text: str) -> MarkupContent | None:
    return MarkupContent(MarkupKind.Markdown, text) if text else None


def named_functions(names: KnownNames, name: str) -> list[DeclaredName]:
    """The functions and templates of a name."""
    return [entry for entry in names.entries if entry.name == name and entry.kind in ("function", "template")]
