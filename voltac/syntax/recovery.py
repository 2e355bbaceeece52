"""Syntax errors: where to go on after one, so that one mistake gives one message and the rest is still read (language 4.7).

The list of tokens is mended, the parser's stacks are taken back to where the mended text begins, and reading goes on there:

* an unknown type is made known, and its declaration is read again;
* a block that was not closed, as the indentation shows, is closed;
* one token is put in, taken out or changed, if what follows up to the end of the statement can be read then;
* otherwise the operand, head, statement, member or declaration is replaced by one token, ``MISTAKE``, which becomes an
  ``ast.Mistake`` with the names in it, so that later stages are silent about those.
"""

from __future__ import annotations

import re
from typing import Any

from voltac.diagnostics import Diagnostics, Expanded, Span
from voltac.suggestions import close_words, suggestion
from voltac.syntax import ast
from voltac.syntax.error_messages import INVENTED, INVENTED_TYPE, ErrorMessages, Mend, short
from voltac.syntax.hints import FOREIGN_TYPES, FOREIGN_WORDS
from voltac.syntax.lexer import MISSING, MISTAKE, OPERATOR_NAME, Kinds, is_name
from voltac.syntax.names import Names
from voltac.syntax.tables import Tables
from voltac.syntax.token_stretches import CLOSING, DECLARATION_STARTS, SPECIFIERS

