"""A process whose threads compile, load, call, launch, fork and are interrupted: ``python soaking_process.py SEED THREADS
SECONDS EXIT FOLDER``.

It ends with 0 and prints ``done`` where every result was right, the state of the process is as before, and its memory does not
grow. ``SECONDS`` 0: two rounds a thread. ``EXIT`` is ``joined``, or ``running``: threads then are in the middle of things.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np

import voltac

SOURCE = """
struct Link { uniform int value; Link * uniform next; };
extern "C" uniform int step(uniform int x);
task void one(uniform int a[], uniform int by) { a[taskIndex] = by * taskIndex; }
export void scale(uniform int a[], uniform int n) { foreach (i = 0 ... n) a[i] = FACTOR * i; }
export void tasks(uniform int a[], uniform int n) { launch[n] one(a, FACTOR); }
export uniform int call(uniform int x) { return step(x) + FACTOR; }
export void say(uniform int n) { print("% ", n); }
"""
STEP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
ROUNDS = 2
KEPT = 3
"""Modules of a thread that live on."""
FORKS = 0.05
"""Of the rounds, where the campaign has time for it."""
LEFT_BY_LLVMLITE = 150
"""KiB of a compilation: llvmlite 0.50 frees no pass builder's callbacks, 10 KiB for each run over a function."""
UNEVEN = 32 << 10
"""KiB by which a process's memory may differ from one moment to another: threads of malloc, modules that are being made."""


def fails(x: int) -> int:
    raise ValueError(threading.current_thread().name)


def resident() -> int:
    """KiB of memory that the process has."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * (os.sysconf("SC_PAGE_SIZE") >> 10)


class Soaked:
    """What the threads of the process share."""

    def __init__(self, seed: int, threads: int, seconds: float, folder: Path) -> None:
        self.seed, self.seconds = seed, seconds
        self.file = folder / f"source{os.getpid()}.ispc"
        self.file.write_text(SOURCE)
        self.begin = time.monotonic()
        self.failures: list[str] = []
        self.compiled = 0
        self.interruptible = False
        self.threads = [threading.Thread(target=self.guarded, args=(number,), daemon=True) for number in range(threads)]

    def lasts(self, share: float = 1.0) -> bool:
        return time.monotonic() < self.begin + self.seconds * share and not self.failures

    def guarded(self, number: int) -> None:
        try:
            self.body(number)
        except BaseException:
            self.failures.append(traceback.format_exc())

    def body(self, number: int) -> None:
        chance = random.Random(self.seed * 1000 + number)
        kept: list[tuple[int, voltac.KernelModule]] = []
        round = 0
        while self.lasts() if self.seconds else round < ROUNDS:
            kept = [*kept, self.made(chance, round % 2 == 0)][-KEPT:]
            for factor, module in kept:
                works(module, factor, chance.randrange(1, 2000))
            factor, module = kept[-1]
            if round % 2:
                assert module.call(5) == 6 + factor
            else:
                try:
                    module.call(5)
                    raise AssertionError("nothing was raised")
                except ValueError as error:
                    assert str(error) == threading.current_thread().name
            if chance.random() < 0.1:
                self.refused()
            if chance.random() < 0.2:
                assert "scale" in module.assembly("scale")
            if self.seconds and chance.random() < FORKS:
                forked(lambda made=kept[-1]: works(made[1], made[0], 50))  # type: ignore[misc]
            round += 1

    def made(self, chance: random.Random, failing: bool) -> tuple[int, voltac.KernelModule]:
        factor = chance.randrange(1, 5)
        functions = {"step": STEP(fails if failing else lambda x: x + 1)}
        cached, level = chance.random() < 0.8, chance.choice((0, 1))
        self.compiled += 1
        if chance.random() < 0.5:
            return factor, voltac.compile(SOURCE, defines={"FACTOR": factor}, functions=functions, cache=cached, opt=level)
        return factor, voltac.load(self.file, defines={"FACTOR": factor}, functions=functions, cache=cached, opt=level)

    def refused(self) -> None:
        try:
            voltac.compile(SOURCE + "int x = ;", defines={"FACTOR": 1})
            raise AssertionError("nothing was refused")
        except voltac.CompileError as error:
            assert "missing" in str(error)

    def on_interrupt(self, number: int, frame: object) -> None:
        if self.interruptible:
            self.interruptible = False
            raise KeyboardInterrupt

    def interrupted(self, chance: random.Random) -> None:
        """One round of the main thread, which a signal may end anywhere."""
        timer = threading.Timer(chance.random() / 2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            self.interruptible = True
            factor, module = self.made(chance, failing=False)
            for _ in range(20):
                works(module, factor, 500)
            self.interruptible = False
        except KeyboardInterrupt:
            pass
        timer.join()

    def load_everything(self) -> None:
        """An interrupt of a thread that waits for Python's lock of imports leaves it locked: with any modules."""
        for cached in (True, True, False):
            module = voltac.compile(SOURCE, defines={"FACTOR": 2}, functions={"step": STEP(fails)}, cache=cached, opt=1)
            works(module, 2, 20)
            module.assembly("scale")
        self.refused()

    def run(self) -> None:
        chance = random.Random(self.seed)
        self.load_everything()
        self.begin = time.monotonic()
        signal.signal(signal.SIGINT, self.on_interrupt)
        for thread in self.threads:
            thread.start()
        while self.lasts(1 / 3):
            self.interrupted(chance)
        before, made = resident(), self.compiled
        while self.lasts():
            self.interrupted(chance)
        grown, made = resident() - before, self.compiled - made
        if self.seconds and grown > UNEVEN + LEFT_BY_LLVMLITE * made:
            self.failures.append(f"memory grew by {grown} KiB in {made} compilations")


def works(module: voltac.KernelModule, factor: int, n: int) -> None:
    a = np.full(n, -1, np.int32)
    module.scale(a, n)
    assert (a == factor * np.arange(n)).all()
    a[:] = -1
    module.tasks(a=a, n=n)
    assert (a == factor * np.arange(n)).all()


def forked(body: Callable[[], None]) -> None:
    """In a child, which compiles too."""
    child = os.fork()
    if not child:
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(100)
            body()
            works(voltac.compile(SOURCE, defines={"FACTOR": 3}, functions={"step": STEP(fails)}, cache=False, opt=1), 3, 20)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def main() -> None:
    seed, threads, seconds, end, folder = sys.argv[1:]
    soaked = Soaked(int(seed), int(threads), float(seconds), Path(folder))
    soaked.run()
    if end == "joined":
        for thread in soaked.threads:
            thread.join()
        assert threading.stack_size() == 0 and sys.getrecursionlimit() == 1000
    print("".join(soaked.failures) or "done")
    sys.exit(1 if soaked.failures else 0)


if __name__ == "__main__":
    main()
