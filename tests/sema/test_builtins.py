"""The table of builtins: a row without a fact does not load, and what writes counts as an effect."""

import subprocess
import sys

import pytest

from voltac.interpreter import builtins as meanings
from voltac.lower.analyses.node_costs import OPERAND_LIMIT
from voltac.lower.builtins import table as lowered
from voltac.messages.diagnostics import InternalError
from voltac.messages.message import NOWHERE
from voltac.sema import tree
from voltac.sema.analyses.independence import has_effect
from voltac.sema.builtins import BUILTINS, UNSAFE, Callers, Effect, Lanes, check_rows
from voltac.sema.types import INT32, UNIFORM, Qual


def of(*effects: Effect) -> set[str]:
    return {name for name, row in BUILTINS.items() if row.effect in effects}


def test_every_builtin_has_a_meaning_and_code_and_nothing_else_has() -> None:
    assert meanings.BUILTINS.keys() == BUILTINS.keys() == lowered.BUILTINS.keys()
    with pytest.raises(InternalError, match="builtins without code, or code without a builtin: __sqrt"):
        check_rows("code", BUILTINS.keys() - {"__sqrt"})
    with pytest.raises(InternalError, match="__store_front"):
        check_rows("meaning", {*BUILTINS, "__store_front"})


@pytest.mark.parametrize(
    "before, after, message",
    [
        ('(UNSAFE, "__store_active"', '("__store_active"', "not enough values to unpack"),
        ('"__store_active", "u void"', '"__store_front", "u void"', "builtins without code, or code without a builtin"),
        ('"u const void *", "u int32", "u int32"', '"u void *", "u int32", "u int32"', "'__prefetch': effect 'HINT'"),
        ('("u int64 *",), (), "writes 64', '("u int64 *",), (), "reads 64', ""),
        ("ORDERED, Lanes.OWN", "NONE, Lanes.OWN", "builtin '__fence' has an effect"),
    ],
)  # fmt: skip
def test_a_row_that_lacks_a_fact_or_says_a_wrong_one_does_not_load(before: str, after: str, message: str) -> None:
    program = f"""import sys, types, pathlib
import voltac.sema.types
source = pathlib.Path(sys.modules['voltac.sema.types'].__file__).with_name('builtins.py').read_text()
assert {before!r} in source
changed = types.ModuleType('voltac.sema.builtins')
sys.modules['voltac.sema.builtins'] = changed
exec(compile(source.replace({before!r}, {after!r}), 'builtins.py', 'exec'), changed.__dict__)
import voltac.lower
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (message in ran.stderr.rpartition("\n  ")[2] and ran.returncode == 1) if message else ran.returncode == 0, ran.stderr


def test_a_builtin_that_gets_a_pointer_writes_unless_it_is_said_to_read() -> None:
    pointers = {name for name, row in BUILTINS.items() if any("*" in pattern for pattern in row.parameters)}
    assert pointers & of(Effect.NONE, Effect.HINT) == {"__lookup", "__lookup_eight", "__load_active", "__prefetch"}
    for name in sorted(BUILTINS):
        expected = name not in of(Effect.NONE, Effect.HINT)
        assert has_effect(tree.Builtin(NOWHERE, Qual(INT32, UNIFORM), name, ())) == expected


def test_what_is_stored_plainly_and_what_looks_after_threads() -> None:
    stores = {"__store_active", "__store_streaming", "__memory_copy", "__memory_move", "__memory_set"}
    assert of(Effect.STORE) == stores
    assert of(Effect.THREADS) == {"__barrier", "__flush", "__invalidate", "__read_control", "__write_control"}
    assert {"__atomic_add", "__clock", "__random_bits", "__write_mask"} <= of(Effect.ORDERED)


def test_what_may_run_without_being_needed_has_no_effect_and_reads_no_memory() -> None:
    for name, row in BUILTINS.items():
        if row.cost < UNSAFE:
            assert 0 < row.cost <= OPERAND_LIMIT, name
            assert row.effect is Effect.NONE and not any("*" in pattern for pattern in row.parameters), name
            assert row.callers is Callers.LIBRARY, name


def test_moving_values_across_lanes_looks_at_all_of_them() -> None:
    across = {name for name, row in BUILTINS.items() if row.lanes is Lanes.ALL and row.effect is Effect.NONE}
    assert across == {
        "__pack_bits", "__all_plain", "__shuffle", "__shuffle_two", "__extract", "__insert", "__reduce_add", "__reduce_min",
        "__reduce_max", "__compress", "__expand", "__load_active",
    }  # fmt: skip
