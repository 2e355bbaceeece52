"""The index of the standard library: name -> the top-level declarations of that name, as tokens.

The files ``stdlib/*.ispc`` are preprocessed and cut at the ends of their top-level
declarations. ``stdlib/index.json`` holds the result, so that a compilation preprocesses
nothing; it is used while the sizes and checksums of the files are those it was made from,
and ``python -m voltac.sema.library.generate`` writes it anew. Library files may not depend on
macros of the target; the built-in variables say what they need to know.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from voltac.messages.diagnostics import Diagnostics, InternalError
from voltac.messages.message import Span
from voltac.options import Options
from voltac.records import field, mutable_record, record
from voltac.syntax import Preprocessed, preprocess
from voltac.system.kept_values import kept
from voltac.system.shipped_files import shipped_folder
from voltac.target_info import TargetInfo, find_target

LIBRARY = shipped_folder("stdlib")
_HEADERS = "include"
"""The folder of the library for headers. Declarations in each of the others, an overlay, hold for one value of ``--math-lib``,
for the device of its name, for processors with (``fused``) or without (``unfused``) fused multiply-add, or for those without an
instruction that scales by powers of two (``without_scaling``, ``fast_without_scaling``)."""
INDEX_FILE = os.path.join(LIBRARY, "index.json")


@record
class Chunk:
    """One top-level declaration: a stretch of tokens. Places in it are the line of its start and the number of the token."""

    file: str
    line: int
    texts: tuple[str, ...]

    def spans(self) -> list[Span]:
        """A place for each token: its line, and its number in place of a column."""
        file, line = self.file, self.line
        return [Span(file, line, number, line, number + 1) for number in range(1, len(self.texts) + 1)]

    def head(self) -> Chunk:
        """The same function without its statements; other declarations and templates are all head."""
        if self.texts[-1] != "}" or self.texts[0] == "template":
            return self
        body = self.texts.index("{")
        return Chunk(self.file, self.line, (*self.texts[: body + 1], "}"))

    def signature(self) -> tuple[str, ...]:
        """The head without the names of parameters."""
        head = self.head().texts
        head = head[_behind_attributes(head, 0) :]
        if head[0] == "template" and "{" in head:
            head = head[: head.index("{")]
        return tuple(text for text, behind in zip(head, (*head[1:], "")) if behind not in (",", ")"))


def _behind_attributes(texts: Sequence[str], begin: int) -> int:
    while texts[begin] == "__attribute__":
        begin = _behind_brackets(texts, begin + 1, "(", ")")
    return begin


def _behind_brackets(texts: Sequence[str], begin: int, left: str, right: str) -> int:
    """The place behind the bracket that closes the one at ``begin``."""
    depth = 0
    for place in range(begin, len(texts)):
        depth += (texts[place] == left) - (texts[place] == right)
        if depth == 0:
            return place + 1
    raise InternalError("the standard library has a bracket without its partner")


Row = list[Any]
"""A chunk as JSON holds it: file, line, and the tokens in one text, a line each."""


@mutable_record
class LibraryIndex:
    """What the library declares."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    """Name -> its declarations."""
    types: set[str] = field(default_factory=set)
    templates: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    """Static functions and templates, and what C functions are called: for the library's own use."""
    overlays: dict[str, dict[str, list[Row]]] = field(default_factory=dict)
    """Overlay -> name -> declarations that take the place of those with the same head, or are added."""

    def chunks(self, name: str, overlays: Sequence[str]) -> list[Chunk]:
        """The declarations of a name, later overlays before earlier ones; few are asked for, so they are made when they are."""
        found = [_chunk(row) for row in self.rows.get(name, ())]
        for overlay in overlays:
            over = [_chunk(row) for row in self.overlays.get(overlay, {}).get(name, ())]
            if over:
                heads = {chunk.signature() for chunk in over}
                found = [chunk for chunk in found if chunk.signature() not in heads] + over
        return found

    def has(self, name: str, overlays: Sequence[str]) -> bool:
        """Whether the library or one of the overlays declares a name."""
        return name in self.rows or any(name in self.overlays.get(overlay, {}) for overlay in overlays)


def overlays_of(target: TargetInfo, math_library: str) -> tuple[str, ...]:
    """What a target and ``--math-lib`` put in place of the common library, the stronger last."""
    if target.device is not None:
        return target.device.libraries
    fused = "fused" if target.has_fma else "unfused"
    if target.has_avx512:
        return (math_library, fused)
    return ("without_scaling", math_library, f"{math_library}_without_scaling", fused)


def _chunk(row: Row) -> Chunk:
    file, line, text = row
    return Chunk(file, line, tuple(text.split("\n")))


_KNOWN: list[LibraryIndex] = []


