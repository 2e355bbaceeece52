"""Lanes of vectors -> pairs of floats, which one instruction of the aux pipe computes (IPU 6).

%s.0 = fadd float %a.0, %b.0;  %s.1 = fadd float %a.1, %b.1    ->    %s = fadd <2 x float> %a, %b
"""

from __future__ import annotations

from voltac.ir.model import Function
from voltac.targets.ipu.pairs.find import Pairs
from voltac.targets.ipu.pairs.mask_words import make_conditions
from voltac.targets.ipu.pairs.write import write_pairs


def pair_lanes(function: Function, vectors: list[list[str]]) -> set[str]:
    """In a function of legal IR, given the lanes of each vector there was; returns the functions it calls now, as declared."""
    if not vectors:
        return set()
    make_conditions(function)
    return write_pairs(function, Pairs(function, vectors))
