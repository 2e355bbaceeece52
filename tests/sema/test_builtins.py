"""The tables of builtins: each name in them is one, and what writes counts as an effect."""

from voltac.diagnostics import NOWHERE
from voltac.interpreter import builtins as meanings
from voltac.lower import builtins as lowered
from voltac.sema import tree
from voltac.sema.builtins import BUILTINS, EFFECTS, ONLY_READ, ORDERED_EFFECTS, WITHOUT_EFFECT
from voltac.sema.independence import THREAD_BUILTINS, has_effect
from voltac.sema.types import INT32, UNIFORM, Qual


def test_every_builtin_has_a_meaning_and_code_and_nothing_else_has() -> None:
    assert meanings.BUILTINS.keys() <= BUILTINS.keys()
    assert lowered.BUILTINS.keys() <= BUILTINS.keys()
    assert BUILTINS.keys() - lowered.BUILTINS.keys() == set()


def test_the_lists_name_builtins() -> None:
    for names in (ONLY_READ, EFFECTS, ORDERED_EFFECTS, WITHOUT_EFFECT, THREAD_BUILTINS):
        assert BUILTINS.keys() >= set(names)


def test_a_builtin_that_gets_a_pointer_writes_unless_it_is_said_to_read() -> None:
    pointers = {name for name, row in BUILTINS.items() if any("*" in pattern for pattern in row.parameters)}
    assert pointers - EFFECTS == {"__lookup", "__lookup_eight", "__load_active", "__prefetch"}
    for name in sorted(pointers & EFFECTS):
        assert has_effect(tree.Builtin(NOWHERE, Qual(INT32, UNIFORM), name, ()))


def test_a_builtin_without_result_has_an_effect() -> None:
    silent = {name for name, row in BUILTINS.items() if row.result == "u void"}
    assert silent - EFFECTS == {"__prefetch"}
    assert {"__atomic_add", "__clock", "__read_control", "__barrier", "__random_bits"} <= ORDERED_EFFECTS
    stores = {"__store_active", "__store_streaming", "__memory_copy", "__memory_move", "__memory_set"}
    assert stores == EFFECTS - ORDERED_EFFECTS
