"""What to write instead where a syntax error is a habit from C++, Python or elsewhere."""

from __future__ import annotations

from collections.abc import Callable

NAME, TYPE, ANY = "a name", "a type", ""
"""Kinds of token a row may ask for besides spellings."""

HINTS: tuple[tuple[str, str, str, str], ...] = (
    # before the error, at the error, behind it (spellings separated by blanks), what to say
    ("launch", "<", ANY, "this is the old 'launch' syntax; drop the angle brackets: 'launch f(x);'"),
    ("delete", "[", ANY, "write 'delete[]', without a blank"),
    (ANY, ":", ":", "there are no namespaces; write the name alone"),
    ("static_cast reinterpret_cast const_cast dynamic_cast <", TYPE, "> *", "write the cast as in C: '(type)value'"),
    ("<", TYPE, ANY, "write a cast as in C, '(type)value'; only templates take types in '<>'"),
    (TYPE, "(", ANY, "a conversion is written as a cast: '(type)value'"),
    (ANY, TYPE, "(", "a conversion is written as a cast: '(type)value'"),
    ("try", "{", ANY, "there are no exceptions"),
    ("public private protected", ":", ANY, "all members are public; leave this out"),
    (ANY, "public private protected", ":", "all members are public; leave this out"),
    (ANY, "&&", NAME, "a reference is written with one '&'"),
    ("* uniform varying const", "&", NAME, "a reference to a pointer needs a name for its type: 'typedef type * name;'"),
    (TYPE, "*", ANY, "a pointer type is no single word, as is needed here; give it a name: 'typedef type * name;'"),
    (TYPE, "[", ANY, "the size of an array stands behind its name: 'type name[size]'"),
    ("=", ">", ANY, "comparisons are '==', '!=', '<=' and '>='"),
    ("== !=", "=", ANY, "comparisons are '==' and '!=', with two characters"),
    ("=", "< <=", ANY, "comparisons are '<=' and '>=', with '=' last"),
    ("<", ">", ANY, "'not equal' is written '!='"),
    ("?", ":", ANY, "the middle of '?:' cannot be left out"),
    (")", "-> const", ANY, "nothing can stand between a parameter list and the body"),
    ("struct", "__attribute__", ANY, "the attributes of a struct stand behind its '}'"),
    (ANY, "__attribute__", ANY, "attributes stand in front of what is declared"),
    ("sizeof", TYPE, ANY, "write 'sizeof(type)'"),
    (".", ".", ANY, "a range is written with three dots: 'first ... last'"),
)

TOGETHER_HINTS: tuple[tuple[str, str, str, str], ...] = (
    # the same for tokens without a blank between them
    (ANY, "*", "/", "'*/' ends no comment here; is '/*' missing?"),
    ("*", "/", ANY, "'*/' ends no comment here; is '/*' missing?"),
)

FOREIGN_TYPES: dict[str, str] = {
    **{
        name: f"there is no type '{name}' in this language; write '{instead}'"
        for name, instead in {"char": "int8", "short": "int16", "long": "int64", "half": "float16", "string": "int8 *"}.items()
    },
    **{name: f"'{name}' is no type: write the type of the variable" for name in ("auto", "let", "var")},
    **dict.fromkeys(
        ("function", "def", "func", "fn"), "a function begins with the type of its result: 'float name(float parameter)'"
    ),
    "using": "there is no 'using'; write 'typedef type name;', and names without their namespace",
}
"""Words that stand where a type is expected."""

FOREIGN_WORDS: dict[str, tuple[str, str]] = {
    # word: what to say, what to read instead
    "class": ("there are no classes; write 'struct'", "struct"),
    "union": ("there are no unions; write 'struct'", "struct"),
    "constexpr": ("write 'const'", "const"),
    "volatile": ("there is no 'volatile'; leave it out", ""),
    "register": ("there is no 'register'; leave it out", ""),
    "virtual": ("there are no methods; leave this out", ""),
    "friend": ("there are no classes; leave this out", ""),
    "then": ("there is no 'then'; leave it out", ""),
    "and": ("write '&&'", "&&"),
    "or": ("write '||'", "||"),
    "not": ("write '!'", "!"),
    "elif": ("write 'else if'", "else if"),
    "elsif": ("write 'else if'", "else if"),
    "elseif": ("write 'else if'", "else if"),
    "noexcept": ("leave it out", ""),
    "override": ("leave it out", ""),
}
"""Words that are replaced when they do not fit, so that the rest of the text can be read."""

STATEMENT_WORDS: dict[str, str] = {
    "try": "there are no exceptions",
    "catch": "there are no exceptions",
    "throw": "there are no exceptions",
    "unless": "write 'if (!(condition))'",
    "until": "write 'while (!(condition))'",
    "repeat": "write 'do { } while (condition);'",
    "loop": "write 'for (;;)'",
    "forall": "write 'foreach'",
    "with": "there is no 'with'",
    "namespace": "there are no namespaces; leave this out",
}
"""First words of statements and declarations."""


def _fits(wanted: str, text: str, kind: str) -> bool:
    if wanted in (NAME, TYPE):
        return kind == wanted
    return wanted == ANY or text in wanted.split()


def hint(texts: tuple[str, str, str], kind_of: Callable[[str], str], together: bool) -> str:
    """What to write instead of the three tokens around an error; empty where nothing is known."""
    kinds = [kind_of(text) for text in texts]
    for before, found, behind, say in TOGETHER_HINTS + HINTS if together else HINTS:
        if all(_fits(wanted, text, kind) for wanted, text, kind in zip((before, found, behind), texts, kinds)):
            return say
    return ""
