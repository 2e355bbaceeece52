"""What is no token: strings that are not closed, characters that the language does not have."""

from __future__ import annotations

from voltac.records import record


@record(eq=False)
class Character:
    """What is said about a text that is no token and begins with one of some characters."""

    first: str
    """The characters; empty: any."""
    message: str
    """``$text``: the text, ``$bytes``: its bytes, ``$code``: the number of the character in it."""
    example: str
    is_single: bool = False
    """Only for one character in quotes."""

    def fits(self, text: str) -> bool:
        """Whether this row is about a text."""
        if self.is_single and not (len(text) == 3 and text[2] == "'" and text[1].isprintable()):
            return False
        return not self.first or text[0] in self.first

    def text(self, text: str) -> str:
        """The message about a text."""
        shown = text if text.isprintable() else "?"
        words = {"$bytes": " ".join(f"0x{byte:02x}" for byte in text.encode("utf-8", "replace"))}
        if self.is_single:
            words["$code"] = str(ord(text[1]))
        message = self.message
        for name, word in words.items():
            message = message.replace(name, word)
        return message.replace("$text", shown)


_NO_CHARACTERS = "the single quote is not a valid character: there are no character constants"

CHARACTERS = (
    Character('"', "this string is not closed: '\"' is missing at its end", 'void f() { print(¦"hello);\n}'),
    Character("'", _NO_CHARACTERS + "; write the code of $text, $code", "int f() { return ¦'a'; }", is_single=True),
    Character("'", _NO_CHARACTERS, "int f() { return ¦'ab; }"),
    Character("@", "'@' is only valid at the start of the name of an LLVM intrinsic, '@llvm.name'", "void f() { ¦@foo(1); }"),
    Character("#", "'#' is not a valid character (0x23) outside of preprocessor directives", "int f() { return 1 ¦# 2; }"),
    Character("", "invalid character '$text' ($bytes)", "int f() { return 3 ¦$ 4; }"),
)
