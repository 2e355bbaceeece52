"""What holds in every process that tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from huge_pages import use_huge_pages

# Compilers and interpreters make many objects and few circles: looking for these as often as usual takes a sixth of the time.
gc.set_threshold(100_000, 20, 50)

# Hundreds of processes import the compiler: without its bytecode each takes half a second more, whatever is usual here.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What a script starts in the background ignores these, and so would the commands that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
for kind in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(kind, signal.SIG_DFL)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than processors: some tests wait for a browser or for other processes."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_collection_finish() -> None:
    """The tests themselves, of which there are very many, stay until the end: whoever looks for circles leaves them out."""
    gc.collect()
    gc.freeze()
    use_huge_pages()


_FILES = 32
"""So many files of tests allocate some 50 MB that stay."""
_begun: set[str] = set()


def pytest_runtest_logstart(location: tuple[str, int | None, str]) -> None:
    """Now and then, what has been allocated since is put into huge pages, too."""
    if location[0] not in _begun:
        _begun.add(location[0])
        if len(_begun) % _FILES == 0:
            use_huge_pages()


def pytest_unconfigure() -> None:
    """Libraries that count what is left of them at the end find all let go."""
    gc.unfreeze()


@pytest.fixture(autouse=True, scope="session")
def cache_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Every test compiles into a cache of its own run, never the user's."""
    folder = tmp_path_factory.mktemp("cache") / "voltac"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOLTAC_CACHE_DIR", str(folder))
        yield folder
