"""The table of builtins: a row without a fact does not load, and what writes counts as an effect."""

import subprocess
import sys

import pytest

from voltac.lower.analyses.node_costs import OPERAND_LIMIT
from voltac.lower.builtins import table as lowered
from voltac.messages.diagnostics import InternalError
from voltac.messages.message import NOWHERE
from voltac.sema import tree
from voltac.sema.analyses.effects import has_effect
from voltac.sema.builtins import BUILTINS, UNSAFE, Callers, Effect, Lanes, check_rows
from voltac.sema.types import INT32, UNIFORM, Qual


def of(*effects: Effect) -> set[str]:
    return {name for name, row in BUILTINS.items() if row.effect in effects}


def test_every_builtin_has_words_and_code_and_nothing_else_has_code() -> None:
    for row in BUILTINS.values():
        assert row.meaning.__doc__ or row.name.startswith(("__c_", "__dot_", "__amx_dp")), row.name
    assert BUILTINS.keys() == lowered.BUILTINS.keys()
    with pytest.raises(InternalError, match="builtins without code, or code without a builtin: __sqrt"):
        check_rows("code", BUILTINS.keys() - {"__sqrt"})
    with pytest.raises(InternalError, match="__store_front"):
        check_rows("code", {*BUILTINS, "__store_front"})


@pytest.mark.parametrize(
    "file, before, after, message",
    [
        ("system", '(UNSAFE, "u void", ())', '(UNSAFE, "u void")', "missing 1 required positional argument: 'parameters'"),
        ("memory", "def __store_active", "def __store_front", "builtins without code, or code without a builtin"),
        ("memory", '"u const void *", "u int32", "u int32"', '"u void *", "u int32", "u int32"', "'__prefetch': effect 'HINT'"),
        ("system", "declares(Effect.ORDERED", "declares(Effect.NONE", "builtin '__fence' has an effect"),
        ("system", "(Effect.NONE, Lanes.OWN)", "(Effect.NONE)", "missing 1 required positional argument: 'lanes'"),
        ("system", "Cycle counter", "A counter of cycles", ""),
    ],
)  # fmt: skip
def test_a_row_that_lacks_a_fact_or_says_a_wrong_one_does_not_load(file: str, before: str, after: str, message: str) -> None:
    program = f"""import importlib.util, sys
class Changed:
    def find_spec(self, name, path=None, target=None):
        if name == 'voltac.sema.builtins.{file}':
            return importlib.util.spec_from_loader(name, self)
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        source = (importlib.util.find_spec('voltac.sema.builtins').submodule_search_locations[0] + '/{file}.py')
        text = open(source).read()
        assert {before!r} in text
        exec(compile(text.replace({before!r}, {after!r}), source, 'exec'), module.__dict__)
sys.meta_path.insert(0, Changed())
import voltac.lower
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (message in ran.stderr.rpartition("\n  ")[2] and ran.returncode == 1) if message else ran.returncode == 0, ran.stderr


def test_a_builtin_that_gets_a_pointer_writes_unless_it_is_said_to_read() -> None:
    pointers = {name for name, row in BUILTINS.items() if any("*" in pattern for pattern in row.parameters)}
    assert pointers & of(Effect.NONE, Effect.HINT) == {
        "__lookup",
        "__lookup_two",
        "__lookup_four",
        "__lookup_eight",
        "__load_active",
        "__prefetch",
    }
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
