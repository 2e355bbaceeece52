"""All guesses, in the order in which they are tried."""

from __future__ import annotations

from voltac.syntax.recovery.edits import DIGITS, SMALL_CHANGES, TWICE
from voltac.syntax.recovery.foreign_constructs import FOREIGN_CONSTRUCTS, SCOPES
from voltac.syntax.recovery.given_up import GIVEN_UP
from voltac.syntax.recovery.guess import Guess
from voltac.syntax.recovery.habits import BRACKETS, CHOICES, ELSE_IF, FIRST_WORDS, PATTERNS
from voltac.syntax.recovery.misspelt import MISSPELT
from voltac.syntax.recovery.other_forms import OTHER_FORMS, UNFINISHED
from voltac.syntax.recovery.placement import ALONE, CASTS, CONDITIONS, MISSING_ENDS, OUTSIDE, TEMPLATES
from voltac.syntax.recovery.type_names import (
    FOREIGN_TYPES,
    KEYWORDS_AS_NAMES,
    NAMED_LIKE_TYPES,
    UNDEFINED_MACROS,
    UNKNOWN,
    VALUES,
    WITHOUT_TYPE,
)
from voltac.syntax.recovery.unclosed_blocks import END, PRAGMAS, UNCLOSED
from voltac.syntax.recovery.words import FOREIGN, OPERATORS

GUESSES: tuple[Guess, ...] = (
    *FOREIGN,
    *OPERATORS,
    *VALUES,
    *MISSPELT,
    *SCOPES,
    *FOREIGN_TYPES,
    *UNDEFINED_MACROS,
    *UNKNOWN,
    *PRAGMAS,
    *TWICE,
    *UNCLOSED,
    *END,
    *ALONE,
    *MISSING_ENDS,
    *OTHER_FORMS,
    *CASTS,
    *NAMED_LIKE_TYPES,
    *FOREIGN_CONSTRUCTS,
    *PATTERNS,
    *FIRST_WORDS,
    *ELSE_IF,
    *CHOICES,
    *BRACKETS,
    *DIGITS,
    *CONDITIONS,
    *TEMPLATES,
    *KEYWORDS_AS_NAMES,
    *OUTSIDE,
    *WITHOUT_TYPE,
    *SMALL_CHANGES,
    *UNFINISHED,
    *GIVEN_UP,
)
