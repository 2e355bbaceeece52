"""While something compiles Python looks for no circles; afterwards it does as before."""

from __future__ import annotations

import gc

import pytest

from voltac.system.compiling_thread import in_compiling_thread


@pytest.fixture(params=[True, False], autouse=True)
def looks(request: pytest.FixtureRequest) -> bool:
    before = gc.isenabled()
    wanted: bool = request.param
    (gc.enable if wanted else gc.disable)()
    request.addfinalizer(gc.enable if before else gc.disable)
    return wanted


def test_nobody_looks_meanwhile(looks: bool) -> None:
    inner = lambda: (in_compiling_thread(gc.isenabled), gc.isenabled())  # noqa: E731
    assert in_compiling_thread(inner) == (False, False)
    assert gc.isenabled() == looks


def test_a_failure_leaves_it_as_it_was(looks: bool) -> None:
    with pytest.raises(ZeroDivisionError):
        in_compiling_thread(lambda: 1 // 0)
    assert gc.isenabled() == looks
