"""Campaigns: random trials by the thousand, whose figures anyone can repeat.

    python tests/campaigns NAME|all --minutes N

tries fresh seeds of a campaign, shows how far it is, and ends with 1 if anything failed. What fails is reduced and kept
in build/campaigns/. Ctrl-C ends it cleanly; --resume goes on.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import os
import secrets
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path[:0] = [str(TESTS.parent), *(str(TESTS / name) for name in ("support", "run", "python", "stdlib", "."))]

import ledger  # noqa: E402
from campaign import Campaign  # noqa: E402
from reducing import reduced  # noqa: E402
from running import Worker, run, serve  # noqa: E402

SHOWN = 10.0
"""Seconds between two lines of progress."""


def arguments(campaigns: dict[str, Campaign]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python tests/campaigns",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="\n".join(f"{row.name:14}{row.promise}" for row in campaigns.values()),
    )
    parser.add_argument("name", choices=[*campaigns, "all"], metavar="NAME", help="a campaign, or all, each for its share")
    parser.add_argument("--minutes", type=float, default=1.0, metavar="N", help="how long, of all together (default 1)")
    parser.add_argument("--seed", type=int, metavar="S", help="the first seed (default: any)")
    parser.add_argument("--resume", action="store_true", help="go on where the last run of the campaign was stopped")
    parser.add_argument("--only", type=int, metavar="SEED", help="try this seed, reduce what is wrong, and print it")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes at a time (default 1)")
    parser.add_argument("--reduce", type=float, default=60.0, metavar="SECONDS", help="for each failure (default 60)")
    parser.add_argument("--ledger", action="store_true", help="write a row into docs/figures/campaigns.md")
    parser.add_argument("--folder", type=Path, default=ledger.KEPT, help="for progress and failures (build/campaigns)")
    given = parser.parse_args()
    if given.jobs < 1:
        parser.error("--jobs is at least 1")
    return given


def keep(campaign: Campaign, seed: int, failure: str, seconds: float, folder: Path) -> Path | None:
    """The text of a seed that failed, reduced, with what was wrong above it; None if it is not about a text."""
    text = campaign.text(seed)
    if not text:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    small = reduced(campaign, seed, text, failure, seconds) if seconds > 0 else text
    path = folder / f"{campaign.name}_{seed}.ispc"
    path.write_text(f"// campaign: {campaign.name} {seed}\n// found: {' '.join(failure.split())[:200]}\n{small}")
    return path


def only(campaign: Campaign, given: argparse.Namespace) -> int:
    worker = Worker(campaign)
    worker.start(given.only)
    failure = worker.result()
    worker.stop()
    if not failure:
        print(f"{campaign.name} {given.only}: nothing is wrong")
        return 0
    print(f"{campaign.name} {given.only}: {failure}")
    if path := keep(campaign, given.only, failure, given.reduce, given.folder):
        print(f"--- {path}\n{path.read_text()}")
    return 1


def march(campaign: Campaign, given: argparse.Namespace, minutes: float) -> ledger.Progress:
    """Try seeds until the time is up; KeyboardInterrupt leaves a progress that can be resumed."""
    first = secrets.randbelow(2**31) if given.seed is None else given.seed
    progress = (ledger.resumed(campaign.name, given.folder) if given.resume else None) or ledger.Progress(
        campaign.name, first, first
    )
    started, before, shown = time.monotonic(), progress.seconds, 0.0
    seeds = itertools.takewhile(lambda _: time.monotonic() - started < 60 * minutes, itertools.count(progress.next))
    trials = run(campaign, seeds, given.jobs)
    try:
        for seed, failure, undone in trials:
            progress.tried, progress.next = progress.tried + 1, undone
            progress.seconds = before + time.monotonic() - started
            if failure:
                progress.failed[seed] = failure
                print(f"{campaign.name} {seed}: {failure[:600]}", flush=True)
                if path := keep(campaign, seed, failure, given.reduce, given.folder):
                    print(f"  kept as {path}", flush=True)
            if failure or time.monotonic() - shown > SHOWN:
                shown = time.monotonic()
                progress.save(given.folder)
                print(f"{campaign.name}: {progress.tried} tried, {len(progress.failed)} failed, at {undone}", flush=True)
    finally:
        trials.close()
        progress.save(given.folder)
    return progress


def main() -> int:
    """0 if nothing failed, 1 if something did, 130 after Ctrl-C."""
    if sys.argv[1:2] == ["--serve"]:
        serve(*sys.argv[2:])
        return 0
    campaigns = importlib.import_module(os.environ.get("CAMPAIGNS", "campaign_table")).CAMPAIGNS
    given = arguments(campaigns)
    chosen = list(campaigns.values()) if given.name == "all" else [campaigns[given.name]]
    failed = False
    for campaign in chosen:
        if given.only is not None:
            failed |= bool(only(campaign, given))
            continue
        try:
            progress = march(campaign, given, given.minutes / len(chosen))
        except KeyboardInterrupt:
            print(f"stopped; go on with: python tests/campaigns {campaign.name} --resume")
            return 130
        except RuntimeError as error:
            print(f"{error}; go on with: python tests/campaigns {campaign.name} --resume", file=sys.stderr)
            failed = True
            continue
        share = f"seeds {progress.first} to {progress.next - 1} in {progress.seconds:.0f} s"
        print(f"{campaign.name}: {progress.tried} tried, {len(progress.failed)} failed; {share}")
        if given.ledger:
            ledger.append(progress)
        failed |= bool(progress.failed)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
