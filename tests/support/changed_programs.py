"""Programs of the suite, changed at random: operators, types, rates, constants, indices, and masks, loops and calls around.

A changed program has the interface of the run-tests (``run_programs.py``) and is often none of the language, or undefined:
judges leave those out. What is left asks of every construct of the suite what it does in another's place.
"""

from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable
from pathlib import Path

from masked_bodies import WAYS, masked_body

_TESTS = Path(__file__).resolve().parents[1]
_FOLDERS = ("run", "programs/alone")
_NO_NUMBERS = re.compile(r"u?intptr_t|_fast\(|\bclock\(|rdrand|num_cores|// prints:|int64\) ?\(?(?:&|[pq]\b)")
"""Programs with addresses, times and estimates, which no two runs share, and those about what is printed."""
_MOST_CHANGES = 4

_TYPES = ("int8", "int16", "int", "int64", "uint8", "uint16", "uint32", "uint64", "float", "double", "float16")
_WHOLE = tuple(name for name in _TYPES if "int" in name)
_CONDITIONS = (
    "i[programIndex & 63] > 0",
    "f[programIndex & 63] < 1",
    "programIndex % 3 != 1",
    "(i[programIndex & 63] & 3) != 2",
    "i[n - 1] != 0",
    "programIndex > 1",
    "(i[programIndex & 63] & f[programIndex & 63] > 0) != 0",
    "i[programIndex & 63] / 3 == i[0]",
)
_IN_LOOP = ("{0} % 3 == 1", "f[{0} & 63] < 0", "i[{0} & 63] > 5", "{0} == 4", "({0} & 6) == 2", "i[({0} * 5) & 63] < -9")
_REPEATED = (
    "uniform int again__ = 0; again__ < 3; again__++",
    "int again__ = 0; again__ < (programIndex & 3); again__++",
    "int again__ = programIndex & 1; again__ < 2; ++again__",
    "uniform int again__ = n; again__ > n - 2; again__--",
)
_OPERATORS = {
    "+": "-*^|", "-": "+*", "*": "+-&", "&": "|^", "|": "&^+", "^": "&+|", "<": ("<=", "!=", ">"), "<=": ("<", "=="),
    ">": (">=", "<"), ">=": (">", "=="), "==": ("!=", "<="), "!=": ("==", ">"), "<<": (">>",), ">>": ("<<",),
    "&&": ("||", "&"), "||": ("&&", "|"), "+=": ("-=", "=", "*="), "-=": ("+=", "="), "*=": ("+=", "-="), "/=": ("*=", "+="),
}  # fmt: skip
_INDICES = ("{0} + 1", "{0} - 1", "{0} ^ 1", "{0} / 2", "{0} & 7", "({0}) * 3 & 31", "7 - ({0} & 7)", "{0} & ~3", "i[{0}] & 15",
            "{0} * 2", "{0} % 5", "programIndex", "(int64)({0})", "(uint8)({0})", "({0} >> 2) + ({0} & 3)")  # fmt: skip
_CALLS = ("abs({0})", "min({0}, ({1})3)", "max({0}, ({1})2)", "select({0} > 1, {0}, ({1})1)", "rotate({0}, 1)",
          "broadcast({0}, 1)", "shuffle({0}, programIndex ^ 1)", "shift({0}, 1)", "clamp({0}, ({1})0, ({1})5)",
          "reduce_add({0})", "reduce_max({0})", "extract({0}, 2)", "({1})({0})", "-({0})", "-({0}) * {0}")  # fmt: skip
_AROUND = (
    "if ({0}) {{ {2} }}",
    "cif ({0}) {{ {2} }}",
    "if ({0}) {{ {2} }} else {{ {2} {2} }}",
    "for ({1}) {{ {2} }}",
    "for ({1}) if ({0}) {{ {2} }}",
    "foreach_active (lane__) {{ {2} }}",
    "foreach_unique (one__ in i[programIndex & 3]) {{ {2} }}",
    "switch (i[programIndex & 63] & 3) {{ case 1: {2} case 2: {2} break; case 3: break; default: {2} }}",
    "do {{ {2} }} while (n < 0);",
    "{{ int turns__ = 0; while (turns__ < (programIndex & 3)) {{ turns__++; if (turns__ == 2) continue; {2} }} }}",
    "for (int turns__ = 0; turns__ < 4; turns__++) {{ if (turns__ > (i[programIndex & 63] & 3)) break; {2} }}",
    "unmasked {{ {2} }}",
    "{2} {2}",
)

