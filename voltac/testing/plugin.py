"""The plugin for pytest, found by its entry point. It imports nothing of the compiler until a test asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def voltac_kernel() -> Callable[..., Any]:
    """``voltac_kernel(k.f, *arguments, expect={"out": ...})`` calls a kernel for every gang width of this machine and by the
    interpreter, on copies of the arrays, and fails with a report where they differ."""
    # late: tests that do not use it need no compiler
    from voltac.testing.widths import WidthsDiffer, compare_widths

    def call(*given: Any, **by_name: Any) -> Any:
        __tracebackhide__ = True
        try:
            return compare_widths(*given, **by_name)
        except WidthsDiffer as error:
            pytest.fail(str(error), pytrace=False)

    return call
