"""Campaigns that end in every way a trial can end, for the tests of how campaigns are run."""

from __future__ import annotations

import os
import signal
import time

from campaign import Campaign


def ends(seed: int, text: str) -> str:
    """By the last digit: a crash, a hang, too much memory, an exception, or something wrong; else well."""
    match seed % 10:
        case 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        case 2:
            time.sleep(60)
        case 3:
            bytearray(2 << 30)
        case 4:
            raise ValueError("this: and that")
        case 5:
            return "wrong: five"
    return ""


def mentions_both(seed: int, text: str) -> str:
    return "wrong: both" if "alpha" in text and "omega" in text else ""


def a_page(seed: int) -> str:
    return "".join(f"line {k} {'alpha' if k == 7 else 'omega' if k == 20 else 'beta'}\n" for k in range(30))


def hangs_without_a_step(seed: int, text: str) -> str:
    while "step" not in text:
        time.sleep(1)
    return "wrong: a goal" if "goal" in text else ""


def well(seed: int, text: str) -> str:
    time.sleep(0.01)
    return ""


CAMPAIGNS = {
    row.name: row
    for row in (
        Campaign("ends", "trials end", ends, seconds=1, gigabytes=1, module="toy_campaigns"),
        Campaign("pages", "no page mentions both", mentions_both, a_page, module="toy_campaigns"),
        Campaign("steps", "no text has a goal", hangs_without_a_step, module="toy_campaigns"),
        Campaign("well", "all is well", well, module="toy_campaigns"),
    )
}
