"""ruff and mypy (strict, tests included) find nothing: their warnings are errors here."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


COMMANDS = [
    pytest.param(["ruff", "check", "."], id="check"),
    pytest.param(["ruff", "format", "--check", "."], id="format"),
    # A minute of processor time where it has no cache; ``.ci/run`` runs it on its own.
    pytest.param(["mypy"], id="types", marks=pytest.mark.long),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_linters_are_silent(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
