"""Running the command line as users do: a process of its own, in a folder of its own."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_server import run_command

Run = Callable[..., subprocess.CompletedProcess[str]]

SAXPY = """\
export void saxpy(uniform float s, uniform float x[], uniform float y[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = s * x[i] + y[i];
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Holds ``good.ispc``, a program without errors."""
    (tmp_path / "good.ispc").write_text(SAXPY)
    return tmp_path


@pytest.fixture
def voltac(folder: Path) -> Run:
    """Runs the command line in ``folder``; no run may end in a traceback."""

    def run(
        *words: str, input: str | bytes | None = None, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        data = input.encode() if isinstance(input, str) else input
        done = run_command([*words], folder, data, {**os.environ, "ISPC_ARGS": "", **(environment or {})})
        out, err = done.out.decode("utf-8", "surrogateescape"), done.err.decode("utf-8", "surrogateescape")
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess([*words], done.code, out, err)

    return run
