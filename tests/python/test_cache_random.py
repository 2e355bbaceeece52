"""Files are edited, renamed, linked, deleted and appear, between compilations and during them; what the cache gives is
always the value of the program as it is now. A model of a few lines says what that is: every file adds numbers up."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import voltac
from voltac import syntax

FOLDERS = ("src", "first", "second", "first/inner")
NAMES = ("a.isph", "b.isph", "inner/a.isph")
Row = tuple[str, Any]
"""``add`` number; ``include`` or ``if`` with a name and whether it is in quotes; ``once``."""


class Missing(Exception):
    """An included file is not there."""


class World:
    """A tree of files, and what the program in it means."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self.root, self.chance = root, chance
        self.rows: dict[str, list[Row]] = {}
        """Content of a file -> what it says; so a file that is linked, renamed or copied says the same."""
        for folder in FOLDERS:
            (root / folder).mkdir(parents=True, exist_ok=True)
        self.main = root / "src" / "main.ispc"
        self.rewrite_main()

    # --- texts

    def rewrite_main(self) -> None:
        body = self.some_text()
        self.main.write_text(f"export uniform int f() {{ return 0\n{body}; }}\n")
        self.rows[self.main.read_text()] = self.rows[body]

    def some_text(self) -> str:
        rows: list[Row] = [("once", None)] if self.chance.random() < 0.2 else []
        for _ in range(self.chance.randrange(1, 4)):
            kind = self.chance.choice(("add", "include", "if"))
            number, quoted = self.chance.randrange(10, 100), self.chance.random() < 0.7
            rows.append((kind, number if kind == "add" else (self.chance.choice(NAMES), quoted)))
        text = "".join(map(self.written, rows))
        self.rows[text] = rows
        return text

    def written(self, row: Row) -> str:
        kind, what = row
        if kind == "once":
            return "#pragma once\n"
        if kind == "add":
            return f"+ {what}\n"
        name, quoted = what
        target = f'"{name}"' if quoted else f"<{name}>"
        if kind == "if":
            return f"#if __has_include({target})\n+ 1\n#endif\n"
        macro = f"#define NAME {target}\n#include NAME\n#undef NAME\n"
        return self.chance.choice((f"#include {target}\n", f"#inc\\\nlude {target}\n", macro))

    # --- what happens

    def change(self) -> None:
        path = self.root / self.chance.choice(FOLDERS) / self.chance.choice(NAMES)
        path.parent.mkdir(exist_ok=True, parents=True)
        match self.chance.randrange(9):
            case 0 | 1 | 2:
                self.replace(path, self.some_text())
            case 3 | 4 if path.is_file():
                # In place: of the same size and time, as a careless tool would do it.
                before = path.stat()
                rows = self.rows[path.read_text()]
                changed = [(kind, 109 - what if kind == "add" else what) for kind, what in rows]
                text = path.read_text()
                for (kind, old), (_, new) in zip(rows, changed):
                    if kind == "add":
                        text = text.replace(f"+ {old}\n", f"+ {new}\n", 1)
                self.rows.setdefault(text, self.read_back(text, rows))
                path.write_text(text)
                os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            case 5 | 6:
                if path.is_file() or path.is_symlink():
                    path.unlink()
            case 7:
                other = self.root / self.chance.choice(FOLDERS) / "a.isph"
                if other != path and not path.is_dir():
                    path.unlink(missing_ok=True)
                    path.symlink_to(other)
            case _:
                self.rewrite_main()

    @staticmethod
    def read_back(text: str, rows: list[Row]) -> list[Row]:
        numbers = iter([int(line[2:]) for line in text.split("\n") if line.startswith("+ ") and line != "+ 1"])
        return [(kind, next(numbers) if kind == "add" else what) for kind, what in rows]

    @staticmethod
    def replace(path: Path, text: str) -> None:
        new = path.with_name("new")
        new.write_text(text)
        os.utime(new, (1e9, 1e9))
        new.rename(path)

    # --- what it means

    def value(self, folders: list[Path]) -> int | None:
        """None where the program has an error."""
        try:
            return self.sum(self.main, folders, set(), 0)
        except (Missing, RecursionError):
            return None

    def sum(self, path: Path, folders: list[Path], once: set[str], depth: int) -> int:
        if depth > 20:
            raise RecursionError
        total = 0
        for kind, what in self.rows[path.read_text()]:
            if kind == "add":
                total += what
            elif kind == "once":
                once.add(os.path.realpath(path))
            else:
                name, quoted = what
                places = ([path.parent] if quoted else []) + folders
                found = next((place / name for place in places if (place / name).is_file()), None)
                if kind == "if":
                    total += found is not None
                elif found is None:
                    raise Missing
                elif os.path.realpath(found) not in once:
                    total += self.sum(found, folders, once, depth + 1)
        return total


def given(main: str, folders: list[Path]) -> int | None:
    try:
        result: int = voltac.load(main, include=folders, opt=0, target="sse4-i32x4").f()
    except voltac.CompileError:
        return None
    return result


def check_cache(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> set[int | None]:
    """Change and compile again and again; the values that were asked for."""
    monkeypatch.setenv("VOLTAC_CACHE_DIR", str(tmp_path / "cache"))
    chance = random.Random(seed)
    worlds = [World(tmp_path / name, chance) for name in ("one", "two")]
    pending: list[Callable[[], None]] = []
    real = syntax.preprocess

    def preprocess(*given: Any) -> Any:
        made = real(*given)
        while pending:
            pending.pop()()
        return made

    monkeypatch.setattr(syntax, "preprocess", preprocess)
    values: set[int | None] = set()
    for step in range(60):
        world = chance.choice(worlds)
        for _ in range(chance.choice((0, 0, 1, 3))):
            world.change()
        order = chance.choice((["first", "second"], ["second", "first"]))
        folders = [world.root / name for name in order]
        monkeypatch.chdir(world.main.parent)
        wanted = world.value(folders)
        if chance.random() < 0.3:
            pending.append(world.change)
        main = chance.choice(("main.ispc", str(world.main)))
        found = given(main, folders)
        assert found == wanted, f"seed {seed}, step {step}"
        pending.clear()
        values.add(wanted)
    return values


@pytest.mark.parametrize("seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 20))])
def test_the_cache_gives_what_a_fresh_compilation_would(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(check_cache(seed, tmp_path, monkeypatch)) > 5
