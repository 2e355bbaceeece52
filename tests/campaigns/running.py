"""Trials in child processes: each has a time and a memory of its own, and what crashes or hangs is a finding like others."""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import math
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

from campaign import Campaign

LIFETIME = 60.0
"""Seconds after which a process gives way to a new one; what LLVM and the interpreters keep goes with it."""
START = 120.0
"""Seconds that a process may take to import what it needs, on a busy machine."""
SAMPLES, SAMPLE = 8, 0.05
"""Looks at a process that is late, and seconds between them."""


def trial(campaign: Campaign, seed: int, text: str | None) -> str:
    """What is wrong, as ``kind: details``; empty if nothing."""
    try:
        return campaign.judge(seed, campaign.text(seed) if text is None else text)
    except MemoryError:
        return f"memory: more than {campaign.gigabytes} GB"
    except Exception as error:
        told = " ".join(str(error).split())
        return f"{type(error).__name__} {told[:60].replace(':', ';')}: {told[60:1000]}"


def serve(module: str, name: str) -> None:
    """Answer trials, one JSON text a line, until the input ends. What programs print goes nowhere."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    campaign: Campaign = importlib.import_module(module).CAMPAIGNS[name]
    limit = int(campaign.gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # What is imported stays; looking through it again and again costs a tenth of a trial, looking for circles as usual a sixth.
    gc.set_threshold(100_000, 20, 50)
    gc.collect()
    gc.freeze()
    print(json.dumps("ready"), file=answers, flush=True)
    for line in sys.stdin:
        seed, text = json.loads(line)
        print(json.dumps(trial(campaign, seed, text)), file=answers, flush=True)


def _status(folder: Path) -> list[str]:
    """The fields of ``stat`` behind the name: state, parent, group ..."""
    return (folder / "stat").read_text().rsplit(")", 1)[1].split()


def _seconds(status: list[str]) -> float:
    """Of processor time, of it and of what it has waited for."""
    return sum(map(int, status[11:15])) / os.sysconf("SC_CLK_TCK")


class Worker:
    """A process for trials of one campaign, started when needed, and anew when it crashed, hung or has done enough."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.seed = 0
        self._process: subprocess.Popen[str] | None = None
        self._end = 0.0
        self._deadline = 0.0
        self._used = 0.0
        self._seconds = campaign.seconds

    def start(self, seed: int, text: str | None = None, seconds: float | None = None) -> None:
        """Begin a trial; ``text`` takes the place of that of the seed, ``seconds`` that of the campaign's."""
        self._seconds = self.campaign.seconds if seconds is None else seconds
        if self._process is None or time.monotonic() > self._end:
            self.stop()
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).parent), "--serve", self.campaign.module, self.campaign.name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                # What a trial starts in another folder is of this tree, too.
                env=os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
                # To be ended together; a session of its own would not share the priority of the campaign.
                process_group=0,
            )
            self._deadline, self._used = time.monotonic() + START, 0.0
            if not self._is_ready():
                self.stop()
                raise RuntimeError(f"the process for {self.campaign.name} does not start")
            self._end = time.monotonic() + LIFETIME
        assert self._process is not None and self._process.stdin is not None
        self.seed = seed
        self._deadline = time.monotonic() + self._seconds
        self._used = _seconds(_status(Path(f"/proc/{self._process.pid}")))
        with contextlib.suppress(BrokenPipeError):  # it has ended, and so will the trial
            self._process.stdin.write(json.dumps([seed, text]) + "\n")
            self._process.stdin.flush()

    def _is_ready(self) -> bool:
        try:
            return bool(self._answer() == "ready")
        except TimeoutError:
            return False

    @property
    def descriptor(self) -> int:
        """To wait for its answer with ``select``."""
        assert self._process is not None and self._process.stdout is not None
        return self._process.stdout.fileno()

    @property
    def late(self) -> bool:
        """Has it had its time, and is not just waiting for a processor?"""
        return time.monotonic() > self._deadline and not any(map(self._is_starved, range(SAMPLES)))

    def _is_starved(self, sample: int) -> bool:
        """Could it, or a process that it has started, go on, or was stopped, and has had less of a processor than it may take?

        One look may meet it while it reads a file.
        """
        time.sleep(SAMPLE if sample else 0)
        states, used = self._processor()
        return not states.isdisjoint("RT") and used - self._used < self._seconds

    def _processor(self) -> tuple[set[str], float]:
        """States of all threads of its group, as ``/proc`` has them, and seconds of processor time."""
        assert self._process is not None
        states, used = set[str](), 0.0
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                fields = _status(folder)
                if int(fields[2]) != self._process.pid:
                    continue
                states.update(_status(thread)[0] for thread in (folder / "task").iterdir())
                if folder.name == str(self._process.pid):
                    used = _seconds(fields)
        return states, used

    def result(self, end: float = math.inf) -> str:
        """The end of the trial, waited for until it is late, or ``end`` of the clock, even if it waits for a processor."""
        try:
            answer = self._answer(end)
        except TimeoutError:
            self.stop()
            return f"hang: no end after {self._seconds} s"
        return f"crash {self.stop()}: the process ended" if answer is None else str(answer)

    def _answer(self, end: float = math.inf) -> Any:
        """None where the process has ended; TimeoutError if it has done nothing when it is late, or at the end."""
        assert self._process is not None and self._process.stdout is not None
        while not select.select([self.descriptor], [], [], max(0.1, min(self._deadline, end) - time.monotonic()))[0]:
            if time.monotonic() > end or self.late:
                raise TimeoutError
        line = self._process.stdout.readline()
        return json.loads(line) if line else None

    def stop(self) -> int:
        """End the process and what it has started; its exit status, negative for a signal."""
        process, self._process = self._process, None
        if process is None:
            return 0
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        # It ends with its input, and one that crashed has a status of its own; one that hangs does neither.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        assert process.stdout is not None
        process.stdout.close()
        return status


def run(campaign: Campaign, seeds: Iterable[int], jobs: int) -> Generator[tuple[int, str, int], None, None]:
    """Seed, what is wrong, and the least seed that is not done, as trials end; closing the iterator ends the processes."""
    waiting = iter(seeds)
    idle, busy = [Worker(campaign) for _ in range(jobs)], list[Worker]()
    try:
        while True:
            while idle and (seed := next(waiting, None)) is not None:
                idle[-1].start(seed)
                busy.append(idle.pop())
            if not busy:
                return
            ready = select.select([worker.descriptor for worker in busy], [], [], 1.0)[0]
            for worker in [one for one in busy if one.descriptor in ready or one.late]:
                failure = worker.result()
                busy.remove(worker)
                idle.append(worker)
                yield worker.seed, failure, min((one.seed for one in busy), default=worker.seed + 1)
    finally:
        for worker in (*idle, *busy):
            worker.stop()
