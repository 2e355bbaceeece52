"""ruff and mypy (strict, tests included) find nothing: their warnings are errors here."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


COMMANDS = {"check": ["ruff", "check", "."], "format": ["ruff", "format", "--check", "."], "types": ["mypy"]}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_linters_are_silent(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
