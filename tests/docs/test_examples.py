"""The examples of the README and of docs/ run, page by page and in order, in a folder of their own.

A fenced block is an example if it is tagged

* ``ispc``: a file, named in its first line (``// saxpy.ispc``);
* ``python``: run; the blocks of a page share their names;
* ``console``: lines behind ``$`` are commands, those below are what they print. ``...`` stands for anything, alone on a line
  for any lines. A command succeeds, unless it prints an error.

Blocks with another tag, or none, are to be looked at.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from command_server import run_command

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(ispc|python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [page for page in (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))) if BLOCK.search(page.read_text())]


def as_pattern(expected: str) -> str:
    """A regular expression for what a command prints; blanks at the ends of lines don't count."""
    pattern = ""
    for line in expected.splitlines():
        pattern += r"(?:.*\n)*?" if line == "..." else re.escape(line.rstrip()).replace(r"\.\.\.", ".*") + r"\n"
    return pattern + r"\n*"


def run(command: str, expected: str, folder: Path) -> None:
    first, *words = shlex.split(command)
    assert first == "voltac", command
    environment = {**os.environ, "ISPC_ARGS": "", "COLUMNS": "80"}
    done = run_command(words, folder, None, environment, together=True)
    printed = "".join(line.rstrip() + "\n" for line in done.out.decode().splitlines())
    assert re.fullmatch(as_pattern(expected), printed), f"$ {command}\n{printed}"
    assert (done.code == 0) == (": Error: " not in printed), f"$ {command}: exit code {done.code}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(tmp_path / ".cache"))
    names: dict[str, Any] = {}
    text = page.read_text()
    for block in BLOCK.finditer(text):
        kind, body = block.groups()
        if kind == "ispc":
            name = body.splitlines()[0].removeprefix("// ")
            assert re.fullmatch(r"\w+\.(ispc|isph)", name), f"the first line of a file is its name: {body}"
            assert name in text[block.end() :], f"{name} is not used by a later example"
            Path(name).write_text(body)
        elif kind == "python":
            line = text.count("\n", 0, block.start(2))
            exec(compile("\n" * line + body, page.name, "exec"), names)
        else:
            commands = re.split(r"^\$ ", body, flags=re.MULTILINE)
            assert not commands[0], f"an example begins with a command: {body}"
            for each in commands[1:]:
                command, _, expected = each.partition("\n")
                run(command, expected, tmp_path)
