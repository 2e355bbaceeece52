"""``k.f.record(path)``: a call in one file, written before it is made, and what ``voltac replay`` reads again.

The file is a zip archive with ``call.json`` (source with what it includes, options, numbers), the arrays as
``before/NAME.npy``, and when the call is over ``outcome.json`` and ``after/NAME.npy``. Nothing in it is pickled: whoever
opens it runs none of it.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from voltac.messages.visible import visible_name
from voltac.python.call_outcomes import CallOutcome, outcome_of
from voltac.python.given_argument import OMITTED
from voltac.python.numpy_formats import described
from voltac.python.portable import Plain, plain_source
from voltac.records import record

_FORMAT = "voltac recorded call 1"
_CALL, _OUTCOME = "call.json", "outcome.json"
_PART = ".part"


@record(eq=False)
class RecordedCall:
    """What a file has of a call."""

    kernel: str
    source: Plain
    target: str
    """The one it was made for."""
    launch: Plain | None
    arguments: Mapping[str, Any]
    """Numbers, arrays and None by parameter; the same object where the call had one."""
    outcome: CallOutcome | None
    """None if the process did not come back from the call."""


class Recorder:
    """A kernel whose calls are recorded: the file has the last one, and as much of it as there was."""

    def __init__(self, kernel: Any, path: str | os.PathLike[str]) -> None:
        self._kernel = kernel
        self.path = os.fspath(path)
        # What cannot be recorded is told before there is something to record.
        self._source = plain_source(kernel._source)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *of_exception: object) -> None:
        return None

    def __call__(self, *given: Any, **by_name: Any) -> Any:
        """The call, after it has been written down; its exception is raised as it is."""
        kernel = self._kernel
        values, _ = kernel._arguments.bound(given, dict(by_name))
        arguments = {row.name: value for row, value in zip(kernel.parameters, values, strict=True) if value is not OMITTED}
        arrays = self._write(arguments)
        outcome, error = outcome_of(lambda: kernel(*given, **by_name), arrays)
        with zipfile.ZipFile(self.path, "a") as archive:
            for name, array in arrays.items():
                _add(archive, f"after/{name}.npy", array)
            text: Plain = {"error": outcome.error}
            if isinstance(outcome.result, (bool, int, float, type(None))):
                text["result"] = outcome.result
            else:
                _add(archive, "result.npy", np.asarray(outcome.result))
            archive.writestr(_OUTCOME, json.dumps(text))
        if error is not None:
            raise error
        return outcome.result

    def _write(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The file as it is before the call; the arrays in it."""
        arrays: dict[str, Any] = {}
        rows: Plain = {}
        first: dict[int, str] = {}
        for name, value in arguments.items():
            if id(value) in first and not isinstance(value, (bool, int, float, type(None))):
                rows[name] = {"same": first[id(value)]}
                continue
            first[id(value)] = name
            array = _as_array(value)
            if array is not None:
                arrays[name], rows[name] = array, {"array": True}
            elif isinstance(value, np.generic):
                rows[name] = {"value": value.item()}
            elif value is None or isinstance(value, (bool, int, float)):
                rows[name] = {"value": value}
            else:
                raise TypeError(
                    f"a call with {described(value)} for '{name}' cannot be recorded; it takes numbers, arrays and None"
                )
        launch = getattr(self._kernel, "launch", None)
        call = {
            "format": _FORMAT,
            "kernel": self._kernel.__name__,
            "source": self._source,
            "target": self._kernel.target,
            "launch": None if launch is None else {name: getattr(launch, name) for name in launch.__match_args__},
            "arguments": rows,
        }
        part = self.path + _PART
        with zipfile.ZipFile(part, "w") as archive:
            archive.writestr(_CALL, json.dumps(call))
            for name, array in arrays.items():
                _add(archive, f"before/{name}.npy", array)
        os.replace(part, self.path)
        return arrays


def _as_array(value: Any) -> Any:
    """The memory of an argument as an array; None for what is none."""
    if isinstance(value, np.ndarray):
        return None if value.dtype.hasobject else np.ndarray.view(value, np.ndarray)
    if isinstance(value, (np.generic, str)):
        return None
    try:
        return np.asarray(value if hasattr(value, "__array_interface__") else memoryview(value))
    except (TypeError, ValueError):
        return None


def _add(archive: zipfile.ZipFile, name: str, array: Any) -> None:
    content = io.BytesIO()
    np.lib.format.write_array(content, array, allow_pickle=False)
    archive.writestr(name, content.getbuffer())


def read_call(path: str | os.PathLike[str]) -> RecordedCall:
    """What a file has; ValueError if it has no call, OSError if it cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # the file is not trusted: whatever comes out of reading it
        raise ValueError(
            f"{visible_name(os.fspath(path))} is no file of a recorded call: {type(error).__name__}: {error}"
        ) from None


def _read(archive: zipfile.ZipFile) -> RecordedCall:
    call = json.loads(archive.read(_CALL))
    if call["format"] != _FORMAT:
        raise ValueError(f"its format is {call['format']!r}, not {_FORMAT!r}")

    def array(name: str) -> Any:
        return np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)

    arguments: dict[str, Any] = {}
    for name, row in call["arguments"].items():
        if "same" in row:
            arguments[name] = arguments[row["same"]]
        else:
            arguments[name] = array(f"before/{name}.npy") if "array" in row else row["value"]
    outcome = None
    names = set(archive.namelist())
    if _OUTCOME in names:
        ended = json.loads(archive.read(_OUTCOME))
        after = {name: array(f"after/{name}.npy") for name, row in call["arguments"].items() if "array" in row}
        result = array("result.npy")[()] if "result.npy" in names else ended["result"]
        error = ended["error"]
        outcome = CallOutcome(after, result, None if error is None else (str(error[0]), str(error[1])))
    return RecordedCall(str(call["kernel"]), call["source"], str(call["target"]), call["launch"], arguments, outcome)