_DECLARED = r"(?<![\w<])(?:int(?:8|16|32|64)?|uint(?:8|16|32|64)|unsigned int|float|double)\b(?= +\w+(?: =|;|,|\[))"
_STATEMENT = re.compile(r"^\s+[\w\[\].()>\- ]+ ?(?:[-+*/&|^]|<<|>>)?=[^=].*;\s*$")
_DECLARATION = re.compile(
    r"^\s*(uniform|const|static|varying|u?int\d*|float\d*|bool|double|unsigned|soa|return|enum|struct|[A-Z]\w* \w)"
)
HEAD = "export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n"
"""Of every program, changed or not: what the arrays are that it is called with."""
_BODY = re.compile(re.escape(HEAD) + r"\) *\{")

_Change = Callable[[random.Random, str], str]


@functools.cache
def originals() -> tuple[str, ...]:
    paths = [path for folder in _FOLDERS for path in sorted((_TESTS / folder).rglob("*.ispc"))]
    texts = (re.sub(r"^(// ?[^\n]*\n)+", "", path.read_text()) for path in paths if not _NO_NUMBERS.search(path.read_text()))
    return tuple(text for text in texts if _BODY.search(text))


def _somewhere(rng: random.Random, pattern: str, text: str, made: Callable[[re.Match[str]], str]) -> str:
    """With one of the places that fit replaced."""
    places = list(re.finditer(pattern, text))
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + made(place) + text[place.end() :]


def _statement(rng: random.Random, text: str, made: Callable[[str], str]) -> str:
    """With one of the assignments that have a line of their own replaced."""
    lines = text.split("\n")
    alone = [
        at
        for at, line in enumerate(lines)
        if _STATEMENT.match(line) and not _DECLARATION.match(line) and line.count("(") == line.count(")")
    ]
    if alone:
        at = rng.choice(alone)
        lines[at] = made(lines[at].strip())
    return "\n".join(lines)


def _type(rng: random.Random, text: str) -> str:
    return _somewhere(rng, _DECLARED, text, lambda m: rng.choice(_WHOLE if "int" in m[0] else _TYPES))


def _rate(rng: random.Random, text: str) -> str:
    if rng.random() < 0.7:
        return _somewhere(rng, r"(?<=[ \n(])uniform (?=[a-z]\w+ +\w+(?: =|;|\[))", text, lambda m: "")
    return _somewhere(rng, rf"(?<=\n)\s+{_DECLARED}", text, lambda m: f" uniform {m[0].strip()}")


def _operator(rng: random.Random, text: str) -> str:
    words = "|".join(map(re.escape, sorted(_OPERATORS, key=len, reverse=True)))
    return _somewhere(rng, f" ({words}) ", text, lambda m: f" {rng.choice(_OPERATORS[m[1]])} ")


