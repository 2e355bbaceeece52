"""Constructs of C++ that are not in the language, told by the brackets and words around the error."""

from __future__ import annotations

from voltac.syntax.recovery.cursor import Cursor
from voltac.syntax.recovery.editor import Editor, Repair, edit
from voltac.syntax.recovery.guess import Finding, Guess, Tried, advice

_NAMELESS_ENDS = ("]", "&", "=")
"""What stands behind the first bracket of a function without a name."""


def _class_template(cursor: Cursor) -> Finding | None:
    if cursor.first_word != "template" or cursor.text != ";" or cursor.previous != "}":
        return None
    return Finding(place=next(token for token in range(cursor.context_start, cursor.token) if cursor.texts[token] == "struct"))


def _template_arguments_of_a_type(cursor: Cursor) -> bool:
    if cursor.previous != "<" or cursor.token < 2:
        return False
    name = cursor.token - 2
    return cursor.is_type(cursor.texts[name]) or (name == cursor.context_start and cursor.following in (">", ","))


def _opener(cursor: Cursor) -> int:
    """The parenthesis that the one in front of the error closes, or -1."""
    depth = 0
    for token in range(cursor.token - 1, -1, -1):
        depth += (cursor.texts[token] == ")") - (cursor.texts[token] == "(")
        if depth == 0:
            return token
    return -1


def _compound_literal(cursor: Cursor) -> bool:
    if cursor.text != "{" or cursor.previous != ")":
        return False
    opener = _opener(cursor)
    return opener >= 0 and cursor.begins_type(cursor.texts[opener + 1]) and not cursor.is_value(cursor.texts[opener - 1])


def _loop_over_elements(cursor: Cursor) -> bool:
    opener = cursor.unclosed_bracket
    return cursor.text == ":" and opener > 0 and cursor.texts[opener - 1] in ("for", "cfor")


def _function_without_name(cursor: Cursor) -> bool:
    return cursor.text == "[" and cursor.following in _NAMELESS_ENDS and cursor.previous in ("=", "return", "(", ",")


def _several_of_c(cursor: Cursor) -> bool:
    opener = cursor.unclosed_bracket
    return opener > 1 and cursor.texts[opener - 2 : opener + 1] == ["extern", '"C"', "{"] and cursor.previous in (";", "}")


def _string(cursor: Cursor) -> bool:
    return cursor.text.startswith('"') and not cursor.previous.startswith('"')


def _scope(cursor: Cursor) -> bool:
    return cursor.text == ":" and cursor.previous == ":" and cursor.touches and cursor.is_value(cursor.following)


def _closer(texts: list[str], opener: int) -> int:
    """The brace that ends what this one begins, or -1."""
    depth = 0
    for token in range(opener, len(texts)):
        depth += (texts[token] == "{") - (texts[token] == "}")
        if depth == 0:
            return token
    return -1


def _namespace(cursor: Cursor) -> Finding | None:
    if cursor.text != "namespace" or cursor.context_name != "external":
        return None
    opener = next((token for token in (cursor.token + 1, cursor.token + 2) if cursor.texts[token : token + 1] == ["{"]), -1)
    return Finding(_without_braces(cursor.token, opener, _closer(cursor.texts, opener))) if opener >= 0 else None


def _without_braces(word: int, opener: int, closer: int) -> Repair:
    """What is in the namespace stands outside."""

    def run(editor: Editor) -> int:
        if closer >= 0:
            editor.put(closer, closer + 1, [";"], editor.parse.spans[closer])
        return editor.replace(word, opener + 1, [])

    return run


def _alias(cursor: Cursor) -> Finding | None:
    """``using name = type;``, which is read as a typedef. Arrays and functions have the name in their middle there."""
    texts = cursor.texts
    using = cursor.token - (cursor.text != "using")
    if texts[using : using + 3 : 2] != ["using", "="] or not cursor.is_plain(texts[using + 1]) or ";" not in texts[using:]:
        return None
    end = texts.index(";", using)
    name, type = texts[using + 1], texts[using + 3 : end]
    if not type or "(" in type or "[" in type or not cursor.begins_type(type[0]):
        return None
    words = ["typedef", *type, name]
    return Finding(edit(using, end, words, reread=using < cursor.token), using, {"instead": " ".join(words) + ";"})


SCOPES = (
    Guess(
        "an alias of a type",
        "¦using Real = uniform float;\nReal half(Real a) { return a / 2; }",
        "syntax error: there is no 'using'; write '$instead'",
        _alias,
        Tried.CORRECTION,
    ),
    Guess(
        "a namespace",
        "¦namespace n { int f() { return 1; } }\nint g() { return f(); }",
        "syntax error: there are no namespaces; leave this out",
        _namespace,
        Tried.CORRECTION,
    ),
    advice(
        "a name in a namespace that begins a statement",
        "void f(int a) { std:¦:sort(a); }",
        "there are no namespaces; write the name alone",
        _scope,
    ),
)

FOREIGN_CONSTRUCTS: tuple[Guess, ...] = (
    Guess(
        "a class template",
        "template <typename T> ¦struct V { T x; };",
        "syntax error: only functions can be templates; write the struct once for each type",
        _class_template,
    ),
    advice(
        "template arguments of a type",
        "struct V { float x; };\nvoid f() { V<¦float> v; }",
        "only functions can be templates, and have something in '<>'",
        _template_arguments_of_a_type,
    ),
    advice(
        "a loop over elements",
        "void f(int a[3]) { for (int v ¦: a) { } }",
        "there are no loops over elements; count: 'for (uniform int i = 0; i < n; ++i)'",
        _loop_over_elements,
    ),
    advice(
        "a compound literal",
        "void f() { float<2> v = (float<2>)¦{1, 2}; }",
        "values in braces stand in declarations only, without a cast: 'type name = {1, 2};'",
        _compound_literal,
    ),
    advice(
        "a function without a name",
        "int f(int a) { return ¦[](int q) { return q; }(a); }",
        "every function has a name, and stands outside of others",
        _function_without_name,
    ),
    advice(
        "several declarations behind one linkage",
        'extern "C" { void a(); ¦void b(); }',
        "'extern \"C\" { }' holds one declaration; write 'extern \"C\"' in front of each",
        _several_of_c,
    ),
    advice(
        "a string as a value",
        'void g(int a);\nvoid f() { g(¦"x"); }',
        "strings are for 'print' and attributes only",
        _string,
    ),
)
