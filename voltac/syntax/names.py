"""Which names are types and which are templates, while parsing: the scopes of section 4.1 of the language."""

from __future__ import annotations

from collections.abc import Iterable

from voltac.syntax.lexer import kinds

PREDECLARED_TYPES = ("size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "RNGState")
"""Type names that are visible without a declaration: those of the language and of its library."""


class Names:
    """The kind of each visible name that is not an ordinary identifier; closing a scope undoes what was said in it."""

    def __init__(self, types: Iterable[str], templates: Iterable[str]) -> None:
        self._type = kinds().type_name
        self._template = kinds().template_name
        self._identifier = kinds().identifier
        self.kinds: dict[str, int] = dict.fromkeys(templates, self._template)
        self.kinds.update(dict.fromkeys((*PREDECLARED_TYPES, *types), self._type))
        self._scopes: list[list[tuple[str, int | None]]] = [[]]
        self._starts = [-1]
        self.variables: set[str] = set()
        """Every name that has been declared as something else than a type: one of these is no misspelt type."""

    def open(self, start: int) -> None:
        """Open the scope of a construct that begins with the given token."""
        self._scopes.append([])
        self._starts.append(start)

    def close(self) -> None:
        """Names of the innermost scope mean again what they did before it."""
        self._starts.pop()
        for name, before in reversed(self._scopes.pop()):
            if before is None:
                self.kinds.pop(name, None)
            else:
                self.kinds[name] = before

    def close_from(self, start: int) -> None:
        """Close the scopes of all constructs that begin at or behind the given token."""
        while self._starts[-1] >= start:
            self.close()

    def _set(self, name: str, kind: int) -> None:
        before = self.kinds.get(name)
        if name and before != kind and before != self._type:
            self._scopes[-1].append((name, before))
            self.kinds[name] = kind

    def add_type(self, name: str) -> None:
        """A type from here to the end of the scope."""
        self._set(name, self._type)

    def add_template(self, name: str) -> None:
        """A template from here to the end of the scope."""
        self._set(name, self._template)

    def add_variable(self, name: str) -> None:
        """A variable hides a template of its name, never a type."""
        self.variables.add(name)
        if name in self.kinds and len(self._scopes) > 1:
            self._set(name, self._identifier)

    def add_outer_template(self, name: str) -> None:
        """A template becomes visible outside the scope of its own parameters, the innermost one."""
        inner = self._scopes.pop()
        self.add_template(name)
        self._scopes.append(inner)

    def add_everywhere(self, name: str) -> None:
        """Make a name a type for good: one that was used as a type and is none, reported once."""
        for scope in self._scopes:
            scope[:] = [entry for entry in scope if entry[0] != name]
        self.kinds[name] = self._type

    def forget_type(self, name: str) -> None:
        """A name that ``add_everywhere`` made a type turns out to be none."""
        self.kinds.pop(name, None)
        self.variables.add(name)

    def hide_type(self, name: str) -> None:
        """A type's name that was declared as something else, which was reported: it is read as that up to the scope's end."""
        self._scopes[-1].append((name, self.kinds.get(name)))
        self.kinds[name] = self._identifier
        self.variables.add(name)

    def templates(self) -> list[str]:
        """All names that are templates now."""
        return [name for name, kind in self.kinds.items() if kind == self._template]

    def types(self) -> list[str]:
        """All names that are types now."""
        return [name for name, kind in self.kinds.items() if kind == self._type]
