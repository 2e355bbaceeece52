"""Messages in SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format): one document a run of the compiler."""

from __future__ import annotations

import os
from typing import Any

from voltac.messages.explanations import EXPLAINED, examples, level
from voltac.messages.message import Diagnostic, Note, Span
from voltac.messages.visible import visible

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def sarif_document(messages: list[Diagnostic], version: str) -> str:
    """The text of the document, also where there is no message; ``version`` is the compiler's."""
    from json import dumps  # late: slow to import, and seldom needed

    rules = list(dict.fromkeys(message.code for message in messages))
    driver = {"name": "voltac", "version": version, "rules": [_described(rule) for rule in rules]}
    results = [_result(message, rules) for message in messages]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _described(rule: str) -> dict[str, Any]:
    row = EXPLAINED[rule]
    described: dict[str, Any] = {"id": rule, "shortDescription": {"text": row.text}}
    described["defaultConfiguration"] = {"level": level(row)}
    if row.wrong:
        described["help"] = {"text": examples(row)}
    return described


def _result(message: Diagnostic, rules: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"ruleId": message.code, "ruleIndex": rules.index(message.code)}
    row["level"] = "error" if message.is_error else "warning"
    row["message"] = {"text": visible(message.text)}
    if message.span.file:
        row["locations"] = [_location(message.span)]
    related = [_related(note) for note in (*message.notes, *message.chain) if note.span.file]
    if related:
        row["relatedLocations"] = related
    return row


def _related(note: Note) -> dict[str, Any]:
    return {**_location(note.span), "message": {"text": visible(note.text)}}


def _location(span: Span) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(span.file)}}
    if span.line:
        place["region"] = {
            "startLine": span.line,
            "startColumn": span.column,
            "endLine": span.end_line,
            "endColumn": span.end_column,
        }
    return {"physicalLocation": place}


def _uri(file: str) -> str:
    """Relative where the name is: to the folder in which the compiler runs."""
    from urllib.parse import quote  # late: slow to import

    text = quote(os.fsencode(file))
    return "file://" + text if os.path.isabs(file) else text
