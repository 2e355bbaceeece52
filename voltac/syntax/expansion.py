"""Macros are expanded: tokens → tokens, as the C standard's rescanning is understood by gcc and clang.

A macro is disabled while its replacement is rescanned, up to the mark behind it; a token of its name that is met then is
painted and never expanded again. A token that comes out of a macro has the
span of the macro's use; the tokens of its arguments keep their own.
"""

from __future__ import annotations

from collections.abc import Callable

from voltac.messages.message import Span
from voltac.syntax.lexer import PREPROCESSING_NUMBER, TOKEN
from voltac.syntax.macros import Macro, MacroError, Token, made_by

_LARGEST_EXPANSION = 500_000
"""Tokens that the macros of one line may make."""
_LARGEST_TOTAL = 1_500_000
"""Tokens that all macros of a file may make: each takes some 200 bytes, and all of them some seconds."""
_DEEPEST_EXPANSION = 150
"""Macros within macros: some of Python's calls each, of which there are 1000."""
_LONGEST_TOKEN = 1_000_000
"""Characters that ``#`` and ``##`` may join to a token."""


class ExpansionTooLarge(MacroError):
    """The expansions of a file have become too large to go on."""


More = Callable[[bool], list[Token] | None]
"""Gives the tokens of the next line; asked with False it gives None unless that line starts with ``(``."""


def stringized(tokens: list[Token], use: Span) -> str:
    """The string literal that ``#`` makes of an argument."""
    if sum(len(token.text) for token in tokens) > _LONGEST_TOKEN:
        raise MacroError(use, f"'#' makes a string of more than {_LONGEST_TOKEN} characters here")
    parts = []
    for position, token in enumerate(tokens):
        text = token.text
        if text[0] in "\"'":
            text = text.replace("\\", "\\\\").replace('"', '\\"')
        parts.append((" " if token.space and position else "") + text)
    return '"' + "".join(parts) + '"'


