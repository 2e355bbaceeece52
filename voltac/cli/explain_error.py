"""``voltac explain-error [CODE ...]``: what the codes of messages mean, with examples."""

from __future__ import annotations

import textwrap

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.outputs import write_standard_output
from voltac.messages.explanations import EXPLAINED, examples, level
from voltac.messages.suggestions import suggestion
from voltac.messages.warning_switches import WARNINGS

_COLUMN = 20
_WIDTH = 80
"""Where the meaning begins in the list of codes, and the line of a terminal."""


def explain_error_command(arguments: Namespace) -> int:
    """The exit code, 0; a code that is not known is a UsageError."""
    codes: list[str] = arguments.operands
    for code in codes:
        if code not in EXPLAINED:
            raise UsageError(f"unknown code '{code}'{suggestion(code, EXPLAINED)}; 'voltac explain-error' lists them all")
    text = "\n".join(_explained(code) for code in codes) if codes else _all()
    write_standard_output(text.encode())
    return 0


def _explained(code: str) -> str:
    row = EXPLAINED[code]
    switch = f"; '--wno-{code}' switches it off" if code in WARNINGS else ""
    return (
        "\n".join([f"{code} ({level(row)}{switch})", "", *textwrap.wrap(row.text, _WIDTH), "", examples(row)]).rstrip() + "\n"
    )


def _all() -> str:
    lines: list[str] = []
    for kind in ("error", "warning"):
        lines += ["", f"{kind}s:"] if lines else [f"{kind}s:"]
        for row in EXPLAINED.values():
            if level(row) == kind:
                head = f"  {row.code}".ljust(_COLUMN - 1) + " "
                lines += textwrap.wrap(row.text, _WIDTH, initial_indent=head, subsequent_indent=" " * _COLUMN)
    return "\n".join(lines) + "\n"
