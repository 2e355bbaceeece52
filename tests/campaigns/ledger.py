"""What campaigns have done: the page ``docs/figures/campaigns.md`` for everyone, a file a campaign to go on from."""

from __future__ import annotations

import json
import platform
import re
import subprocess
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "figures" / "campaigns.md"
KEPT = ROOT / "build" / "campaigns"
"""Where the state of the last run of each campaign is, and what it found."""


@dataclass
class Progress:
    """Of a run that began with the seed ``first``: all seeds before ``next`` are done."""

    name: str
    first: int
    next: int
    tried: int = 0
    seconds: float = 0.0
    failed: dict[int, str] = field(default_factory=dict)
    """Seed -> what was wrong."""

    def save(self, folder: Path = KEPT) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / f"{self.name}.new"
        new.write_text(json.dumps(asdict(self), indent=1))
        new.rename(folder / f"{self.name}.json")


def resumed(name: str, folder: Path = KEPT) -> Progress | None:
    """Where the last run was stopped; None if there was none."""
    path = folder / f"{name}.json"
    if not path.exists():
        return None
    known = json.loads(path.read_text())
    return Progress(**(known | {"failed": {int(seed): failure for seed, failure in known["failed"].items()}}))


def processor() -> str:
    """Its name and the widest vectors it has."""
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    names = [line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")]
    vectors = "AVX-512" if " avx512f" in text else "AVX2" if " avx2" in text else ""
    return " ".join([*(names[:1] or [platform.machine()]), *([vectors] if vectors else [])])


def commit() -> str:
    """The tree that was tested; ``+`` where it has changes that are in no commit."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()

    return git("rev-parse", "--short=9", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")


ROW = re.compile(r"^\| \d+-\d+-\d+ \| (?:[^|]+\|){2} ([\w-]+) \|[^|]+\| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
TOTALS = re.compile(r"(?<=\| campaign \| tried \| failed \| minutes \|\n\|---\|---\|---\|---\|\n)(?:\|.*\n)*")


def totals(text: str) -> str:
    """The page with its table of totals as its rows say: tried, failed and minutes of each campaign."""
    sums: dict[str, list[int]] = {}
    for name, *numbers in ROW.findall(text):
        sums[name] = [known + int(number) for known, number in zip(sums.get(name, (0, 0, 0)), numbers)]
    rows = "".join(f"| {name} | {tried:,} | {failed} | {minutes} |\n" for name, (tried, failed, minutes) in sums.items())
    return TOTALS.sub(rows, text)


def append(progress: Progress, page: Path = PAGE) -> None:
    """A row at the end of the table, which is the end of the page, and new totals."""
    cells = (
        time.strftime("%Y-%m-%d", time.gmtime()),
        commit(),
        processor(),
        progress.name,
        f"{progress.first} … {progress.next - 1}",
        str(progress.tried),
        str(len(progress.failed)),
        f"{progress.seconds / 60:.0f}",
    )
    page.write_text(totals(page.read_text() + f"| {' | '.join(cells)} |\n"))
