"""A program's body under a mask that is all on, which nothing in the program says: what it gives stays what it was.

A run-test has most of its code where all lanes are known to be on. Under such a mask all of it takes the ways for masks that
hold any lanes, and its expectation still comes from numpy.
"""

from __future__ import annotations

import re

_PARAMETERS = "uniform double out[], uniform float f[], uniform int32 i[], uniform int n"
_HEAD = re.compile(r"export void test\(" + re.escape(_PARAMETERS) + r"\) *\{")
_BRACES = re.compile(r'//.*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"|[{}]')
_TEST = f"export void test({_PARAMETERS})"
_CALL = "body_of_test(out, f, i, n)"
_FUNCTION = f"static noinline void body_of_test({_PARAMETERS})"
_NOTHING = "(int)((i[programIndex & 63] + (int)100) >> 20)"
"""0 in all lanes: the inputs are small."""

WAYS = {
    "a function called under a mask": (f"{_FUNCTION} {{", f"}}\n{_TEST} {{ if ({_NOTHING} == 0) {_CALL}; }}"),
    "a function inlined under a mask": (
        f"static inline void body_of_test({_PARAMETERS}) {{",
        f"}}\n{_TEST} {{ if ({_NOTHING} == 0) {_CALL}; }}",
    ),
    "a function called behind a loop's condition": (
        f"{_FUNCTION} {{",
        f"}}\n{_TEST} {{ for (int once = {_NOTHING} + 1; once < 2; once++) if (once != 0) {{ {_CALL}; break; }} }}",
    ),
    "a function called by pointers": (
        f"{_FUNCTION} {{",
        f"}}\nstatic void nothing_of_test({_PARAMETERS}) {{ out[1000] = 1; }}\ntypedef void (*BodyOfTest)({_PARAMETERS});\n"
        f"{_TEST} {{ BodyOfTest body = {_NOTHING} == 0 ? body_of_test : nothing_of_test; body(out, f, i, n); }}",
    ),
    "a task": (f"task void body_of_test({_PARAMETERS}) {{", f"}}\n{_TEST} {{ launch[1] {_CALL}; sync; }}"),
    "a branch": (f"{_TEST} {{ if ({_NOTHING} == 0) {{", "} }"),
    "a case": (f"{_TEST} {{ switch ({_NOTHING}) {{ default: {{", "} } }"),
}
"""What stands in front of the body, and behind it."""


def masked_body(text: str, way: str) -> str:
    """The program with its body in one of the ``WAYS``; empty if it has no body that can be put there."""
    head = _HEAD.search(text)
    if head is None or ("goto" in text and way in ("a branch", "a case")):
        return ""
    depth = 1
    for token in _BRACES.finditer(text, head.end()):
        depth += (token[0] == "{") - (token[0] == "}")
        if depth == 0:
            front, behind = WAYS[way]
            body = text[head.end() : token.start()]
            return f"{text[: head.start()]}{front}{body}\n{behind}{text[token.end() :]}"
    raise AssertionError("the body does not end")