class Expander:
    """Expands the macros of a token list; ``more`` gives the tokens of following lines while an argument list is open."""

    def __init__(
        self, macros: dict[str, Macro], special: dict[str, Callable[[Span], str]], joins_anything: bool = False
    ) -> None:
        self.macros = macros
        self._joins_anything = joins_anything
        """What ``##`` makes need not be a token: in assembly text ``name_ ## \\@`` is meant so."""
        self.special = special
        """Macros whose text depends on the place: ``__LINE__`` ..."""
        self._disabled: set[str] = set()
        """Macros whose replacement is being rescanned."""
        self._produced = 0
        self._total = 0
        self._depth = 0

    def expand(self, tokens: list[Token], more: More | None = None, keep: str = "") -> list[Token]:
        """Expand the macros; the operand of the operator ``keep``, which is ``defined`` in conditions, stays as it is."""
        if self._depth == 0:
            self._produced = 0
            self._disabled.clear()
        output: list[Token] = []
        # A string marks the end of the replacement of the macro it names.
        pending: list[Token | str] = [*reversed(tokens)]
        macros, disabled = self.macros, self._disabled
        while pending:
            token = pending.pop()
            if isinstance(token, str):
                disabled.discard(token)
                continue
            text = token.text
            macro = macros.get(text)
            if macro is None or token.painted or text in disabled:
                if macro is not None:
                    token.painted = True
                elif text == keep and text:
                    self._keep_operand(token, pending, output)
                    continue
                elif text in self.special:
                    token = Token(self.special[text](token.span), token.span, token.space)
                output.append(token)
                continue
            if macro.parameters is None:
                new = self._substitute(macro, [], token)
            elif self._is_called(pending, more):
                new = self._substitute(macro, self._arguments(macro, token, pending, more), token)
            else:
                output.append(token)
                continue
            self._produced += len(new)
            self._total += len(new)
            if self._produced > _LARGEST_EXPANSION:
                raise MacroError(token.span, f"the expansion of macro '{text}' is too large")
            if self._total > _LARGEST_TOTAL:
                message = f"the macros of this file make more than {_LARGEST_TOTAL} tokens; the last is '{text}'"
                raise ExpansionTooLarge(token.span, message)
            disabled.add(text)
            pending.append(text)
            pending.extend(reversed(new))
        return output

    @staticmethod
    def _keep_operand(operator: Token, pending: list[Token | str], output: list[Token]) -> None:
        """Move ``defined X`` or ``defined(X`` to the output as it is."""
        output.append(operator)
        for _ in range(2):
            if not pending or isinstance(pending[-1], str):
                return
            token = pending.pop()
            assert isinstance(token, Token)
            output.append(token)
            if token.text != "(":
                return

    def _is_called(self, pending: list[Token | str], more: More | None) -> bool:
        """Whether an argument list follows; then what ends in front of it is over."""
        position = len(pending) - 1
        while position >= 0 and isinstance(pending[position], str):
            position -= 1
        while position < 0 and more is not None:
            line = more(False)
            if line is None:
                return False
            pending[0:0] = reversed(line)
            position = len(line) - 1
        found = pending[position] if position >= 0 else None
        if not isinstance(found, Token) or found.text != "(":
            return False
        while isinstance(pending[-1], str):
            self._disabled.discard(str(pending.pop()))
        return True

    def _arguments(self, macro: Macro, use: Token, pending: list[Token | str], more: More | None) -> list[list[Token]]:
        """Take ``( ... )`` off the pending tokens and split it at its commas."""
        assert macro.parameters is not None
        count = len(macro.parameters)
        pending.pop()
        arguments: list[list[Token]] = [[]]
        depth = 0
        while True:
            while not pending:
                line = more(True) if more is not None else None
                if line is None:
                    raise MacroError(use.span, f"the argument list of macro '{macro.name}' is not closed")
                if line:
                    line[0].space = True
                pending.extend(reversed(line))
            token = pending.pop()
            if isinstance(token, str):
                self._disabled.discard(token)
                continue
            text = token.text
            if text in self._disabled:
                token.painted = True
            if text == ")" and depth == 0:
                break
            if text == "," and depth == 0 and not (macro.variadic and len(arguments) == count):
                arguments.append([])
                continue
            if text == "(":
                depth += 1
            elif text == ")":
                depth -= 1
            arguments[-1].append(token)
        if count == 0 and arguments == [[]]:
            arguments = []
        if macro.variadic and (len(arguments) == count - 1 or (count == 1 and arguments == [[]])):
            arguments[count - 1 :] = [_OMITTED]
        if len(arguments) != count:
            given = f"{len(arguments)} argument" + "s" * (len(arguments) > 1)
            if arguments == [[]]:
                given = "no argument"
            wanted = f"at least {count - 1}" if macro.variadic else str(count)
            raise MacroError(use.span, f"macro '{macro.name}' is given {given}, it takes {wanted}")
        return arguments

    def _substitute(self, macro: Macro, arguments: list[list[Token]], use: Token) -> list[Token]:
        body = macro.replacement()
        if macro.parameters is None:
            place = use.span
            name = macro.name
            result = [Token(token.text, made_by(name, place, token.span), token.space, token.text == "##") for token in body]
            if "##" in macro.text:
                result = self._paste(result, macro)
        else:
            self._depth += 1
            try:
                if self._depth > _DEEPEST_EXPANSION:
                    raise MacroError(use.span, f"uses of macro '{macro.name}' are nested too deeply")
                result = self._replaced(macro, body, dict(zip(macro.parameters, arguments)), use.span)
            finally:
                self._depth -= 1
        if result:
            result[0].space = use.space
        return result

    def _replaced(self, macro: Macro, body: list[Token], arguments: dict[str, list[Token]], use: Span) -> list[Token]:
        """The body with the parameters replaced, then ``##`` applied. An empty operand of ``##`` is a token without text."""
        result: list[Token] = []
        pastes = False
        position = 0
        while position < len(body):
            token = body[position]
            text = token.text
            following = body[position + 1].text if position + 1 < len(body) else ""
            pasted = following == "##" or (position > 0 and body[position - 1].text == "##")
            # The tokens of an argument keep their own places.
            place = made_by(macro.name, use, token.span) if pasted or text not in arguments else use
            if text == "#" and following in arguments:
                result.append(Token(stringized(arguments[following], use), place, token.space))
                position += 2
                continue
            if text == "#" and following == "__VA_OPT__" and macro.variadic:
                inside, position = self._optional(macro, body, position + 1, arguments, use)
                result.append(Token(stringized(inside, use), place, token.space))
                continue
            if text == "__VA_OPT__" and macro.variadic and following == "(":
                inside, position = self._optional(macro, body, position, arguments, use)
                if inside:
                    inside[0].space = token.space
                    result.extend(inside)
                elif pasted or (position < len(body) and body[position].text == "##"):
                    result.append(Token("", place, token.space))
                continue
            if text == "##":
                pastes = True
                rest = macro.parameters[-1] if macro.parameters and macro.variadic else None
                if following == rest and position and body[position - 1].text == ",":
                    # The GNU form ", ## rest": the comma goes when the argument is left out.
                    if arguments[following] is _OMITTED:
                        result.pop()
                    else:
                        result.extend(self._copies(self.expand(self._copies(arguments[following], False)), token.space))
                    position += 2
                    continue
                result.append(Token("##", place, token.space, True))
            elif text in arguments:
                given = arguments[text] if pasted else self.expand(self._copies(arguments[text], False))
                if given:
                    result.extend(self._copies(given, token.space))
                elif pasted:
                    result.append(Token("", place, token.space))
            else:
                result.append(Token(text, place, token.space))
            position += 1
        return self._paste(result, macro) if pastes else result

    @staticmethod
    def _copies(tokens: list[Token], space: bool) -> list[Token]:
        copies = [Token(token.text, token.span, token.space, token.painted) for token in tokens]
        if copies:
            copies[0].space = space
        return copies

    def _optional(
        self, macro: Macro, body: list[Token], position: int, arguments: dict[str, list[Token]], use: Span
    ) -> tuple[list[Token], int]:
        """The replacement of ``__VA_OPT__(...)`` at a position, and the position behind it."""
        depth = 0
        end = position + 1
        while end < len(body):
            depth += {"(": 1, ")": -1}.get(body[end].text, 0)
            if depth == 0:
                break
            end += 1
        if end >= len(body):
            raise MacroError(macro.span, "the parentheses of __VA_OPT__ are not closed")
        assert macro.parameters is not None
        inside = body[position + 2 : end]
        present = bool(self.expand(self._copies(arguments[macro.parameters[-1]], False)))
        return (self._replaced(macro, inside, arguments, use) if present else []), end + 1

    def _paste(self, tokens: list[Token], macro: Macro) -> list[Token]:
        """Join the operands of each ``##``; one that came in with an argument is no operator and not painted."""
        result: list[Token] = []
        position = 0
        while position < len(tokens):
            token = tokens[position]
            if token.text == "##" and token.painted and result and position + 1 < len(tokens):
                left = result.pop()
                right = tokens[position + 1]
                text = left.text + right.text
                if len(text) > _LONGEST_TOKEN:
                    raise MacroError(left.span, f"'##' makes a token of more than {_LONGEST_TOKEN} characters here")
                is_token = TOKEN.fullmatch(text) or PREPROCESSING_NUMBER.fullmatch(text)
                if text and not is_token and not self._joins_anything:
                    joined = f"'{left.text}' ## '{right.text}'"
                    raise MacroError(left.span, f"{joined} does not make a token in macro '{macro.name}'")
                result.append(Token(text, left.span, left.space))
                position += 2
                continue
            result.append(token)
            position += 1
        return [token for token in result if token.text]


_OMITTED: list[Token] = []
"""The argument of a ``...`` parameter for which none is given."""
