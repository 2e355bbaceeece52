"""The functions in a module's text, for passes that make code faster: only those with something of theirs are taken apart."""

from __future__ import annotations

from collections.abc import Callable

from voltac.ir import marks

_BEGINNING, _END = "define ", "\n}"


def rewrite_functions(text: str, rewrite: Callable[[str], str]) -> str:
    """The module's text with each definition, ``define`` to ``}``, as ``rewrite`` gives it, but for those seldom called.

    Where that gives back each as it was, so is the text, and nothing is copied.
    """
    pieces: list[str] = []
    changed = False
    position = 0
    while (start := _next(text, position)) >= 0:
        end = text.index(_END, start) + len(_END)
        before = text[start:end]
        after = before if marks.is_seldom_called(before[: before.index("\n")]) else rewrite(before)
        changed = changed or after is not before
        pieces += text[position:start], after
        position = end
    return "".join([*pieces, text[position:]]) if changed else text


def _next(text: str, position: int) -> int:
    """Where the next definition begins, -1 if there is none."""
    if not position and text.startswith(_BEGINNING):
        return 0
    found = text.find("\n" + _BEGINNING, position)
    return found if found < 0 else found + 1
