"""A name stands for one thing: classes, modules; and a file that is long says why."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "voltac"
FILES = sorted(ROOT.rglob("*.py"))
LONG = 400
"""Lines of a file that one sitting takes in."""


def classes() -> dict[str, set[str]]:
    """Public class -> the files that define one of that name."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in FILES:
        text = path.read_text()
        for node in ast.parse(text).body if "\nclass " in text else ():
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].add(str(path.relative_to(ROOT)))
    return found


NOTATIONS = ("sema/tree", "syntax/ast", "ir/model", "opencl")
"""The program as written, as checked, as LLVM has it, and a device in OpenCL's words: each has the names of its own subject,
and they are told apart by their module: ``ast.If`` becomes ``tree.If``."""


def test_a_public_class_has_a_name_of_its_own() -> None:
    again = {name: sorted(files) for name, files in classes().items() if len(files) > 1}
    others = {name: [file for file in files if not file.startswith(NOTATIONS)] for name, files in again.items()}
    assert {name: again[name] for name, files in others.items() if len(files) > 1} == {}


LONG_FILES = {
    "codegen/assembler.py": "directives share the place and the symbols of one pass over the text",
    "codegen/selection.py": "covering a block is one algorithm",
    "interpreter/expressions.py": "a method for each node, and they call each other",
    "interpreter/statements.py": "a method for each node, and they call each other",
    "lower/functions/c_header.py": "a header is written in one go: what a type needs is known when it is named",
    "passes/accesses/emit.py": "what is written for a block shares what was written for it before",
    "passes/arithmetic/narrow_arithmetic.py": "ranges, choice and rewriting ask each other what a value is",
    "passes/resolve_accesses.py": "each decision depends on what waits in the same block to be decided",
    "sema/declarations/declarators.py": "types contain declarators and declarators types",
    "sema/declarations/variables.py": "globals, locals and members differ in a few lines each",
    "sema/tree.py": "one table: nodes refer to each other",
    "syntax/preprocessor.py": "directives change the state in which the lines that follow are read",
    "targets/naplespu/simulator/core.py": "the state that all instructions of a core share",
}
"""Files of more than 400 lines, and why each is one."""


def test_long_files_are_those_with_a_reason() -> None:
    assert {str(path.relative_to(ROOT)) for path in FILES if path.read_text().count("\n") > LONG} == LONG_FILES.keys()


def test_a_file_of_tests_has_a_name_of_its_own() -> None:
    """pytest imports those of folders that are no packages by it alone."""
    tests = Path(__file__).parent
    counts = Counter(path.name for path in tests.rglob("test_*.py") if not (path.parent / "__init__.py").exists())
    assert [name for name, count in counts.items() if count > 1] == []
