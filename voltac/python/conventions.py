"""LLVM text of a module → how its functions take their arguments and give their results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from voltac.ir.scan import end_of_type, match_bracket, split_list


@dataclass(frozen=True, slots=True)
class Convention:
    """How LLVM text passes the values of a function, as its ``define`` line has it."""

    result: str
    result_attributes: str
    parameters: tuple[tuple[str, str], ...]
    """(type, attributes of the convention)."""
    result_in_memory: bool = False
    """The address for the result, a struct, is the first, hidden argument."""


_ABI_ATTRIBUTES = re.compile(r"\b(?:signext|zeroext|inreg|noundef)\b")
_TRAILING_TYPE = re.compile(r"(?:\{.*\}|<[^<>]*>|\[.*\]|\S+)$")


def conventions(text: str) -> dict[str, Convention]:
    """The conventions of the functions a module's text defines."""
    found: dict[str, Convention] = {}
    for name, result, parameters in heads(text, "define"):
        type_ = trailing_type(result)
        in_memory = bool(parameters) and " sret(" in parameters[0]
        found[name] = Convention(
            type_,
            " ".join(_ABI_ATTRIBUTES.findall(result.removesuffix(type_))),
            tuple(_parameter_convention(parameter) for parameter in parameters[in_memory:]),
            in_memory,
        )
    return found


def heads(text: str, word: str) -> Iterator[tuple[str, str, list[str]]]:
    """Of the functions that a text defines or declares, as ``word`` says: name, result with attributes, parameters."""
    for match in re.finditer(rf'^{word} ([^@\n]*)@("[^"\n]*"|[\w.$-]+)\(', text, re.MULTILINE):
        end = match_bracket(text, match.end() - 1) - 1
        yield match[2].strip('"'), match[1].strip(), split_list(text[match.end() : end])


def trailing_type(result: str) -> str:
    """The type that stands last, behind attributes."""
    match = _TRAILING_TYPE.search(result)
    assert match is not None
    return match[0]


def _parameter_convention(text: str) -> tuple[str, str]:
    end = end_of_type(text, 0)
    return text[:end], " ".join(_ABI_ATTRIBUTES.findall(text[end:]))
