"""The language for Pygments: colours of sources in pages, notebooks and terminals, found by the name ``ispc``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from pygments.lexer import Lexer
from pygments.token import Comment, Keyword, Number, String, Text

from voltac.report.source_colours import coloured

_TOKENS = {
    "keyword": Keyword,
    "type": Keyword.Type,
    "rate": Keyword.Reserved,
    "number": Number,
    "string": String,
    "comment": Comment,
    "directive": Comment.Preproc,
}


class IspcLexer(Lexer):  # type: ignore[misc]
    """The words are those of the compiler's own tables."""

    name: ClassVar[str] = "ISPC"
    aliases: ClassVar[Iterable[str]] = ["ispc", "volta"]
    filenames: ClassVar[Iterable[str]] = ["*.ispc", "*.isph"]
    mimetypes: ClassVar[Iterable[str]] = ["text/x-ispc"]

    def get_tokens_unprocessed(self, text: str, *_: Any) -> Iterator[tuple[int, Any, str]]:
        """Place, kind and text of each piece; the pieces make the whole text."""
        at = 0
        for number, pieces in enumerate(coloured(text.split("\n"))):
            if number:
                yield at, Text, "\n"
                at += 1
            for piece, kind in pieces:
                yield at, _TOKENS.get(kind, Text), piece
                at += len(piece)