_MOST_ERRORS = 200
_MOST_OF_A_LINE = 3
_MOST_ATTEMPTS = 2000
_HORIZON = 12
"""Tokens behind a mend that have to fit, if the statement does not end before."""
_SETTLED = 3
"""Tokens that have to be read without an error behind a mend before another one is reported."""
_ENDS = (";", "{", "}")
_BEHIND_VALUES = frozenset((
    ".", "->", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", "[",
    "+", "-", "/", "%", "==", "!=", "<=", ">=", "&&", "||", "?", "|", "^",
))  # fmt: skip
"""What can stand behind a variable and not behind a type."""
INSERTED = (",", ")", "]", ";", "(", ":", MISSING, "while", f"while ( {MISSING} ) ;", INVENTED)
"""What is tried in front of the token that does not fit, in this order; blanks separate tokens."""
CHANGED = {";": (",", ")"), ",": (";",), "==": ("=",), "=": ("==",), ".": (",", "..."), ":": (";", "="), "}": (")",)}
"""Token that does not fit -> what is tried in its place."""


class SyntaxErrors(ErrorMessages):
    """Reports the syntax errors of one file and mends the parser's stacks and tokens after each."""

    def __init__(
        self,
        tables: Tables,
        kinds: Kinds,
        texts: list[str],
        spans: list[Span],
        names: Names,
        diagnostics: Diagnostics,
        states: list[int],
        values: list[Any],
        starts: list[int],
    ) -> None:
        super().__init__(tables, kinds, texts, spans, names, diagnostics, states, values, starts)
        self.count = 0
        self.attempts = 0
        self.at_end_told = False
        self.mended_at = 0
        self.quiet_until = -1
        """Nothing is reported from the one to the other, unless a statement ends between: reading was taken up again there."""
        self.unknown_types: list[str] = []
        self.told_of_macros: set[tuple[str, Span]] = set()
        """Macros and the place in their text where an error was reported, once for all uses."""
        self.misused: set[str] = set()
        """Keywords that were used as names, reported once."""
        self.mistaken_lines: set[tuple[str, int]] = set()
        self.of_lines: dict[tuple[str, int], int] = {}
        """File and line -> how many errors it has."""

    def report(self, token: int, message: str) -> None:
        line = (self.spans[token].file, self.spans[token].line)
        self.of_lines[line] = self.of_lines.get(line, 0) + 1
        if self.of_lines[line] <= _MOST_OF_A_LINE:
            self.diagnostics.error(self.spans[token], message)
        self.count += 1
        self.note_line(token)
        if token and self.texts[token - 1] not in _ENDS:
            self.note_line(token - 1)

    def note_line(self, token: int) -> None:
        self.mistaken_lines.add((self.spans[token].file, self.spans[token].line))

    # --- where to go on

    def recover(self, token: int) -> int:
        """Report the error at a token, mend it, and give the token to go on with; -1 to give up."""
        self.attempts += 1
        if self.attempts > _MOST_ATTEMPTS or self.count >= _MOST_ERRORS:
            return -1
        for place in (token, token - 1):
            if place >= 0 and self.texts[place] in FOREIGN_WORDS and self.texts[place] not in self.names.variables:
                return self.foreign_word(place, place < token)
        if token and self.texts[token - 1] == "operator" and re.fullmatch(OPERATOR_NAME, "operator" + self.texts[token]):
            return self.join_operator_name(token)
        value = self.taken_for_a_type(token)
        if value >= 0:
            self.names.forget_type(self.texts[value])
            return token if value == token else self.rewind()
        doubled = self.doubled(token)
        for place in {token, token - 1, self.context_start()} if not doubled and self.texts[token] else ():
            keyword = self.misspelt_keyword(place, token)
            if keyword:
                return self.correct_keyword(place, keyword, place < token)
        unknown = -1 if doubled else self.unknown_type(token)
        if unknown >= 0:
            self.report_unknown_type(unknown)
            return token if unknown == token else self.rewind()
        quiet = self.is_quiet(token) or self.is_misused(token) or self.is_told_of_macro(token)
        if not self.texts[token]:
            return self.at_end(token, quiet)
        named = -1 if quiet or self.context_name() == "external" else self.named_like_a_type(token)
        if named >= 0:
            self.report(token, self.describe(token, None))
            start = self.rewind()
            self.names.hide_type(self.texts[named])
            return start
        mend = None if quiet else doubled or self.mend(token)
        if not quiet:
            self.report(token, self.describe(token, mend))
            self.note_misused(token)
            # The message names the brace that is open; that it still is at the end is the same mistake.
            self.at_end_told = self.at_end_told or self.is_nested_function(token)
        start = self.unclosed_function(token)
        if start >= 0:
            return self.close_function(start)
        start = self.unclosed_struct(token)
        if start >= 0:
            self.rewind()
            return self.replace(start, start, ["}", ";"])
        if self.texts[token] == "else" and not quiet and self.context_name() == "statement":
            return self.replace(token, token + 1, [])
        if mend is not None:
            if mend.text == INVENTED_TYPE:
                self.add_unknown_type(INVENTED_TYPE)
            return self.replace(token, token + mend.removed, mend.text.split())
        return self.skip(token)

    def replace(self, begin: int, end: int, texts: list[str]) -> int:
        """Put other tokens in place of some; the first one."""
        if begin < end:
            first, last = self.spans[begin], self.spans[end - 1]
            place = first.to(last) if first.file == last.file else first
            for token in (begin, end - 1):
                self.note_line(token)
        else:
            place = self.spans[begin - 1] if begin else self.spans[begin]
        self.texts[begin:end] = texts
        self.spans[begin:end] = [place] * len(texts)
        self.be_quiet(begin + len(texts), _SETTLED - 1)
        return begin

    def be_quiet(self, begin: int, count: int) -> None:
        self.mended_at = begin
        self.quiet_until = begin + count

    def is_quiet(self, token: int) -> bool:
        if token >= self.quiet_until:
            return False
        return not any(text in _ENDS for text in self.texts[self.mended_at : token])

    def mend(self, token: int) -> Mend | None:
        """The first of the small changes with which the statement can be read on."""
        if self.missing_semicolon(token):
            return Mend(0, "{" if self.missing_body(token) else ";")
        if self.context_name() == "external" and self.is_statement(token):
            return None
        text = self.texts[token]
        candidates = [Mend(0, inserted) for inserted in INSERTED]
        if self.values and isinstance(self.values[-1], ast.FunctionDeclarator) and self.context_name() == "external":
            candidates.insert(0, Mend(0, "{"))
        if self.kind_at(token) == self.kinds.identifier and self.accepts(self.kinds.type_name):
            candidates.insert(0, Mend(0, INVENTED_TYPE))
        if text[0].isdigit() and self.accepts(self.kinds.identifier):
            candidates.insert(0, Mend(1, INVENTED))
        if self.accepts_text(">") and not self.accepts_text("<"):
            candidates.insert(0, Mend(0, ">"))
        if text == "__attribute__":
            candidates.insert(0, Mend(self.attribute_length(token), ""))
        if text in CLOSING:
            candidates.insert(0, Mend(1, ""))
        if text == "]":
            candidates.insert(0, Mend(0, "["))
        unclosed = self.unclosed_bracket()
        if unclosed > self.context_start() >= 0 and self.texts[unclosed] == "{" and self.texts[unclosed - 1][0] != '"':
            candidates.append(Mend(0, "}"))
        following = self.texts[token + 1]
        if following and (following in CLOSING or text in CLOSING):
            candidates.append(Mend(2, f"{following} {text}"))
        if text not in CLOSING:
            candidates.append(Mend(1, ""))
        candidates += [Mend(1, changed) for changed in CHANGED.get(text, ())]
        if is_name(text) and self.kinds[text] != self.kinds.identifier:
            candidates.append(Mend(1, INVENTED))
        ahead = self.horizon(token)
        return next((candidate for candidate in candidates if self.fits(candidate, token, ahead)), None)

    def attribute_length(self, token: int) -> int:
        """How many tokens an attribute has."""
        depth, end = 0, token + 1
        while self.texts[end] and (depth or end == token + 1) and self.texts[end] not in _ENDS:
            depth += (self.texts[end] == "(") - (self.texts[end] == ")")
            end += 1
        return end - token

    def fits(self, mend: Mend, token: int, ahead: int) -> bool:
        """Whether the text up to the token ``ahead`` can be read with a mend."""
        kinds = [self.kind_of_mend(text) for text in mend.text.split()]
        kinds += [self.kind_at(position) for position in range(token + mend.removed, ahead)]
        return self.read(kinds) == len(kinds)

    def doubled(self, token: int) -> Mend | None:
        """A token that stands there twice in one line is taken out, if the rest can be read then."""
        once = Mend(1, "")
        text = self.texts[token]
        if not text or not token or text != self.texts[token - 1] or self.begins_line(token) or text in (",", ")", "]"):
            return None
        if text == "}" and self.context_start() < 0:
            return None
        return once if self.fits(once, token, self.horizon(token)) else None

    def kind_of_mend(self, text: str) -> int:
        return self.kinds.type_name if text == INVENTED_TYPE else self.kinds[text]

    def horizon(self, token: int) -> int:
        """The token up to which a mend has to fit: behind the end of the statement or the start of its block."""
        position = token
        while self.texts[position] and position < token + _HORIZON:
            position += 1
            if position > token + 1 and self.texts[position - 1] in (";", "{", "}"):
                break
        return position + (not self.texts[position])

    def is_misused(self, token: int) -> bool:
        return self.texts[token] in self.misused or (token > 0 and self.texts[token - 1] in self.misused)

    def is_told_of_macro(self, token: int) -> bool:
        """Whether the token comes out of the text of a macro, and an error there was reported at an earlier use."""
        span = self.spans[token]
        if not isinstance(span, Expanded):
            return False
        macro, place, _ = span.origin
        told = (macro, place) in self.told_of_macros
        self.told_of_macros.add((macro, place))
        return told

    def note_misused(self, token: int) -> None:
        """Remember a keyword that was used as a name: it will be used so again."""
        text, previous = self.texts[token], self.texts[token - 1] if token else ""
        is_word = is_name(text) and self.kinds[text] not in (self.kinds.identifier, self.kinds.bad)
        named = self.sort(previous) == "a type" or self.terminal(previous) in SPECIFIERS or previous in ("*", "&", ",", "}")
        if is_word and previous in (".", "->"):
            self.misused.add(text)
        elif is_word and named and self.accepts(self.kinds.identifier) and self.terminal(text) != "ATOMIC":
            if self.texts[token + 1] in ("=", ",", ";", "[", "(", ")"):
                self.misused.add(text)
        elif text in ("=", ",", ";", "[", ")") and self.terminal(previous) in SPECIFIERS:
            self.misused.add(previous)

    def at_end(self, token: int, quiet: bool) -> int:
        """The text stops too early: close what is open, so that what there is can be checked."""
        if not quiet and not self.at_end_told:
            self.report(token, self.describe(token, None))
        self.at_end_told = True
        start = self.context_start()
        if start >= 0 and self.texts[start] != MISTAKE:
            external = self.context_name() == "external"
            self.rewind()
            return self.replace(start, token, [self.mistake(start, token, external)])
        name = self.context_name()
        if name == "member":
            return self.replace(token, token, ["}", ";"])
        if name == "statement":
            return self.replace(token, token, ["}"])
        if name == "for_initial":
            self.rewind()
            return self.replace(token, token, [MISTAKE, ";", ")", ";"])
        return -1

    def unclosed_function(self, token: int) -> int:
        """Where a function begins that stands inside another one by mistake, as the indentation shows; else -1."""
        outer = next((start for start, value in zip(self.starts, self.values) if self.is_open_head(value)), -1)
        if outer < 0:
            return -1
        text = self.texts[token]
        if text == "{" and self.values and isinstance(self.values[-1], ast.FunctionDeclarator):
            start = self.context_start()
        elif text == "template" or (text in DECLARATION_STARTS and self.context_start() < 0):
            start = token
        else:
            return -1
        inside = start >= 0 and self.begins_line(start) and self.spans[start].column <= self.spans[outer].column
        if not inside or self.context_name() != "statement":
            return -1
        return start if self.is_followed_by_function(start, self.spans[outer].column) else -1

    def is_open_head(self, value: Any) -> bool:
        """Whether a value on the stack is the head of a function whose body is being read."""
        return hasattr(value, "declarator") and hasattr(value, "parameters")

    def close_function(self, start: int) -> int:
        """Close the blocks that are open in front of a function."""
        tokens = self.stacked_tokens()
        brace = next(token for token in reversed(tokens) if self.texts[token] == "{")
        outer = next(token for token, value in zip(self.starts, self.values) if self.is_open_head(value))
        depth = self.open_blocks()
        # The block ends in front of the first line in it that is not indented: it is read again up to there.
        lines = [token for token in range(brace + 1, start) if self.begins_line(token)]
        outside = [token for token in lines if self.spans[token].column <= self.spans[outer].column and self.is_outer(token)]
        end = outside[0] if outside and outside[0] != lines[0] else start
        position = self.starts.index(brace)
        del self.states[position + 2 :], self.values[position + 1 :], self.starts[position + 1 :]
        self.names.close_from(brace)
        self.replace(end, end, ["}"] * depth)
        return brace + 1

    def open_blocks(self) -> int:
        """How many braces are open."""
        texts = [self.texts[token] for token in self.stacked_tokens()]
        return texts.count("{") - texts.count("}")

    # --- unknown types

    def unknown_type(self, token: int) -> int:
        """The token that is an identifier where a type has to be, if that is what is wrong; else -1."""
        texts = self.texts
        if self.kind_at(token) == self.kinds.identifier and texts[token] not in self.names.variables:
            if self.accepts(self.kinds.type_name) and not self.accepts(self.kinds.identifier):
                following = texts[token + 1]
                before = texts[token - 1] if token else ""
                if self.kinds[following] == self.kinds.identifier or following in ("*", "&") or before == "new":
                    return token
                if following == "(" and texts[token + 2] == "*":
                    return token
                if following in (",", ")") and before in ("const", "uniform", "varying"):
                    return token
        named, is_cast = self.type_in_front(token)
        if named < 0 or self.kind_at(named) != self.kinds.identifier or texts[named] in self.names.variables:
            return -1
        if is_cast:
            is_call = named > 1 and self.sort(texts[named - 2]) == "a name"
            return named if texts[named - 1] == "(" and not is_call else -1
        if self.spans[named].line != self.spans[token].line:
            return -1
        first = named
        while first > 0 and (self.terminal(texts[first - 1]) in SPECIFIERS or texts[first - 2 : first - 1] == ["extern"]):
            first -= 1
        if first > 0 and texts[first - 1] == ">" and texts[self.context_start()] == "template":
            return named
        if first > 2 and texts[first - 1] == "{" and texts[first - 3] == "extern":
            return named
        if first == self.context_start() or (first > 0 and texts[first - 1] in ("(", ",")):
            return named
        return -1

    def taken_for_a_type(self, token: int) -> int:
        """A name that was reported as an unknown type but is declared or used as a variable here, else -1."""
        texts = self.texts
        following, previous = texts[token + 1 : token + 2], texts[token - 1] if token else ""
        if self.is_unknown_type(texts[token]) and self.accepts(self.kinds.identifier):
            return token if following and following[0] not in ("(", "*", "&") else -1
        if not self.is_unknown_type(previous):
            return -1
        declared = texts[token] in (",", ";", ")") and token > 1 and self.sort(texts[token - 2]) == "a type"
        return token - 1 if declared or texts[token] in _BEHIND_VALUES else -1

    def is_unknown_type(self, name: str) -> bool:
        return name in self.unknown_types and name not in self.names.variables

    def type_in_front(self, token: int) -> tuple[int, bool]:
        """The token that would be a type if the text up to this one were a declaration or, then True, a cast; or -1."""
        texts = self.texts
        text, previous = texts[token], texts[token - 1] if token else ""
        is_named = self.sort(text) != "" and self.terminal(text) != "ATOMIC"
        if previous == ")" and (is_named or text[:1].isdigit()):
            return token - 2, True
        if previous == "(" and text == "*":
            return token - 2, False
        if previous == ")" and text == "(" and texts[token - 4 : token - 2] == ["(", "*"]:
            return token - 5, False
        if is_named or text in ("*", "&"):
            return token - 1, False
        behind = token - (text == "=" and self.sort(previous) == "a name")
        if behind == token and text != ")" and self.terminal(text) not in SPECIFIERS:
            return -1, False
        position = behind - 1
        while position >= 0 and (texts[position] in ("*", "&") or self.terminal(texts[position]) in SPECIFIERS):
            position -= 1
        if position + 1 == behind or texts[position + 1] not in ("*", "&"):
            return -1, False
        return position, text == ")"

    def report_unknown_type(self, token: int) -> None:
        name = self.texts[token]
        if name in FOREIGN_TYPES:
            message = FOREIGN_TYPES[name]
        else:
            known = [*self.names.types(), *self.tables.spellings["ATOMIC"]]
            message = f"unknown type '{short(name)}'{suggestion(name, known)}"
        if not self.is_quiet(token):
            self.report(token, message)
        self.add_unknown_type(name)
        self.be_quiet(token, _SETTLED)

    def misspelt_keyword(self, place: int, token: int) -> str:
        """The keyword that stands misspelt at a place, if the text around the error can be read with it."""
        text = self.texts[place] if place >= 0 else ""
        if place not in (token, self.context_start()) or text in self.names.variables or text in FOREIGN_WORDS:
            return ""
        if not text or self.kind_of(text) != self.kinds.identifier:
            return ""
        for keyword in close_words(text, self.tables.keywords, 0.65):
            behind = [self.kind_at(position) for position in range(place + 1, self.horizon(token))]
            begin = -1 if place == token else self.context()
            if self.read([self.kinds[keyword], *behind], begin) == 1 + len(behind):
                return keyword
        return ""

    def correct_keyword(self, place: int, keyword: str, was_read: bool) -> int:
        if not self.is_quiet(place):
            self.report(place, f"syntax error: found {self.found(place)}; did you mean '{keyword}'?")
        begin = self.rewind() if was_read else place
        self.replace(place, place + 1, [keyword])
        return begin

    def add_unknown_type(self, name: str) -> None:
        self.names.add_everywhere(name)
        self.unknown_types.append(name)

    def foreign_word(self, token: int, was_read: bool) -> int:
        """A word of another language stands here: report it and put the right one in its place."""
        message, instead = FOREIGN_WORDS[self.texts[token]]
        before = self.texts[token - 1] if token else ""
        if self.texts[token] == "class" and before in ("<", ","):
            message, instead = "write 'typename' for a type parameter", "typename"
        elif before == "enum":
            message, instead = "enumerations have no scope of their own; write 'enum'", ""
        if not self.is_quiet(token):
            self.report(token, f"syntax error: found {self.found(token)}; {message}")
        begin = self.rewind() if was_read else token
        self.replace(token, token + 1, instead.split())
        self.quiet_until = token + len(instead.split()) + 1
        return begin

    def join_operator_name(self, token: int) -> int:
        """The name of an operator stands there with the blank that C++ allows: report it and read it as one token."""
        name = "operator" + self.texts[token]
        if not self.is_told_of_macro(token - 1):
            remedy = f"the name of an operator has no blank in it: write '{name}'"
            if isinstance(self.spans[token - 1], Expanded) and self.spans[token - 1] != self.spans[token]:
                remedy += " (in a macro, 'operator##op' with its parameter 'op')"
            self.report(token, f"syntax error: found {self.found(token)}; {remedy}")
        begin = self.rewind()
        self.replace(token - 1, token + 1, [name])
        return begin

    # --- giving up a statement, member or declaration

    def rewind(self) -> int:
        """Take what has been read of the innermost statement, member or declaration off the stacks; its first token."""
        position = self.context()
        start = self.starts[position] if position < len(self.starts) else -1
        del self.states[position + 1 :], self.values[position:], self.starts[position:]
        if start >= 0:
            self.names.close_from(start)
        return start

    def skip(self, token: int) -> int:
        """Replace the present statement, member or declaration, or its head; where reading goes on."""
        name = self.context_name()
        start = self.rewind()
        begin = token if start < 0 else start
        if begin < token:
            self.note_typedef(begin, token)
        if name == "for_initial":
            return self.replace_head_part(begin, token)
        external = name == "external"
        loose = external and begin == token and self.is_statement(begin)
        end, is_head = self.end_of(begin, token, external)
        if is_head:
            return self.replace_head(begin, end)
        if end <= token and begin == token:
            if self.texts[token] == "}":
                return self.replace(token, token + external, [MISTAKE + "|}" if external else MISTAKE])
            return self.replace(token, token + 1, [])
        ended = self.texts[end - 1] in _ENDS
        self.replace(begin, end, [MISTAKE + "|}" if loose else self.mistake(begin, end, external)])
        if ended:
            self.quiet_until = begin
        return begin

    def replace_head(self, begin: int, end: int) -> int:
        """Put a head without contents in place of ``for (...)``, ``if (...)``."""
        word = self.texts[begin]
        names = self.mistake(begin, end, False)
        match word:
            case "for" | "cfor":
                head = [word, "(", names, ";", ")"]
            case "foreach" | "foreach_tiled" | "foreach_active" | "foreach_unique":
                # Which of the names are dimensions is not known: a loop in which they are all mistaken.
                head = ["for", "(", names, ";", ")"]
            case _:
                head = [word, "(", MISSING, ")"]
        return self.replace(begin, end, head)

    def replace_head_part(self, begin: int, token: int) -> int:
        """The first part of ``for (...)`` is wrong: replace all that stands in the parentheses."""
        depth = 0
        end = token
        texts = self.texts
        while texts[end] and not (depth == 0 and texts[end] in (")", "{", "}")):
            depth += (texts[end] == "(") - (texts[end] == ")")
            end += 1
        return self.replace(begin, end, [self.mistake(begin, end, False), ";"] + ([] if texts[end] == ")" else [")"]))

    def note_typedef(self, begin: int, token: int) -> None:
        """A type name whose declaration is wrong is known nevertheless."""
        if self.texts[begin] != "typedef":
            return
        end = token
        while self.texts[end] not in (";", ""):
            end += 1
        previous = ""
        for position in range(begin + 1, end):
            text, following = self.texts[position], self.texts[position + 1]
            # Behind '(*', in front of '[' or at the end stands the name that is declared.
            in_parentheses = following == ")" and (previous == "*" or self.terminal(previous) in SPECIFIERS)
            if self.kinds[text] == self.kinds.identifier and (in_parentheses or following in ("[", ";", "")):
                self.add_unknown_type(text)
                return
            previous = text

    # --- what is no token, and depth

    def bad_token(self, token: int) -> int:
        """Report what is no token and take it out; the token to go on with, or -1 to give up."""
        self.count += 1
        if self.count > _MOST_ERRORS:
            return -1
        text, span = self.texts[token], self.spans[token]
        end = token + 1
        if text[0] == '"':
            message = "this string is not closed: '\"' is missing at its end"
            while self.texts[end] and self.spans[end].line == span.line:
                end += 1
            while end > token + 1 and self.texts[end - 1] in (")", "]", "}", ";"):
                end -= 1
        elif text[0] == "'":
            message = "the single quote is not a valid character: there are no character constants"
            if len(text) == 3 and text[2] == "'" and text[1].isprintable():
                message += f"; write the code of {text}, {ord(text[1])}"
        elif text[0] == "@":
            message = "'@' is only valid at the start of the name of an LLVM intrinsic, '@llvm.name'"
        elif text[0] == "#":
            message = "'#' is not a valid character (0x23) outside of preprocessor directives"
        else:
            shown = text if text.isprintable() else "?"
            message = f"invalid character '{shown}' ({' '.join(f'0x{byte:02x}' for byte in text.encode('utf-8', 'replace'))})"
        if not self.is_quiet(token):
            self.diagnostics.error(span, message)
        self.note_line(token)
        operand = [MISSING] if self.accepts(self.kinds.missing) else ['""'] if self.accepts(self.kinds.string) else []
        del self.texts[token + len(operand) : end], self.spans[token + len(operand) : end]
        self.texts[token : token + len(operand)] = operand
        self.be_quiet(token + len(operand), _SETTLED - 1)
        return token
