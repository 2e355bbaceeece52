"""``voltac cache info|clear|verify``: what the compiled programs on disk take, removing them, and looking for damage."""

from __future__ import annotations

import sys
import time

from voltac.cli.option_table import Namespace, UsageError
from voltac.messages.suggestions import suggestion
from voltac.messages.visible import visible_name
from voltac.pipeline import InputError
from voltac.python.cache import UnusableFolder, folder_path
from voltac.python.cache_contents import CacheFile, clear, files, remove_damaged
from voltac.python.cache_limit import cache_limit


def cache_command(arguments: Namespace) -> int:
    """The exit code: 0, or 1 if something was damaged."""
    actions = {"info": _info, "clear": _clear, "verify": _verify}
    expected = "one of the words info, clear and verify"
    if len(arguments.operands) != 1:
        raise UsageError(f"cache takes {expected}: voltac cache info")
    (word,) = arguments.operands
    if word not in actions:
        raise UsageError(f"cache takes {expected}, not '{word}'{suggestion(word, actions)}")
    try:
        return actions[word](arguments.json)
    except UnusableFolder as error:
        raise InputError(f"{error}: voltac does not use it (VOLTAC_CACHE_DIR names another folder)") from None


def _info(json: bool) -> int:
    found = files()
    programs = [file for file in found if file.is_program]
    try:
        limit = cache_limit()
    except ValueError as error:
        raise UsageError(str(error)) from None
    facts = {
        "folder": folder_path() or "",
        "programs": len(programs),
        "bytes": _bytes(found),
        "limit": limit,
        "used_first": programs[0].used if programs else None,
        "used_last": programs[-1].used if programs else None,
    }
    lines = [
        f"folder    {facts['folder'] or 'none: there is no home folder (VOLTAC_CACHE_DIR names one)'}",
        f"programs  {len(programs)}",
        f"size      {_size(_bytes(found))} of {_size(limit)} (VOLTAC_CACHE_SIZE)",
    ]
    if programs:
        lines += [f"used      last {_moment(programs[-1].used)}, longest ago {_moment(programs[0].used)}"]
    return _written(lines, facts, json)


def _clear(json: bool) -> int:
    gone = clear()
    programs = sum(file.is_program for file in gone)
    return _written(
        [f"removed {_counted(programs)}, {_size(_bytes(gone))}"], {"removed": programs, "bytes": _bytes(gone)}, json
    )


def _verify(json: bool) -> int:
    before = sum(file.is_program for file in files())
    damaged = remove_damaged()
    lines = [f"damaged, removed: {file.name} ({_size(file.size)})" for file in damaged]
    good = before - sum(file.is_program for file in damaged)
    lines += [f"{_counted(good)} as written" + (f", {len(damaged)} damaged" if damaged else "")]
    _written(lines, {"good": good, "damaged": [file.name for file in damaged]}, json)
    return 1 if damaged else 0


def _written(lines: list[str], facts: dict[str, object], json: bool) -> int:
    if json:
        from json import dumps  # late: for this option only

        lines = [dumps(facts)]
    sys.stdout.writelines(f"{visible_name(line)}\n" for line in lines)
    return 0


def _bytes(found: list[CacheFile]) -> int:
    return sum(file.size for file in found)


def _counted(programs: int) -> str:
    return f"{programs} program{'' if programs == 1 else 's'}"


def _size(count: int) -> str:
    size, unit = float(count), "bytes"
    for larger in ("KB", "MB", "GB", "TB"):
        if size < 1000:
            break
        size, unit = size / 1024, larger
    return f"{size:.3g} {unit}"


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
