"""A memory of answers that know which unproved guesses they rest on.

An analysis over loops answers a question about a value while the question about a
phi is still open, with a guess in its place. Such answers are kept, and dropped
when the guess turns out wrong; what does not rest on it stays. So the work is
done once, however deep loops are nested.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

_LIMIT = "limit"
_UNKNOWN: Any = object()


class Memo:
    """Questions are any hashable keys."""

    def __init__(self) -> None:
        self.answers: dict[Hashable, Any] = {}
        """Who asks often looks here first: an answer that is not in ``rests_on`` holds."""
        self._open: dict[Hashable, Any] = {}
        """Questions being answered -> what is taken for the answer meanwhile."""
        self.rests_on: dict[Hashable, set[Hashable]] = {}
        """Answer -> the open questions it rests on."""
        self._supports: dict[Hashable, set[Hashable]] = {}
        """The inverse."""
        self._used: list[set[Hashable]] = [set()]
        """For each question being answered, the open ones that were met."""

    def answer(self, key: Hashable, meanwhile: Any, compute: Callable[[], Any]) -> Any:
        """The answer, computed at the first call; while it is, others get ``meanwhile``."""
        known = self.answers.get(key, _UNKNOWN)
        if known is not _UNKNOWN:
            if key in self.rests_on:
                self._used[-1] |= self.rests_on[key]
            return known
        if key in self._open:
            self._used[-1].add(key)
            return self._open[key]
        self._open[key] = meanwhile
        self._used.append(set())
        found = compute()
        used = self._used.pop()
        del self._open[key]
        self.retract(key)
        used.discard(key)
        if not self._open:
            self.retract(_LIMIT)
            used.discard(_LIMIT)
        self.answers[key] = found
        if used:
            self.rests_on[key] = used
            self._used[-1] |= used
            for guess in used:
                self._supports.setdefault(guess, set()).add(key)
        return found

    def assume(self, key: Hashable, answer: Any) -> None:
        """Take an answer for granted, before anything is asked that may rest on it."""
        self.answers[key] = answer

    def limit(self) -> None:
        """What is answered now is weaker than it could be: it is kept only while questions are open."""
        self._used[-1].add(_LIMIT)

    def guess(self, key: Hashable, meanwhile: Any) -> None:
        """Change what is taken for an open answer; what rests on the old guess is dropped."""
        self.retract(key)
        self._open[key] = meanwhile

    def retract(self, key: Hashable) -> None:
        """Drop what rests on the guess for an open question."""
        for dependent in self._supports.pop(key, ()):
            if key in self.rests_on.get(dependent, ()):
                del self.answers[dependent], self.rests_on[dependent]

    def prove(self, key: Hashable, keep: Callable[[Hashable], bool]) -> None:
        """The guess holds: what rests on it stays, as far as wanted."""
        for dependent in self._supports.pop(key, ()):
            rests = self.rests_on.get(dependent)
            if rests is None or key not in rests:
                continue
            if not keep(dependent):
                del self.answers[dependent], self.rests_on[dependent]
                continue
            rests.discard(key)
            if not rests:
                del self.rests_on[dependent]
