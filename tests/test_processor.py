"""Only some tests depend on the processor: those that ``.ci/run`` runs a second time, as on a lesser one."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).resolve().parent
DEPENDING = [TESTS.parent / name for name in re.findall(r"tests/[\w/]+(?:\.py)?", (TESTS.parent / ".ci" / "run").read_text())]
ASKS = re.compile(r"\b(can_run|host_target|instruction_sets|load_objects|voltac\.compile|voltac\.load)\((?!.*target=)")


def test_only_these_tests_ask_for_the_processor() -> None:
    for path in sorted(TESTS.rglob("test_*.py")):
        if path != Path(__file__) and not {path, *path.parents}.intersection(DEPENDING):
            assert [line for line in path.read_text().splitlines() if ASKS.search(line)] == [], path
