"""A campaign: a promise, and what tries it with a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def no_text(seed: int) -> str:
    """For what is not about one text."""
    return ""


@dataclass(frozen=True)
class Campaign:
    """``judge(seed, text(seed))`` says what is wrong, as ``kind: details``; empty if nothing.

    The same seed is always the same trial. A judge that takes a text takes any other text, too: that is how what it
    found is reduced.
    """

    name: str
    promise: str
    judge: Callable[[int, str], str]
    text: Callable[[int], str] = no_text
    seconds: float = 120
    """By the clock, for one seed: what takes longer hangs, even on a busy machine."""
    gigabytes: float = 4
    """Of address space."""
    module: str = "campaign_table"
    """Whose ``CAMPAIGNS`` has it, for the processes that try it."""
