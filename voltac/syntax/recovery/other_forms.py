"""What C, C++ and others have and this language has not, or writes in another way: ranges, parts of structs, values."""

from __future__ import annotations

from voltac.syntax.recovery.cursor import CLOSING, OPENING, Cursor
from voltac.syntax.recovery.editor import Editor, edit
from voltac.syntax.recovery.guess import Finding, Guess, Tried, advice

_RANGES = ("foreach", "foreach_tiled")
"""Loops over 'first ... last'."""
_ONE_VALUE = "a 'case' has one value; write one for each: 'case 1: case 2:'"
_LANES = ("foreach_active", "foreach_unique")
"""Loops over what lanes there are."""


def _head(cursor: Cursor) -> str:
    """The word in front of the parenthesis that is open, as of a loop's head."""
    opener = cursor.unclosed_bracket
    return cursor.texts[opener - 1] if opener > 0 and cursor.texts[opener] == "(" else ""


def _typed_range(cursor: Cursor, heads: tuple[str, ...] = _RANGES) -> Finding | None:
    """The words in front of the name of a variable of ``foreach`` are left out."""
    if not cursor.begins_type(cursor.text) or cursor.previous not in ("(", ",") or _head(cursor) not in heads:
        return None
    end = cursor.token + 1
    while cursor.begins_type(cursor.texts[end]):
        end += 1
    return Finding(edit(cursor.token, end, [])) if cursor.is_value(cursor.texts[end]) else None


def _dots_in_numbers(cursor: Cursor) -> bool:
    """``0..n`` is read as a member ``n`` of ``0.``"""
    number, dot = cursor.texts[max(0, cursor.token - 3) : cursor.token][:2] if cursor.token > 2 else ("", "")
    return dot == "." and number[:1].isdigit() and number.endswith(".") and _head(cursor) in _RANGES


def _other_range(cursor: Cursor) -> bool:
    is_exchange = cursor.text == ":" and "..." in cursor.texts[cursor.token : cursor.token + 4]  # '=' will do
    return cursor.text in ("in", ";", ":") and _head(cursor) in _RANGES and not is_exchange


def _range_of_for(cursor: Cursor) -> bool:
    return cursor.text == "..." and _head(cursor) in ("for", "cfor")


def _in_case(cursor: Cursor) -> bool:
    return "case" in cursor.texts[max(0, cursor.token - 3) : cursor.token]


def _dots_in_case(cursor: Cursor) -> bool:
    """``1..3`` are the numbers ``1.`` and ``.3``."""
    return cursor.text[:1] == "." and cursor.text != "..." and cursor.previous.endswith(".") and _in_case(cursor)


def _more_arguments(cursor: Cursor) -> bool:
    return cursor.text == "..." and cursor.previous in ("(", ",") and cursor.following == ")" and _head(cursor) != "catch"


def _bit_field(cursor: Cursor) -> bool:
    return cursor.text == ":" and cursor.context_name == "member" and cursor.is_value(cursor.previous)


def _initial_member(cursor: Cursor) -> bool:
    return cursor.text in ("=", "{") and cursor.context_name == "member" and cursor.is_value(cursor.previous)


def _type_of_enumeration(cursor: Cursor) -> bool:
    return cursor.text == ":" and "enum" in cursor.texts[max(0, cursor.token - 2) : cursor.token]


def _named_value(cursor: Cursor) -> bool:
    return cursor.text == "." and cursor.previous in ("{", ",") and cursor.is_value(cursor.following)


def _name_of_enumeration(cursor: Cursor) -> Finding | None:
    """``E::A`` is read as ``A``."""
    if not cursor.is_type(cursor.text) or cursor.texts[cursor.token + 1 : cursor.token + 3] != [":", ":"]:
        return None
    return Finding(edit(cursor.token, cursor.token + 3, []))


def _value_of_type(cursor: Cursor) -> bool:
    return cursor.is_type(cursor.text) and cursor.following in ("<", "[") and not cursor.accepts_type


def _constructor(cursor: Cursor) -> bool:
    is_called = cursor.previous == "(" and cursor.token > 1 and cursor.is_type(cursor.texts[cursor.token - 2])
    return cursor.context_name == "member" and (is_called or cursor.text == "~")


def _value_before_end(cursor: Cursor) -> bool:
    return cursor.text in (";", "}") and cursor.accepts_name


def _static_assertion(cursor: Cursor) -> bool:
    return cursor.first_word == "static_assert" and cursor.text.startswith('"')


def _behind_pair(cursor: Cursor, token: int) -> int:
    """The token behind the bracket that closes one, or the end of the file."""
    depth = 0
    while cursor.texts[token]:
        depth += (cursor.texts[token] in OPENING) - (cursor.texts[token] in CLOSING)
        token += 1
        if not depth:
            break
    return token


def _try(cursor: Cursor) -> Finding | None:
    """``try`` is left out, and so are its handlers."""
    if cursor.text != "{" or cursor.previous != "try":
        return None
    texts = cursor.texts
    begin = end = _behind_pair(cursor, cursor.token)
    while texts[end : end + 2] == ["catch", "("] and texts[body := _behind_pair(cursor, end + 1)] == "{":
        end = _behind_pair(cursor, body)

    def run(editor: Editor) -> int:
        first = editor.rewind()
        if begin < end:
            editor.put(begin, end, [], cursor.spans[begin])
        editor.replace(cursor.token - 1, cursor.token, [])
        return first

    return Finding(run)


