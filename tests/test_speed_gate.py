"""The gate of speed (benchmarks/gate.py): what it calls worse, and that it compares what two trees make."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
import gate  # noqa: E402

GATE = [sys.executable, str(ROOT / "benchmarks" / "gate.py")]
NOISE = (1.0, 1.4, 0.8, 1.1, 0.9)


def timers(slower: float, noise: tuple[float, ...] = (1.0,)) -> gate.Timers:
    """What takes 10 units before and ``slower`` times as long after, each round with another noise."""
    before, after = itertools.cycle(noise), itertools.cycle(noise[1:] + noise[:1])
    return {"before": lambda: 10 * next(before), "after": lambda: 10 * slower * next(after)}


@pytest.mark.parametrize(
    ("slower", "noise", "is_worse"),
    [
        (1.0, (1.0,), False),
        (1.02, (1.0,), False),
        (1.04, (1.0,), True),
        (0.5, (1.0,), False),
        (1.04, NOISE, False),
        (1.6, NOISE, True),
    ],
)
def test_worse_is_more_than_three_percent_beyond_noise(slower: float, noise: tuple[float, ...], is_worse: bool) -> None:
    assert gate.change(timers(slower, noise), 60).is_worse is is_worse


def test_what_looked_worse_once_is_measured_again() -> None:
    """The first 60 rounds, and one to begin with, met another program; the 180 after them did not."""
    after = itertools.chain([20.0] * 61, itertools.repeat(10.0))
    assert gate.change({"before": lambda: 10.0, "after": lambda: next(after)}, 60) == gate.Change(1, 1, 1)


def test_the_history_has_means_of_groups_and_names_what_is_worse(tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    page.write_text("|---|\n")
    rows = {"x8/a": gate.Change(2, 1.9, 2.1), "x8/b": gate.Change(0.5, 0.4, 0.6), "call": gate.Change(0.9, 0.8, 1)}
    gate.write_history("old", "new", rows, page)
    cells = [cell.strip() for cell in page.read_text().splitlines()[1].strip("|").split("|")]
    assert cells[1:3] == ["old", "new"]
    assert cells[4:] == ["3", "x8 1.000, call 0.900", "x8/a 2.00"]


def test_a_state_that_is_none_is_one_message() -> None:
    made = subprocess.run([*GATE, "no-such-commit"], capture_output=True, text=True)
    assert made.returncode == 1
    assert made.stderr.startswith("gate.py: 'no-such-commit' is neither a folder with voltac in it nor a commit")
    assert "Traceback" not in made.stderr


@pytest.mark.whole
def test_two_trees_are_compared() -> None:
    """The same twice, so that nothing is different but noise, of which the test does not judge."""
    made = subprocess.run(
        [*GATE, str(ROOT), "--rounds", "5", "--only", "avx2-i32x8/sobel,compile/streaming"], capture_output=True, text=True
    )
    lines = made.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["avx2-i32x8/sobel", "compile/streaming"], made.stderr
    assert lines[-1].endswith("of 2 rows are worse") or ": " in lines[-1]
    assert made.returncode == (int(lines[-1].split()[0]) > 0)
