"""Power-of-two strides of which several members are loaded -> a network of shuffles that they share.

Four floats a struct, two structs a register, x0 y0 z0 w0 x1 y1 z1 w1 and so on:

    halves of structs of neighbouring registers       x0 y0 x2 y2 | x1 y1 x3 y3     (and the z, w)
    the halves of these                               x0 x2 x4 x6 | x1 x3 x5 x7
    one permutation a member                          x0 x1 x2 x3 x4 x5 x6 x7

Each stage takes from two registers the even or the odd runs of elements, within 128
bits where that is possible, because such shuffles are cheap. What a register holds is
followed element by element, so the last permutation needs no formula.
"""

from __future__ import annotations

from voltac.passes.accesses.emit import Emitter

Held = tuple[int, ...]
"""Element positions in a register, in order."""
Stage = list[tuple[int, int, list[int]]]
"""For each new register the numbers of its two sources in the stage before, and the shuffle mask."""


def network(rows: list[Held], block: int) -> list[Stage]:
    """The stages, for as many rows as the stride. ``block``: elements in 128 bits."""
    width = len(rows[0])
    stages: list[Stage] = []
    groups = [list(range(len(rows)))]
    run = len(rows) // 2
    while run:
        following: list[list[int]] = []
        stage: Stage = []
        if run >= width:
            # Whole registers belong to one half or the other.
            for group in groups:
                rate = run // width
                following.extend([number for at, number in enumerate(group) if at // rate % 2 == half] for half in (0, 1))
        else:
            masks = _runs(width, run, block)
            for group in groups:
                pairs = list(zip(group[::2], group[1::2]))
                for mask in masks:
                    following.append(list(range(len(stage), len(stage) + len(pairs))))
                    stage.extend((first, second, mask) for first, second in pairs)
            stages.append(stage)
        groups = following
        run //= 2
    return stages


def _runs(width: int, run: int, block: int) -> tuple[list[int], list[int]]:
    """Masks that take the even, and the odd, runs of two registers, piece by piece of both."""
    extent = max(block, 2 * run)
    masks: tuple[list[int], list[int]] = ([], [])
    for half, mask in enumerate(masks):
        for start in range(0, width, extent):
            for register in (0, width):
                for at in range(start + half * run, start + extent, 2 * run):
                    mask.extend(range(register + at, register + at + run))
    return masks


def contents(rows: list[Held], stages: list[Stage]) -> list[Held]:
    """What the registers of the last stage hold."""
    for stage in stages:
        rows = [tuple((rows[first] + rows[second])[lane] for lane in mask) for first, second, mask in stage]
    return rows


def write_network(vectors: list[str], type_text: str, stages: list[Stage], emit: Emitter) -> list[str]:
    """The shuffles of all stages; the registers of the last one."""
    for stage in stages:
        vectors = [emit.shuffle(type_text, vectors[first], vectors[second], mask) for first, second, mask in stage]
    return vectors