def _values_in_braces(cursor: Cursor) -> bool:
    return cursor.text == "{" and cursor.previous in ("=", "(", ",", "return", "?", ":") and cursor.accepts_name


OTHER_FORMS: tuple[Guess, ...] = (
    Guess(
        "a type of a variable of 'foreach'",
        "void f(uniform int a[], uniform int n) { foreach (¦int i = 0 ... n) { a[i] = 1; } }",
        "$error; the variables of a 'foreach' have no type: 'foreach (i = first ... last)'",
        _typed_range,
        Tried.CORRECTION,
    ),
    Guess(
        "a type of the variable of 'foreach_active'",
        "void f(uniform int a[]) { foreach_active (¦int i) { a[i] = 1; } }",
        "$error; the variable has no type: 'foreach_active (i)', 'foreach_unique (v in value)'",
        lambda cursor: _typed_range(cursor, _LANES),
        Tried.CORRECTION,
    ),
    advice(
        "a range of two dots behind a number",
        "void f(uniform int a[], uniform int n) { foreach (i = 0..n¦) { a[i] = 1; } }",
        "a range is written with three dots: 'first ... last'",
        _dots_in_numbers,
    ),
    Guess(
        "'try'",
        "void f(int a) { try ¦{ a = 1; } catch (int e) { a = e; } catch (...) { a = 3; } a = 4; }",
        "$error; there are no exceptions",
        _try,
        Tried.CORRECTION,
    ),
    advice(
        "a namespace where a type has to be",
        "void f(¦std::vector a, int b) { b = 1; }",
        "there are no namespaces, and no library of C++; write the name of a type of this language",
        lambda cursor: cursor.is_value(cursor.text) and cursor.texts[cursor.token + 1 : cursor.token + 3] == [":", ":"],
    ),
    advice(
        "values in braces",
        "void f(int a) { int b[2] = {1, 2}; b = ¦{3, 4}; }",
        "values in braces stand where a variable is declared; elsewhere elements and members are assigned one by one",
        _values_in_braces,
    ),
    advice(
        "a range that is no range",
        "void f(uniform int a[], uniform int n) { foreach (i ¦in 0 ... n) { a[i] = 1; } }",
        "the range of a 'foreach' is written 'foreach (i = first ... last)'",
        _other_range,
    ),
    advice(
        "a range of 'for'",
        "void f(uniform int a[], uniform int n) { for (int i = 0 ¦... n) { a[i] = 1; } }",
        "'foreach' has ranges: 'foreach (i = first ... last)'; 'for' counts: 'for (int i = 0; i < n; ++i)'",
        _range_of_for,
    ),
    advice(
        "a range of 'case'",
        "void f(int k) { switch (k) { case 1 ¦... 3: break; } }",
        _ONE_VALUE,
        lambda cursor: cursor.text == "..." and _in_case(cursor),
    ),
    advice(
        "a range of 'case' with two dots",
        "enum E { A, B };\nvoid f(E e) { switch (e) { case A.¦.B: break; } }",
        _ONE_VALUE,
        _dots_in_case,
    ),
    advice(
        "any number of arguments",
        "int f(int n, ¦...) { return n; }",
        "a function has as many parameters as it names",
        _more_arguments,
    ),
    advice(
        "a bit-field",
        "struct S { int a ¦: 3; int b; };\nint f(S s) { return s.b; }",
        "there are no bit-fields; take a member of a smaller type, or shift and mask",
        _bit_field,
    ),
    advice(
        "a value of a member",
        "struct S { int a ¦= 3; int b; };\nint f(S s) { return s.b; }",
        "members have no values of their own; write them where an object is declared: 'S s = {3};'",
        _initial_member,
    ),
    advice(
        "the type of an enumeration",
        "enum E ¦: uint8 { A };\nint f() { return 1; }",
        "every enumeration is stored as a uint32; leave the type out",
        _type_of_enumeration,
    ),
    advice(
        "a value with a member's name",
        "struct S { int a; };\nvoid f() { S s = { ¦.a = 1 }; }",
        "values in braces have no names; write them in the order of the members",
        _named_value,
    ),
    Guess(
        "the name of an enumeration in front of its value",
        "enum E { A };\nE f() { return ¦E::A; }",
        "$error; an enumeration has no scope of its own; write the name behind '::' alone",
        _name_of_enumeration,
        Tried.CORRECTION,
    ),
    advice(
        "an array or vector as a value",
        "void f() { float<2> v = ¦float<2>(1, 2); }",
        "an array or vector gets its values in a declaration: 'float<2> v = {1, 2};'",
        _value_of_type,
    ),
    advice(
        "a constructor",
        "struct S { float x; S(¦float a) { x = a; } };\nint f() { return 1; }",
        "a struct has no constructors; write a function that returns one",
        _constructor,
    ),
    advice(
        "an assertion about constants",
        'void f() { static_assert(1, ¦"text"); }',
        "there is no 'static_assert'; write '#if' and '#error', or 'assert'",
        _static_assertion,
    ),
)

UNFINISHED = (
    advice(
        "a value in front of an end",
        "int f(int a) { a = (a + ¦; return a; }",
        "a value is missing here",
        _value_before_end,
    ),
)
