"""What holds for every test."""

import gc

_GARBAGE_IS_LOOKED_FOR = 20_000
"""Objects made since: compilations make many and hardly any garbage that refers to itself, and a worker knows all tests."""


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(_GARBAGE_IS_LOOKED_FOR)
