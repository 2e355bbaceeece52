"""What the codes of messages mean, as ``voltac explain-error`` and SARIF documents say it."""

from __future__ import annotations

from voltac.messages.error_codes import ERROR_CODES, MessageCode
from voltac.messages.warning_examples import WARNING_CODES
from voltac.messages.warning_switches import WARNINGS

EXPLAINED: dict[str, MessageCode] = {row.code: row for row in (*ERROR_CODES, *WARNING_CODES)}


def level(row: MessageCode) -> str:
    """``error`` or ``warning``."""
    return "warning" if row.code in WARNINGS else "error"


def examples(row: MessageCode) -> str:
    """The wrong program and the right one as text; empty where the mistake is not one of a source."""
    parts = [(title, source) for title, source in (("Wrong", row.wrong), ("Right", row.right)) if source]
    return "\n\n".join(f"{title}:\n\n{_shown(source)}" for title, source in parts)


_LONGEST_LINE = 200
"""Of an example that is shown: that of deep nesting is cut."""


def _shown(source: str) -> str:
    return "\n".join(f"    {line[:_LONGEST_LINE]}{' ...' * (len(line) > _LONGEST_LINE)}" for line in source.split("\n"))
