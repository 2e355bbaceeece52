"""The least lines, and of these the least words, of a text that fails as the whole one does."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable, Sequence

from campaign import Campaign
from running import Worker

with warnings.catch_warnings():
    # It asks pkg_resources for its own version, which warns of its end.
    warnings.simplefilter("ignore")
    import picire

PARTS = (re.compile(r"[^\n]*\n|[^\n]+"), re.compile(r"\w+\s*|\W\s*"))
"""What is left out, first by lines, then by tokens."""

LONGER, SHORTEST = 3, 1.0
"""Times of the whole text's trial, and seconds, that one of a smaller text may take: on a busy machine it may wait."""


def kind(failure: str) -> str:
    """What makes two failures the same mistake."""
    return failure.split(":", 1)[0]


def reduced(campaign: Campaign, seed: int, text: str, failure: str, seconds: float) -> str:
    """A smaller text with the same kind of failure, or the text itself, after ``seconds`` at most.

    A text whose trial takes much longer than that of the whole one, as a loop without its step does, fails in another way,
    unless it is the failure to take too long.
    """
    worker, deadline, limit = Worker(campaign), time.monotonic() + seconds, campaign.seconds

    def fails(text: str) -> bool:
        nonlocal limit
        begin = time.monotonic()
        worker.start(seed, text, limit)
        same = kind(worker.result(deadline)) == kind(failure)
        if limit == campaign.seconds and kind(failure) != "hang":
            limit = min(limit, LONGER * (time.monotonic() - begin) + SHORTEST)
        return same and time.monotonic() < deadline

    try:
        return least_text(text, fails, deadline)
    finally:
        worker.stop()


def least_text(text: str, fails: Callable[[str], bool], deadline: float) -> str:
    """By delta debugging, of lines, then of tokens, until nothing can be left out, the time is up, or it fails no more."""

    class Late(Exception):
        pass

    if not fails(text):
        return text
    best, failed = text, {text}
    for pattern in PARTS:
        parts: list[str] = pattern.findall(best)

        def test(config: Sequence[int], config_id: object, parts: list[str] = parts) -> picire.Outcome:
            nonlocal best
            if time.monotonic() > deadline:
                raise Late
            candidate = "".join(parts[index] for index in config)
            # What has failed is not tried again: another time it may be in time, and picire would not go on.
            if candidate not in failed and not fails(candidate):
                return picire.Outcome.PASS
            failed.add(candidate)
            best = min(best, candidate, key=len)
            return picire.Outcome.FAIL

        try:
            picire.DD(test)(list(range(len(parts))))
        except Late:
            break
    return best
