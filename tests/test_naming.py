"""A name stands for one thing: classes, modules; and a file that is long says why."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "voltac"
FILES = sorted(ROOT.rglob("*.py"))
LONG = 400
"""Lines of a file that one sitting takes in."""


def classes() -> dict[str, set[str]]:
    """Public class -> the files that define one of that name."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in FILES:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].add(str(path.relative_to(ROOT)))
    return found


def is_of_a_tree(path: str) -> bool:
    return path.startswith(("sema/tree", "syntax/ast"))


def test_a_public_class_has_a_name_of_its_own() -> None:
    """Nodes as written and as checked are pairs: ``ast.If`` becomes ``tree.If``."""
    again = {name: sorted(files) for name, files in classes().items() if len(files) > 1}
    assert {name: files for name, files in again.items() if not all(map(is_of_a_tree, files))} == {}


def test_a_long_file_says_why_it_is_one() -> None:
    """``One file, since`` or ``One table, since`` ... stands in its docstring."""
    silent = []
    for path in FILES:
        text = path.read_text()
        if text.count("\n") > LONG and "One " not in (ast.get_docstring(ast.parse(text)) or ""):
            silent.append(str(path.relative_to(ROOT)))
    assert silent == []
