"""Reading JSON without ``json``, whose import takes longer than all the cache has to read."""

from __future__ import annotations

from typing import Any


class _AsInJson:
    """What the reader asks its decoder for."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def from_json_text(text: str) -> Any:
    """The value that a text is; any exception where it is none."""
    try:
        # late: CPython's own module, in which ``json`` does its work too, may be missing
        from _json import make_scanner
    except ImportError:
        import json  # late: see above

        return json.loads(text)
    decoder: Any = _AsInJson
    value, end = make_scanner(decoder)(text, 0)
    if end != len(text):
        raise ValueError("there is more behind the value")
    return value
