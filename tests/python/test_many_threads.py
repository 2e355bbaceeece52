"""Eight threads compile, load, call and launch at once, and two processes share a cache: every result is right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import random, sys, threading, time
import numpy as np, voltac

SOURCE = '''
struct Link { uniform int value; Link * uniform next; };
extern "C" uniform int step(uniform int x);
task void one(uniform int a[], uniform int by) { a[taskIndex] = by * taskIndex; }
export void scale(uniform int a[], uniform int n) { foreach (i = 0 ... n) a[i] = FACTOR * i; }
export void tasks(uniform int a[], uniform int n) { launch[n] one(a, FACTOR); }
export uniform int call(uniform int x) { return step(x) + FACTOR; }
export void say(uniform int n) { print("% ", n); }
'''
import ctypes
STEP = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)

def fails(x):
    raise ValueError(threading.current_thread().name)

def body(number):
    random.seed(SEED + number)
    kept = []
    for round in range(ROUNDS):
        factor = random.randrange(1, 5)
        mine = {"step": STEP((lambda x: x + 1) if round % 2 else fails)}
        options = dict(defines={"FACTOR": factor}, functions=mine, cache=random.random() < 0.8, opt=random.choice((0, 1)))
        if random.random() < 0.5:
            k = voltac.compile(SOURCE, **options)
        else:
            k = voltac.load(sys.argv[1], **options)
        kept.append((factor, k))
        for factor, k in kept[-3:]:
            n = random.randrange(1, 2000)
            a = np.full(n, -1, np.int32)
            k.scale(a, n)
            assert (a == factor * np.arange(n)).all()
            a[:] = -1
            k.tasks(a=a, n=n)
            assert (a == factor * np.arange(n)).all()
        if round % 2:
            assert k.call(5) == 6 + factor
        else:
            try:
                k.call(5)
                raise AssertionError
            except ValueError as error:
                assert str(error) == threading.current_thread().name
        if random.random() < 0.1:
            try:
                voltac.compile(SOURCE + "int x = ;", **options)
                raise AssertionError
            except voltac.CompileError as error:
                assert "missing" in str(error)
        if random.random() < 0.2:
            assert "scale" in k.assembly("scale")

def guarded(number):
    try:
        body(number)
    except BaseException:
        import traceback
        traceback.print_exc()
        failures.append(number)

if __name__ == "__main__":
    with open(sys.argv[1], "w") as file:
        file.write(SOURCE)
    failures = []
    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and threading.stack_size() == 0 and sys.getrecursionlimit() == 1000
    print("done")
"""


def run_program(folder: Path, seed: int) -> list[tuple[int, str, str]]:
    """Two processes with one cache: exit status, output and errors of each."""
    (folder / "program.py").write_text(PROGRAM.replace("ROUNDS", "2").replace("SEED", str(8 * seed)))
    environment = {**os.environ, "VOLTAC_CACHE_DIR": str(folder / "cache")}
    running = [
        subprocess.Popen(
            [sys.executable, "program.py", f"source{number}.ispc"],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    ended = [one.communicate(timeout=300) for one in running]
    return [(one.returncode, *texts) for one, texts in zip(running, ended)]


def test_threads_and_processes_at_once(tmp_path: Path) -> None:
    assert run_program(tmp_path, seed=0) == [(0, "done\n", "")] * 2
