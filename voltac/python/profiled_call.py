"""``k.f.profile(...)``: one call of an instrumented build, and what it counted."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from typing import Any

from voltac.ir.marks import PROFILE_COUNTS, PROFILE_PLACES
from voltac.llvm.host import require_runnable
from voltac.python.building import Build
from voltac.python.object_loader import LoadedCode
from voltac.python.source import Source
from voltac.records import replace
from voltac.report.lane_counts import Place, counted_places
from voltac.report.profile import Profile
from voltac.system.files import read_regular_file


def profile(build: Build, source: Source, function: str, given: tuple[Any, ...], by_name: dict[str, Any]) -> Profile:
    """Call an exported function, compiled once more with counters, which begins with globals as the program defines them.

    Arrays are written as by a plain call. Raises what a call raises, :class:`voltac.CannotRun` where this CPU lacks
    the target's instructions, and ValueError for a device and for a program whose source is not known.
    """
    target = source.options.target
    if not source.text:
        raise ValueError(f"{source.file} is a finished program: only its source can be compiled with counters")
    instrumented = replace(source, options=replace(source.options, instrument="counts"))
    require_runnable(target)
    kernel: Any = build(instrumented, functions=source.origin.functions)[function]
    code: LoadedCode = kernel._code
    probes = json.loads(ctypes.string_at(code.addresses[PROFILE_PLACES]))
    cells = target.width + 1
    counts = (ctypes.c_uint64 * (cells * len(probes))).from_address(code.addresses[PROFILE_COUNTS])
    result = kernel(*given, **by_name)
    rows = [counts[start : start + cells] for start in range(0, len(counts), cells)]
    places = counted_places(probes, rows)
    return Profile(function, source.file, target.name, target.width, places, _sources(source, places), result)


def _sources(source: Source, places: Sequence[Place]) -> dict[str, list[str]]:
    """The lines of the program's files, of included ones as they are now."""
    texts = {source.file: source.text}
    for name in {place.file for place in places} - {source.file}:
        try:
            texts[name] = read_regular_file(name).decode("utf-8", "replace")
        except OSError:
            texts[name] = ""
    return {name: text.removesuffix("\n").split("\n") for name, text in texts.items()}
