"""A child of fork() compiles, calls and launches, whatever the other threads of its parent were doing at that moment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole

COMMON = """
import multiprocessing, os, signal, sys, threading, time
import numpy as np

FUNCTION = '''export void f{0}(uniform float a[], uniform float b[], uniform int n) {{
    foreach (i = 0 ... n) {{ float s = a[i]; for (uniform int k = 0; k < {0}; ++k) s += b[i + k] * sqrt(s); b[i] = s; }}
}}
'''
LONG = "".join(FUNCTION.format(number) for number in range(1, 9))
SHORT = '''
task void one(uniform int a[]) { a[taskIndex] = 2 * taskIndex; }
export void f(uniform int a[], uniform int n) { foreach (i = 0 ... n) a[i] = 3 * i; }
export void g(uniform int a[], uniform int n) { launch[n] one(a); }
'''

def works(k):
    a = np.zeros(50, np.int32)
    k.f(a, 50)
    assert list(a) == list(range(0, 150, 3))
    k.g(a, 50)
    assert list(a) == list(range(0, 100, 2))

def compiles():
    works(voltac.compile(SHORT + f"// {os.getpid()}", cache=False, opt=1))
    works(voltac.compile(SHORT + f"// {os.getpid()} kept"))

def child(body):
    process = os.fork()
    if not process:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(60)
        try:
            body()
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return process

def ended(process):
    assert os.waitpid(process, 0)[1] == 0, process
"""

WHILE_COMPILING = """
import voltac, random
stop = False
def others():
    while not stop:
        voltac.compile(LONG, cache=False, opt=1).assembly()
threads = [threading.Thread(target=others) for _ in range(2)]
for thread in threads:
    thread.start()
for attempt in range(2):
    ended(child(compiles))
    time.sleep(random.random() / 10)
stop = True
for thread in threads:
    thread.join()
compiles()
print("done")
"""

WHILE_IMPORTING = """
import voltac
thread = threading.Thread(target=lambda: voltac.compile(SHORT, cache=False))
thread.start()
time.sleep(float(sys.argv[1]))
ended(child(compiles))
thread.join()
print("done")
"""

IN_A_SIGNAL_HANDLER = """
import voltac
children = []
def handler(*_):
    children.append(child(compiles))
    if len(children) < 3:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
signal.signal(signal.SIGALRM, handler)
voltac.compile(SHORT, cache=False)
signal.setitimer(signal.ITIMER_REAL, 0.05)
k = voltac.compile(LONG, cache=False, opt=1)
signal.setitimer(signal.ITIMER_REAL, 0)
assert children
for process in children:
    ended(process)
k.f1(np.ones(4, np.float32), np.ones(8, np.float32), 4)
print("done")
"""

KERNELS_OF_THE_PARENT = """
import voltac
k = voltac.compile(SHORT)
works(k)
stop = False
def others():
    a = np.zeros(5000, np.int32)
    while not stop:
        k.g(a, 5000)
threads = [threading.Thread(target=others) for _ in range(3)]
for thread in threads:
    thread.start()
def grandchild():
    works(k)
    ended(child(lambda: (works(k), compiles())))
for attempt in range(3):
    ended(child(grandchild))
stop = True
for thread in threads:
    thread.join()
works(k)
print("done")
"""

POOLS = """
import voltac

def job(number):
    k = voltac.compile(SHORT + f"// {number % 2}", opt=1)
    works(k)
    a = np.zeros(50, np.int32)
    k.f(a, 50)
    return int(a.sum())

if __name__ == "__main__":
    stop = False
    def others():
        while not stop:
            voltac.compile(LONG, cache=False, opt=1)
    thread = threading.Thread(target=others)
    thread.start()
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert sum(pool.map(job, range(4))) == 4 * sum(range(0, 150, 3)), method
    stop = True
    thread.join()
    print("done")
"""


@pytest.mark.parametrize(
    ("program", "words"),
    [
        pytest.param(WHILE_COMPILING, [], id="while others compile"),
        pytest.param(WHILE_IMPORTING, ["0"], id="while another imports"),
        pytest.param(WHILE_IMPORTING, ["0.4"], id="while another compiles"),
        pytest.param(IN_A_SIGNAL_HANDLER, [], id="in a signal handler of the thread that compiles"),
        pytest.param(KERNELS_OF_THE_PARENT, [], id="while others launch tasks"),
        pytest.param(POOLS, [], id="multiprocessing"),
    ],
)
def test_a_child_goes_on(program: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(COMMON + program)
    done = subprocess.run(
        [sys.executable, "program.py", *words], cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False
    )
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr[-3000:]


WHILE_A_CALL_FAILS = """
import ctypes, voltac
failed, goes_on = threading.Event(), threading.Event()

def first(x):
    raise ValueError("of the other thread")

def second(x):
    failed.set()
    goes_on.wait(60)
    return x

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
SOURCE = 'extern "C" uniform int first(uniform int x); extern "C" uniform int second(uniform int x);'
SOURCE += "export uniform int both(uniform int x) { return first(x) + second(x); }"
SOURCE += "export uniform int plain(uniform int x) { return x; }"
k = voltac.compile(SOURCE, functions={"first": FUNCTION(first), "second": FUNCTION(second)})

def fails():
    try:
        k.both(1)
    except ValueError as error:
        caught.append(str(error))

caught = []
thread = threading.Thread(target=fails)
thread.start()
assert failed.wait(60)

def in_child():
    assert k.plain(3) == 3

ended(child(in_child))
goes_on.set()
thread.join()
assert caught == ["of the other thread"]
"""


def test_a_child_raises_nothing_of_threads_it_has_not() -> None:
    """An exception that waits until the kernel of another thread has ended (campaign threads, seed 466597036)."""
    done = subprocess.run([sys.executable, "-c", COMMON + WHILE_A_CALL_FAILS], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
