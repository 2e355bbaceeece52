"""Groups become bundles so that no cycle is lost: two bundles issue in one (IA-64 10)."""

from __future__ import annotations

import random

import pytest

from voltac.codegen.machine_code import Immediate, MachineInstruction
from voltac.targets.ia64.registers import BY_NAME
from voltac.targets.ia64.select.packing import PackedBundle, packed
from voltac.targets.ia64.select.pseudo import ROWS
from voltac.targets.ia64.simulator.timing import issue_cycles

MOST = {"A": 6, "M": 2, "I": 2, "F": 2}
"""Of a class in a group: the machine's ports."""
NAMES = {"A": "adds.r=imm14,r", "M": "st8.[r]=r", "I": "sxt4.r=r", "F": "fmerge.s.f=f,f", "X": "movl.r=imm64"}


def instruction(unit: str) -> MachineInstruction:
    row = ROWS[NAMES[unit]]
    values = [BY_NAME[f"{one.kind}14"] if one.kind in "rf" else Immediate(1) for one in row.operands]
    return MachineInstruction(row, list(values))


def groups_of(*units: str) -> list[list[MachineInstruction]]:
    return [[instruction(unit) for unit in group] for group in units]


def cycles(bundles: list[PackedBundle]) -> int:
    """As the simulated machine counts them."""
    total, group = 0, []
    for number, bundle in enumerate(bundles):
        for slot, (unit, one) in enumerate(zip(bundle.units, bundle.slots)):
            if one is not None:
                group.append((number, one.row, unit))
            if slot in bundle.stops:
                total += issue_cycles(group)
                group = []
    assert group == []
    return total


def order(bundles: list[PackedBundle]) -> list[MachineInstruction]:
    return [one for bundle in bundles for one in bundle.slots if one is not None]


def test_a_group_of_six_after_a_single_one_takes_one_cycle() -> None:
    bundles = packed(groups_of("A", "AAAAAA"))
    assert (cycles(bundles), len(bundles)) == (2, 3)


def test_short_groups_share_a_bundle() -> None:
    bundles = packed(groups_of("A", "A", "A", "A"))
    assert (cycles(bundles), len(bundles)) == (4, 2)


@pytest.mark.parametrize("seed", range(60))
def test_no_cycle_is_lost_by_sharing(seed: int) -> None:
    rng = random.Random(seed)
    texts = []
    for _ in range(rng.randrange(1, 12)):
        units = [unit for unit, most in MOST.items() for _ in range(rng.randrange(most + 1))]
        texts.append("".join(rng.sample(units, min(len(units), rng.randrange(1, 7)))) or "X")
    groups = groups_of(*texts)
    bundles = packed(groups)
    assert order(bundles) == [one for group in groups for one in group]
    alone = [bundle for group in groups for bundle in packed([group])]
    assert cycles(bundles) <= cycles(alone)
    assert len(bundles) <= len(alone)
