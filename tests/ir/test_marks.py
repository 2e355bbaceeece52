"""Names that carry a meaning are read as they were made, and nobody looks into them but ``ir/marks.py``."""

import ast
import re
from pathlib import Path

import pytest

from voltac.ir import marks

SOURCES = Path(marks.__file__).resolve().parent.parent


@pytest.mark.parametrize("kind", [marks.FOREACH, marks.CIF, marks.CFOR])
@pytest.mark.parametrize("path", [marks.ALL_ON, marks.MASKED, marks.MIXED, marks.ALL_OFF])
def test_what_is_made_is_read_back(kind: str, path: str) -> None:
    first = marks.block(marks.statement(kind, 12, 5), path)
    assert marks.path_of(first) == marks.PathName(12, 5, path) and marks.is_first_of_path(first)
    within = marks.inside(first, "loop.test")
    assert marks.path_of(within) == marks.PathName(12, 5, path) and not marks.is_first_of_path(within)
    # A statement with paths inside of a path is named after itself alone.
    inner = marks.block(marks.statement(marks.CIF, 13, 9), marks.MIXED)
    assert marks.inside(first, inner) == inner
    assert marks.test_block(within) == marks.test_block(first) == f"{kind}_12_5.test"


def test_names_of_others_have_no_path() -> None:
    for name in ("entry", "if.then", "loop.test", "foreach_active.step", "foreach_unique.test", "my_foreach_1_2x"):
        assert marks.path_of(name) is None and not marks.is_first_of_path(name)


def test_paths_are_found_in_texts() -> None:
    text = "foreach_3_5.all_on:\n  br label %foreach_3_5.masked\nfoo.cif_4_9.mixed_crit_edge:\n"
    assert list(marks.paths_of_blocks(text)) == [marks.PathName(3, 5, "all_on")]
    found = [(each.line, each.column, each.path) for each in marks.paths_mentioned(text)]
    assert found == [(3, 5, "all_on"), (3, 5, "masked"), (4, 9, "mixed")]


def test_the_first_block_of_a_gangs_work_is_known_by_the_loop_behind_it() -> None:
    assert marks.begins_gang("foreach_1_1.all_on", ["foreach_1_1.all_on.loop.test"])
    assert not marks.begins_gang("foreach_1_1.masked", ["foreach_1_1.masked.loop.test"])
    assert not marks.begins_gang("foreach_1_1.all_on", ["foreach_1_1.all_on.step"])


def test_functions_that_are_seldom_called_have_their_mark() -> None:
    assert marks.is_seldom_called(f"f.{marks.WRAPPING}.2") and not marks.is_seldom_called("wrapping")


@pytest.mark.whole
def test_nobody_else_looks_into_names_of_blocks() -> None:
    meant = re.compile(r"foreach\||\.all_on|_\\d\+_\\d\+|\.wrapping|voltac-(?:threads|flush|lines)")
    for path in SOURCES.rglob("*.py"):
        module = ast.parse(path.read_text())
        documentation = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
        for node in ast.walk(module):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                # What the all-on version of a function is called is read by no one.
                made = path.name == "marks.py" or (path.name == "module_context.py" and node.value == ".all_on")
                assert made or not meant.search(node.value), f"{path}:{node.lineno}"
