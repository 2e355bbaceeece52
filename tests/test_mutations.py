"""Broken programs are compiled or refused with errors that have a place; never a traceback, a crash or a hang (issue 3).

``tests/support/mutations.py`` makes them. The long part is in shards, so that an interrupted run goes on where it stopped:
``pytest -m long tests/test_mutations.py --lf``, or ``-k "shard7-"``.
"""

import random
from pathlib import Path

import pytest
from bombs import bomb
from mutations import Compiler, Mutation, mutation, run, sources
from subtrees import mutated_tree, parts

pytestmark = pytest.mark.whole

SHARDS, PER_SHARD = 40, 500


def test_a_mutation_is_always_the_same_text() -> None:
    assert mutation(7) == mutation(7)
    assert len({mutation(seed).text for seed in range(50)}) > 45
    assert len(sources()) > 250
    assert isinstance(mutation(1), Mutation)


def test_broken_programs_end_in_errors_with_a_place(tmp_path: Path) -> None:
    """As far as LLVM's verification of the text that the front end makes."""
    failures, counts = run(0, 150, keep=tmp_path)
    assert not failures, "\n".join([str(tmp_path), *failures])
    assert counts["compiled"] > 5
    assert counts["errors"] > 90


def test_broken_programs_end_in_an_object_or_in_errors(tmp_path: Path) -> None:
    failures, counts = run(1_000_000, 60, to_object=True, keep=tmp_path)
    assert not failures, "\n".join([str(tmp_path), *failures])
    assert counts["compiled"]


def test_parts_of_a_program_are_its_groups_and_statements() -> None:
    text = "int f(int a) { if (a[1]) { g(a, 2); } // }\n return 3; }"
    found = {kind: [text[slice(*span)].strip() for span in spans] for kind, spans in parts(text).items()}
    assert sorted(found["("]) == ["a, 2", "a[1]", "int a"]
    assert found["["] == ["1"] and len(found["{"]) == 2
    assert "g(a, 2);" in found[";"] and text in found[";"]
    assert len({mutated_tree(text, "void g() { x = 4; }", random.Random(seed)) for seed in range(40)}) > 20


def test_texts_that_ask_for_much_end_in_an_object_or_in_errors(tmp_path: Path) -> None:
    failures = []
    with Compiler() as compiler:
        for seed in range(8):
            path = tmp_path / "bomb.ispc"
            path.write_text(bomb(seed), errors="surrogateescape")
            outcome = compiler.outcome(Mutation(seed, path, bomb(seed), "avx2-i32x8", 2, seed % 3 == 0), to_object=True)
            if outcome not in ("compiled", "errors"):
                failures.append((seed, outcome))
    assert not failures


@pytest.mark.long
@pytest.mark.parametrize("shard", range(SHARDS), ids=lambda shard: f"shard{shard}-")
def test_many_broken_programs(shard: int, tmp_path: Path) -> None:
    """One in four of them goes all the way to an object."""
    failures, counts = run(shard * PER_SHARD, PER_SHARD, to_object=shard % 4 == 0, keep=tmp_path)
    print(f"shard {shard} of {SHARDS}: {counts}, {len(failures)} failures")
    assert not failures, "\n".join([str(tmp_path), *failures])
