"""The forms of the function whose arguments are being written."""

from __future__ import annotations

import re

from lsprotocol.types import MarkupContent, MarkupKind, ParameterInformation, SignatureHelp, SignatureInformation

from voltac.editors.completion import code_before, named_functions
from voltac.editors.documents import OpenDocument
from voltac.editors.words import words

_FARTHEST = 100
"""Lines above in which the bracket of a call is looked for."""
_CALL = re.compile(r"([A-Za-z_]\w*)\s*(?:<[^<>()]*>\s*)?\Z")


def signature_help(document: OpenDocument, line: int, column: int, encoding: str) -> SignatureHelp | None:
    """For a position in the units of the client; None outside of calls of functions whose forms are known."""
    code = code_before(document, line, column, encoding)
    if code is None:
        return None
    call = _open_call("\n".join(code[-_FARTHEST:]))
    if call is None:
        return None
    name, argument = call
    found = [(entry.detail, entry.documentation) for entry in named_functions(document.names, name)]
    found = found or [(entry.detail, entry.documentation) for entry in named_functions(document.compiled_names, name)]
    if not found and (word := words().get(name)) is not None:
        found = [(form, word.text) for form in word.forms if f"{name}(" in form]
    elif not found and name in document.names.library:
        found = [(document.names.library[name], "")]
    if not found:
        return None
    signatures = [_signature(name, form, text) for form, text in found]
    fitting = [number for number, one in enumerate(signatures) if len(one.parameters or ()) > argument]
    return SignatureHelp(signatures=signatures, active_signature=next(iter(fitting), 0), active_parameter=argument)


def _open_call(code: str) -> tuple[str, int] | None:
    """The name before the innermost bracket that is open at the end, and the number of the argument."""
    depth = commas = 0
    for position in range(len(code) - 1, -1, -1):
        character = code[position]
        if character in ")]}":
            depth += 1
        elif character in "([{":
            depth -= 1
            if depth < 0:
                found = _CALL.search(code[:position]) if character == "(" else None
                return (found[1], commas) if found else None
        elif depth == 0 and character == ",":
            commas += 1
        elif depth == 0 and character == ";":
            return None
    return None


def _signature(name: str, form: str, text: str) -> SignatureInformation:
    begin = form.find(f"{name}(") + len(name) + 1
    parameters, depth, start = [], 0, begin
    for position in range(begin, len(form)):
        character = form[position]
        if (character == ")" and depth == 0) or (character == "," and depth == 0):
            if form[start:position].strip():
                parameters.append(ParameterInformation(label=form[start:position].strip()))
            start = position + 1
            if character == ")":
                break
        depth += (character in "([<") - (character in ")]>")
    documentation = MarkupContent(MarkupKind.Markdown, text) if text else None
    return SignatureInformation(label=form, documentation=documentation, parameters=parameters)