def index() -> LibraryIndex:
    """The index, from its file if that is current."""
    if not _KNOWN:
        files = [os.path.join(LIBRARY, name) for name in _names()]
        _KNOWN.append(LibraryIndex(*kept("library", [__file__, INDEX_FILE, *files], _made)))
    return _KNOWN[0]


def _made() -> tuple[Any, ...]:
    made = _read() or build()
    return made.rows, made.types, made.templates, made.hidden, made.overlays


def _names() -> list[str]:
    """The library's files. (pathlib would cost more than reading them.)"""
    found = []
    overlays = sorted(name for name in os.listdir(LIBRARY) if "." not in name and name != _HEADERS)
    for folder in ("", *overlays):
        for name in sorted(os.listdir(os.path.join(LIBRARY, folder))):
            if name.endswith((".ispc", ".isph")):
                found.append(os.path.join(folder, name))
    return found


def _sources() -> dict[str, bytes]:
    """Name -> contents of the library's files."""
    found = {}
    for name in _names():
        with open(os.path.join(LIBRARY, name), "rb") as file:
            found[name] = file.read()
    return found


def checksums() -> dict[str, int]:
    """File name -> checksum, of the library as it is now; in the index they say what it was made of."""
    import zlib  # late: what was kept is read without

    return {name: zlib.crc32(contents) for name, contents in _sources().items()}


def _read() -> LibraryIndex | None:
    """The index of ``index.json``; None if it is missing or older than the library."""
    import json  # late: what was kept is read without

    try:
        with open(INDEX_FILE, encoding="utf-8") as file:
            stored = json.load(file)
        if stored["checksums"] != checksums():
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    types, templates, hidden = (set(stored[key]) for key in ("types", "templates", "hidden"))
    return LibraryIndex(stored["chunks"], types, templates, hidden, stored["overlays"])


def write() -> None:
    """Make ``index.json`` anew."""
    import json  # late: as above

    made = build()
    stored = {
        "checksums": checksums(),
        "types": sorted(made.types),
        "templates": sorted(made.templates),
        "hidden": sorted(made.hidden),
        "chunks": dict(sorted(made.rows.items())),
        "overlays": {name: dict(sorted(rows.items())) for name, rows in made.overlays.items()},
    }
    with open(INDEX_FILE, "w", encoding="utf-8") as file:
        file.write(json.dumps(stored, indent=0, ensure_ascii=False) + "\n")


def build() -> LibraryIndex:
    """Preprocess the library and cut it."""
    made = LibraryIndex()
    diagnostics = Diagnostics()
    options = Options(target=find_target("avx2-i32x8"))
    for name, contents in _sources().items():
        if name.endswith(".ispc"):
            source = preprocess(contents.decode(), os.path.join(LIBRARY, name), options, diagnostics)
            folder = os.path.dirname(name)
            rows = made.overlays.setdefault(folder, {}) if folder else made.rows
            for chunk in cut(source, name):
                _add(chunk, made, rows)
    if diagnostics.error_count:
        raise InternalError("the standard library has mistakes:\n" + diagnostics.render())
    return made


def cut(source: Preprocessed, file: str) -> Iterable[Chunk]:
    """Cut at the semicolons and closing braces that stand outside of all brackets."""
    texts, spans = source.texts, source.spans
    begin = depth = 0
    for position, text in enumerate(texts):
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
        elif depth or text != ";":
            continue
        if depth == 0 and (text == ";" or (text == "}" and texts[position + 1 : position + 2] not in ([";"], [","], ["="]))):
            yield Chunk(f"<stdlib>/{file}", spans[begin].line, tuple(texts[begin : position + 1]))
            begin = position + 1


def _add(chunk: Chunk, made: LibraryIndex, rows: dict[str, list[Row]]) -> None:
    """Find the name a chunk declares: what stands before the first parenthesis, or behind struct and enum."""
    texts = chunk.texts
    begin = _behind_brackets(texts, 1, "<", ">") if texts[0] == "template" else 0
    begin = _behind_attributes(texts, begin)
    if texts[begin] in ("struct", "enum"):
        name = texts[begin + 1]
        made.types.add(name)
    elif texts[begin] == "typedef":
        name = texts[-2]
        made.types.add(name)
    elif "(" in texts[begin:] and "=" not in texts[begin : texts.index("(", begin)]:
        name = texts[texts.index("(", begin) - 1]
    else:
        # A variable: its name stands before the brackets, the initial value or the end.
        name = next(texts[at - 1] for at, text in enumerate(texts) if text in ("=", "[", ";"))
    if name == "__attribute__":
        raise InternalError(f"{chunk.file}:{chunk.line}: attributes stand in front of a declaration")
    if texts[0] == "template":
        made.templates.add(name)
    if texts[0] == "template" or "static" in texts[begin : begin + 4] or texts[0] == "extern":
        made.hidden.add(name)
    rows.setdefault(name, []).append([chunk.file, chunk.line, "\n".join(texts)])
