"""Numbers with a name say why they are what they are: a docstring behind them, or a comment above or beside them.

Assignments in lines that follow each other are a group: what stands behind the last or above the first speaks for all.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "voltac"
FILES = sorted(ROOT.rglob("*.py"))
NAME = re.compile(r"_?[A-Z][A-Z0-9_]*")


def is_number(node: ast.expr | None) -> bool:
    match node:
        case ast.Constant(value=int() | float() as value):
            return not isinstance(value, bool)
        case ast.BinOp(left=left, right=right):
            return is_number(left) and is_number(right)
        case ast.UnaryOp(operand=operand):
            return is_number(operand)
        case ast.Tuple(elts=elements):
            return bool(elements) and all(map(is_number, elements))
    return False


def named_numbers(node: ast.stmt) -> list[str]:
    """The names that a statement gives to numbers."""
    match node:
        case ast.Assign(targets=[ast.Name(name)], value=value) | ast.AnnAssign(target=ast.Name(name), value=value):
            return [name] if NAME.fullmatch(name) and is_number(value) else []
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple() as value):
            found = [name.id for name in names if isinstance(name, ast.Name) and NAME.fullmatch(name.id)]
            return found if is_number(value) else []
    return []


def unexplained(text: str) -> list[str]:
    """Names of numbers for which no reason is given."""
    lines = text.split("\n")
    found: list[str] = []
    group: list[str] = []
    commented = False
    last = 0
    for node in ast.parse(text).body:
        if node.lineno != last + 1 or not (group or commented):
            found += [] if commented else group
            group, commented = [], lines[node.lineno - 2].startswith("#")
        assert node.end_lineno is not None
        last = node.end_lineno
        match node:
            case ast.Expr(ast.Constant(str())):
                group, commented = [], False
            case _ if not re.search(r"#(?! (fmt|noqa))", lines[last - 1]):
                group += named_numbers(node)
    return found + ([] if commented else group)


def test_a_number_with_a_name_has_its_reason() -> None:
    assert {path: names for path in FILES if (names := unexplained(path.read_text()))} == {}


def test_what_counts_as_a_reason() -> None:
    assert unexplained("A = 3\n") == ["A"]
    assert unexplained("A = 3\n'''Why.'''\n") == []
    assert unexplained("# Why.\nA = 3\n") == []
    assert unexplained("# Why.\nA = 3\nB = 4\n\nC = 5\n") == ["C"]
    assert unexplained("A = 3\nB = 1 << 4\n'''Why both.'''\nC = 4\n") == ["C"]
    assert unexplained("A, B = 3, 4\n") == ["A", "B"]
    assert unexplained("A = 3  # why\n_B: int = -4\nC = f(3)\n") == ["_B"]
