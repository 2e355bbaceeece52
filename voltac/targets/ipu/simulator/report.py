"""What a run of a tile took (IPU 8)."""

from __future__ import annotations

from voltac.records import field, mutable_record
from voltac.targets.ipu.simulator.translate import IssueCounts, WorkerBlock
from voltac.targets.ipu.simulator.worker import WORKERS, Worker


@mutable_record(eq=False)
class WorkerReport:
    """One worker."""

    worker: int
    bundles: int = 0
    solo: int = 0
    """Instructions issued alone."""
    slots: int = 0
    """IssuedCode slots: more than bundles and instructions where an operation takes several (IPU 2.4)."""
    repeat_slots: int = 0
    """Those spent in bodies of repeats."""
    main: int = 0
    """Instructions of each pipe but those that do nothing."""
    aux: int = 0
    both: int = 0
    """Bundles in which neither does nothing."""
    status: bool = False

    @property
    def cycles(self) -> int:
        """Of the tile, from the worker's first slot to behind its last."""
        return WORKERS * self.slots

    @property
    def issues(self) -> int:
        """Bundles and instructions issued alone."""
        return self.bundles + self.solo

    @property
    def co_issue_rate(self) -> float:
        """Share of the issues in which both pipes do something."""
        return self.both / self.issues if self.issues else 0.0


@mutable_record(eq=False)
class TileReport:
    """All workers."""

    cycles: int = 0
    workers: list[WorkerReport] = field(default_factory=list)
    conflicts: int = 0
    over_reads: int = 0
    """Loads that reached behind an array, into the bytes that may be read there."""

    @property
    def bundles(self) -> int:
        """Issues of the worker that has most."""
        return max((worker.issues for worker in self.workers), default=0)

    @property
    def co_issue_rate(self) -> float:
        """Share of all issues in which both pipes do something."""
        issues = sum(worker.issues for worker in self.workers)
        return sum(worker.both for worker in self.workers) / issues if issues else 0.0

    def __str__(self) -> str:
        lines = [
            f"{self.cycles} cycles; both pipes in {100 * self.co_issue_rate:.1f} % of all issues;"
            f" {self.conflicts} bank conflicts, {self.over_reads} loads behind arrays"
        ]
        lines += [
            f"worker {one.worker}: {one.bundles} bundles and {one.solo} single instructions in {one.slots} slots,"
            f" {one.repeat_slots} of them repeated; main pipe {one.main}, aux pipe {one.aux}, both {one.both};"
            f" status {'true' if one.status else 'false'}"
            for one in self.workers
        ]
        return "\n".join(lines)


def worker_report(worker: Worker, blocks: dict[int, WorkerBlock]) -> WorkerReport:
    """What a worker did, from how often each block and each repeat ran."""
    report = WorkerReport(worker.number, slots=worker.slots, status=worker.status)

    def add(counts: IssueCounts, times: int) -> None:
        report.bundles += times * counts.bundles
        report.solo += times * counts.solo
        report.main += times * counts.main
        report.aux += times * counts.aux
        report.both += times * counts.both

    for start, visits in worker.visits.items():
        add(blocks[start].counts, visits)
    for (start, number), passes in worker.repeats.items():
        counts = blocks[start].repeats[number]
        add(counts, passes)
        report.repeat_slots += passes * counts.slots
    return report
