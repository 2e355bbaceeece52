"""Constant vectors -> the data section of the assembly that functions load them from."""

from __future__ import annotations


def constant_vectors(pool: dict[tuple[int, ...], str]) -> str:
    """The constants that functions load, as data: those of the pool, whose keys are the lanes' bits."""
    lines = ["\t.rodata", "\t.align 64"] if pool else []
    for lanes, label in pool.items():
        lines += [f"{label}:", "\t.word " + ", ".join(str(lane) if lane < 1 << 16 else f"0x{lane:x}" for lane in lanes)]
    return "".join(line + "\n" for line in lines)
