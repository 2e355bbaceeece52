"""A checker that keeps what it finds out about each name and expression as written: editors ask for places of the source.

The typed tree has no names of types and constants, nothing of statements with mistakes, and forgets what it folds.
"""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.records import field, mutable_record
from voltac.sema import tree
from voltac.sema.checker import Checker, Operand
from voltac.sema.scopes import Scopes, Symbol
from voltac.syntax import ast


@mutable_record(eq=False)
class Findings:
    """What was found out, in the order of checking; the body of a template is checked for each instance."""

    expressions: list[tuple[ast.Expression, Operand]] = field(default_factory=list)
    """Those without mistakes, and what they are."""
    uses: list[tuple[Span, Symbol]] = field(default_factory=list)
    """Places of names, and what they stand for."""
    declared: list[Symbol] = field(default_factory=list)


class WatchedChecker(Checker):
    """Checks as any other, and notes it."""

    findings: Findings

    def watch(self, findings: Findings) -> None:
        """Note everything in ``findings`` from now on."""
        self.findings = findings
        self.scopes = _WatchedScopes(findings.declared)

    def expression(self, node: ast.Expression) -> Operand:
        """As a checker, and the name or expression is noted."""
        found = super().expression(node)
        self.findings.expressions.append((node, found))
        if isinstance(node, ast.Name):
            symbol = self.scopes.find(node.name)
            # All others are looked up.
            if isinstance(symbol, tree.VariableSymbol):
                self.findings.uses.append((node.span, symbol))
        return found

    def look_up(self, name: str, span: Span) -> Symbol:
        """As a checker, and the use is noted."""
        symbol = super().look_up(name, span)
        self.findings.uses.append((span, symbol))
        return symbol


class _WatchedScopes(Scopes):
    def __init__(self, declared: list[Symbol], file: Scopes | None = None) -> None:
        super().__init__(file)
        self._declared = declared

    def globals_only(self) -> Scopes:
        return _WatchedScopes(self._declared, self._file or self)

    def declare(self, name: str, symbol: Symbol) -> None:
        self._declared.append(symbol)
        super().declare(name, symbol)

    def declare_global(self, name: str, symbol: Symbol) -> None:
        self._declared.append(symbol)
        super().declare_global(name, symbol)