def _constant(rng: random.Random, text: str) -> str:
    def made(match: re.Match[str]) -> str:
        number = int(match[0])
        return str(rng.choice((0, 1, 2, 3, 5, 7, 31, max(0, number - 1), number + 1, number // 2, number * 2)))

    return _somewhere(rng, r"(?<=[ (=\[])[1-9]\d{0,2}\b(?![.\w<])", text, made)


def _index(rng: random.Random, text: str) -> str:
    return _somewhere(rng, r"(?<=\w\[)[a-z]\w*(?=\])", text, lambda m: rng.choice(_INDICES).format(m[0]))


def _call(rng: random.Random, text: str) -> str:
    made = rng.choice(_CALLS)
    return _somewhere(
        rng, r"(?<= [-+*=] )[a-z]\w*(?:\[\w+\])?(?=[; )])", text, lambda m: f"({made.format(m[0], rng.choice(_TYPES))})"
    )


def _name(rng: random.Random, text: str) -> str:
    """Another variable in a variable's place."""
    names = re.findall(r"(?:int|float|double) (\w+)(?= =|;|,|\))", text)
    return _somewhere(rng, r"(?<= [-+*=<>] )[a-z]\w*(?=[; )])", text, lambda m: rng.choice(names) if names else m[0])


def _around(rng: random.Random, text: str) -> str:
    form = rng.choice(_AROUND)
    return _statement(rng, text, lambda line: form.format(rng.choice(_CONDITIONS), rng.choice(_REPEATED), line))


def _leaving(rng: random.Random, text: str) -> str:
    leave = rng.choice(("break;", "continue;", "return;"))
    return _statement(rng, text, lambda line: f"if ({rng.choice(_CONDITIONS)}) {leave} {line}")


def _skipped(rng: random.Random, text: str) -> str:
    return _somewhere(
        rng,
        r"foreach(?:_tiled)? \([^{};]*?(\w+) = [^{};]*\) *\{",
        text,
        lambda m: f"{m[0]} if ({rng.choice(_IN_LOOP).format(m[1])}) continue; ",
    )


def _loop(rng: random.Random, text: str) -> str:
    """Another loop over the same numbers."""
    forms = (
        "for (int {0} = {1} + programIndex; {0} < {2}; {0} += programCount)",
        "foreach_tiled ({0} = {1} ... {2})",
        "foreach (row__ = 0 ... 3, {0} = {1} ... {2})",
        "foreach_tiled (row__ = 0 ... 2, {0} = {1} ... {2})",
        "for (uniform int {0} = {1}; {0} < {2}; {0}++)",
        "foreach ({0} = {1} + 1 ... {2} - 1)",
        "for (uniform int row__ = 0; row__ < 2; row__++) foreach ({0} = {1} ... {2})",
    )
    form = rng.choice(forms)
    return _somewhere(
        rng, r"foreach \((\w+) = ([\w -+]+?) ?\.\.\. ?([^(),;]+)\)", text, lambda m: form.format(m[1], m[2], m[3])
    )


def _coherent(rng: random.Random, text: str) -> str:
    return _somewhere(rng, r"(?<!\w)(?:if|while|for)\b(?= \()", text, lambda m: f"c{m[0]}")


def _order(rng: random.Random, text: str) -> str:
    return _somewhere(rng, r"(?<=\n)(\s+\S[^\n{}]*;)\n(\s+\S[^\n{}]*;)(?=\n)", text, lambda m: f"{m[2]}\n{m[1]}")


def _cast(rng: random.Random, text: str) -> str:
    return _somewhere(rng, r"\((?:u?int\d*|float|double)\)", text, lambda m: f"({rng.choice(_TYPES)})")


def _mask(rng: random.Random, text: str) -> str:
    """The whole body under a mask: in all ways of ``masked_bodies``, with some lanes off."""
    made = masked_body(text, rng.choice(tuple(WAYS)))
    return re.sub(r"if \(\(int\).*? == 0\)", lambda m: f"if ({rng.choice(_CONDITIONS)})", made) or text


def _count(rng: random.Random, text: str) -> str:
    shown = _BODY.search(text)
    if shown is None or "n__" in text:
        return text
    less = rng.choice((1, 3, 5, 64, 60, 40, 33))
    return text.replace(shown[0], shown[0].replace("int n)", "int n__)") + f" uniform int n = n__ - {less};")


_CHANGES: tuple[_Change, ...] = (
    *(_type, _type, _rate, _rate, _operator, _operator, _constant, _constant, _index, _index, _call, _call, _name, _name),
    *(_around, _around, _around, _leaving, _skipped, _skipped, _loop, _loop, _coherent, _order, _cast, _mask, _mask, _count),
)


def changed_program(seed: int) -> str:
    """One of the suite's programs with up to ``_MOST_CHANGES`` changes; the same text for the same seed."""
    rng = random.Random(f"changed {seed}")
    text = rng.choice(originals())
    for _ in range(rng.randint(1, _MOST_CHANGES)):
        changed = rng.choice(_CHANGES)(rng, text)
        text = changed if HEAD in changed else text
    return text
