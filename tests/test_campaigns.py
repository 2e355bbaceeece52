"""The campaigns hold for some fresh seeds; trials that crash, hang or take too much are findings; a run can be stopped,
resumed, reduced and written down."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import ledger
import pytest
from campaign import Campaign
from reducing import least_text, reduced
from running import Worker, run
from toy_campaigns import CAMPAIGNS as TOYS

pytestmark = pytest.mark.whole

COMMAND = Path(__file__).resolve().parent / "campaigns"
NAMES = re.findall(
    r'^            "([\w-]+)",$\n^            "[a-z ]', (COMMAND / "campaign_table.py").read_text(), re.MULTILINE
)
SECONDS = 1
SHORT = ("declarations", "options", "calls", "checked", "accuracy")
# Whose trials take little; tests of the subjects make random programs, accesses, texts, faults and threads of their own.


def campaign(*words: object, toys: bool = True) -> subprocess.CompletedProcess[str]:
    environment = os.environ | ({"CAMPAIGNS": "toy_campaigns"} if toys else {})
    return subprocess.run([sys.executable, COMMAND, *map(str, words)], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("name", [name if name in SHORT else pytest.param(name, marks=pytest.mark.long) for name in NAMES])
def test_a_campaign_holds_for_fresh_seeds(name: str, tmp_path: Path) -> None:
    words = ("--minutes", SECONDS / 60, "--seed", secrets.randbelow(2**31), "--reduce", 0, "--folder", tmp_path)
    done = campaign(name, *words, toys=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"{name}: [1-9]\d* tried, 0 failed", done.stdout), done.stdout


def test_the_table_is_read_whole() -> None:
    assert len(NAMES) == (COMMAND / "campaign_table.py").read_text().count("        Campaign(") > 8


def outcomes(row: Campaign, seeds: range, jobs: int) -> dict[int, str]:
    return {seed: failure for seed, failure, _ in run(row, seeds, jobs)}


@pytest.mark.parametrize("jobs", [1, 3])
def test_whatever_a_trial_ends_in_is_told_and_the_others_go_on(jobs: int) -> None:
    found = outcomes(TOYS["ends"], range(10), jobs)
    assert found == {
        **dict.fromkeys((0, 6, 7, 8, 9), ""),
        1: f"crash {-signal.SIGSEGV}: the process ended",
        2: "hang: no end after 1 s",
        3: "memory: more than 1 GB",
        4: "ValueError this; and that: ",
        5: "wrong: five",
    }


def test_a_trial_takes_another_text_than_that_of_the_seed() -> None:
    worker = Worker(TOYS["pages"])
    try:
        worker.start(1, "alpha")
        assert worker.result() == ""
        worker.start(1, "omega alpha")
        assert worker.result() == "wrong: both"
    finally:
        worker.stop()


def test_a_process_that_is_stopped_is_not_late() -> None:
    """As by somebody who measures something beside it."""
    worker = Worker(TOYS["pages"])
    try:
        worker.start(2)
        assert worker._process is not None
        worker._process.send_signal(signal.SIGSTOP)
        worker._deadline = 0.0
        assert not worker.late
        worker._process.send_signal(signal.SIGCONT)
    finally:
        worker.stop()


def test_a_text_is_reduced_to_the_words_that_matter() -> None:
    tried: list[str] = []

    def fails(text: str) -> bool:
        tried.append(text)
        return "a =" in text and "c" in text.split()

    text = "one line\na = b + c ;\nanother\nthird\n"
    assert least_text(text, fails, time.monotonic() + 60).split() == ["a", "=", "c"]
    assert len(tried) < 100
    assert least_text(text, fails, time.monotonic() - 1) == text
    assert least_text(text, lambda text: False, time.monotonic() + 60) == text, "what does not fail again is left as it is"


def test_what_failed_once_is_not_tried_again() -> None:
    """On a busy machine a text may take its time the first time, and then no more."""
    tried: set[str] = set()

    def fails(text: str) -> bool:
        is_new = text not in tried
        tried.add(text)
        return is_new and "wrong" in text

    assert least_text("one\nwrong here\nthree\n", fails, time.monotonic() + 60).strip() == "wrong"


def test_a_text_that_hangs_takes_no_more_of_the_time_to_reduce_than_others() -> None:
    begin = time.monotonic()
    assert reduced(TOYS["steps"], 1, "step\ngoal\n", "wrong: a goal", 2.0).split() == ["step", "goal"]
    assert time.monotonic() - begin < 2 + 10, "120 seconds for each text without a step, unless there is an end before"


def test_what_failed_is_kept_reduced_and_the_command_ends_with_1(tmp_path: Path) -> None:
    done = campaign("pages", "--only", 4, "--folder", tmp_path)
    assert done.returncode == 1, done.stderr
    kept = (tmp_path / "pages_4.ispc").read_text()
    assert kept.split("\n")[:2] == ["// campaign: pages 4", "// found: wrong: both"]
    assert kept.split("\n", 2)[2].split() == ["alpha", "omega"]
    assert kept in done.stdout
    done = campaign("well", "--only", 4, "--folder", tmp_path)
    assert (done.returncode, done.stdout) == (0, "well 4: nothing is wrong\n")


def test_a_run_is_stopped_by_control_c_and_resumed(tmp_path: Path) -> None:
    words = [sys.executable, str(COMMAND), "well", "--minutes", "5", "--seed", "100", "--folder", str(tmp_path)]
    environment = os.environ | {"CAMPAIGNS": "toy_campaigns"}
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline().startswith("well: 1 tried, 0 failed")
        running.send_signal(signal.SIGINT)
        rest, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (130, "")
    assert "--resume" in rest
    stopped = ledger.resumed("well", tmp_path)
    assert stopped is not None and stopped.first == 100
    assert stopped.next == 100 + stopped.tried
    done = campaign("well", "--minutes", 0.005, "--resume", "--folder", tmp_path)
    went_on = ledger.resumed("well", tmp_path)
    assert done.returncode == 0 and went_on is not None
    assert went_on.first == 100 and went_on.next == 100 + went_on.tried > stopped.next


def test_a_run_is_a_row_of_the_ledger(tmp_path: Path) -> None:
    page = tmp_path / "campaigns.md"
    page.write_text(ledger.PAGE.read_text())
    ledger.append(ledger.Progress("programs", 7, 19, 12, 150.0, {8: "wrong: it"}), page)
    added = page.read_text().splitlines()[-1]
    cells = [cell.strip() for cell in added.strip("|\n").split("|")]
    assert cells[3:] == ["programs", "7 … 18", "12", "1", "2"]
    header = next(line for line in page.read_text().splitlines() if line.startswith("| date"))
    assert header.count("|") == added.count("|")


def test_totals_are_those_of_the_rows() -> None:
    row = "| 2026-01-02 | abc+ | a CPU | {} | 1 … 9 | {} | {} | {} |\n"
    head = "| campaign | tried | failed | minutes |\n|---|---|---|---|\n"
    rows = row.format("texts", 9, 1, 2) + row.format("same-bits", 5, 0, 1) + row.format("texts", 1000, 0, 3)
    wanted = "| texts | 1,009 | 1 | 5 |\n| same-bits | 5 | 0 | 1 |\n"
    assert ledger.totals(f"{head}| texts | 9 | 1 | 2 |\n\n{rows}") == f"{head}{wanted}\n{rows}"
    page = ledger.PAGE.read_text()
    assert ledger.totals(page) == page
