"""Words that a misspelt one may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def close_words(name: str, known: Iterable[str], cutoff: float = 0.7) -> list[str]:
    """Up to three words of small edit distance, the closest first."""
    from difflib import get_close_matches  # late: slow to import, and needed after mistakes only

    return get_close_matches(name, sorted(set(known)), n=3, cutoff=cutoff)


def suggestion(name: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` for names of small edit distance, else an empty string."""
    close = close_words(name, known)
    if not close:
        return ""
    return "; did you mean " + " or ".join(f"'{match}'" for match in close) + "?"
