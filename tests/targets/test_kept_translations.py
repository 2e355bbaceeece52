"""What simulators translate is kept for the process: a kernel called again makes no code, and each program has its own."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import voltac

KERNEL = "export void k(uniform int a[], uniform int n) {{ foreach (i = 0 ... n) a[i] = a[i] * 3 + {added}; }}\n"


def loaded(added: int, target: str, folder: Path) -> Any:
    path = folder / f"k{added}.ispc"
    path.write_text(KERNEL.format(added=added))
    return voltac.load(path, target=target)


@pytest.mark.parametrize("target", ["ia64-x1", "ia64-f32x2", "ipu-mk1", "ipu-mk2"])
def test_a_kernel_that_is_called_again_is_not_translated_again(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    k = loaded(5, target, tmp_path)
    numbers = np.arange(40, dtype=np.int32)
    k.k(numbers, len(numbers))
    assert np.array_equal(numbers, np.arange(40) * 3 + 5)
    made: list[Any] = []
    compiled = builtins.compile

    def noted(*given: Any, **named: Any) -> Any:
        made.append(given[1])
        return compiled(*given, **named)

    monkeypatch.setattr(builtins, "compile", noted)
    again = np.arange(40, dtype=np.int32)
    k.k(again, len(again))
    assert np.array_equal(again, numbers)
    assert [name for name in made if "block" in str(name)] == []


@pytest.mark.parametrize("target", ["ia64-x1", "ia64-i8x8", "ipu-mk2"])
def test_programs_at_the_same_addresses_have_their_own_code(target: str, tmp_path: Path) -> None:
    kernels = {added: loaded(added, target, tmp_path) for added in (1, 2)}
    for added in (1, 2, 1, 2):
        numbers = np.arange(40, dtype=np.int32)
        kernels[added].k(numbers, len(numbers))
        assert np.array_equal(numbers, np.arange(40) * 3 + added)
