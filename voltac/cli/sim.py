"""``voltac sim FILE.elf [ARGUMENT ...]``: a run of a device's program on its simulator, and what the run took."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from voltac.cli.assembled import SUFFIXES, preprocessing_of, run_assembled
from voltac.cli.device_files import open_program
from voltac.cli.option_table import MACHINE, Namespace, UsageError, groups_of
from voltac.cli.run_arguments import filled, from_file, printed
from voltac.cli.settings import number
from voltac.codegen.elf_read import BadElf
from voltac.codegen.image import Image
from voltac.codegen.simulator import Trap
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import NOWHERE
from voltac.messages.suggestions import suggestion
from voltac.messages.visible import visible, visible_name
from voltac.pipeline import InputError
from voltac.python.device_failures import failure_of
from voltac.python.device_program import signatures_of
from voltac.python.device_run import DeviceLaunch, changed, first_launch, run_kernel, run_program
from voltac.python.numpy_formats import dtype_of
from voltac.python.signatures import KernelParameter, Signature
from voltac.target_info import DEVICES, TargetInfo
from voltac.targets import find_device
from voltac.targets.device import Device, kernels


def sim_command(arguments: Namespace) -> int:
    """The exit code: 0, or 1 if the program trapped."""
    if not arguments.operands:
        raise UsageError("no program given; 'voltac sim FILE.elf [ARGUMENT ...]'")
    path, *words = arguments.operands
    code, file = open_program(path, arguments.target, preprocessing_of(arguments))
    if file.image is None:
        raise InputError(f"{path} is not linked; compile to a program that runs, '-o NAME.elf'")
    target = DEVICES[code.name]
    launch = _launch(arguments, target)
    limit = number(arguments.limit, "--limit") if arguments.limit else None
    if limit == 0:
        raise UsageError("option '--limit' must be at least 1, not 0")
    trace = _print_trace if arguments.trace else None
    try:
        signatures = signatures_of(file.notes)
    except BadElf as error:
        raise InputError(f"{path} is no program for a device: {error}") from None
    device = find_device(target)
    try:
        if path.endswith(SUFFIXES):
            report = run_assembled(device, file, arguments.function, words, trace, limit)
        elif not signatures and not kernels(file.image.symbols):
            report = _bare(device, file.image, words, launch, trace, limit)
        else:
            signature = _chosen(path, signatures, file.image, arguments.function)
            report = _call(device, file.image, signature, words, launch, trace, limit)
    except Trap as trap:
        diagnostics = Diagnostics(colored=sys.stderr.isatty())
        failure = failure_of(trap, file.image)
        diagnostics.error("run", NOWHERE, str(failure or "; ".join([str(trap), *getattr(trap, "__notes__", [])])))
        sys.stdout.flush()
        sys.stderr.write(diagnostics.render())
        return 1
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
    if arguments.json:
        sys.stdout.write(json.dumps(_plain(report), indent=1) + "\n")
    else:
        sys.stdout.write(visible(str(report)) + "\n")
    return 0


def _print_trace(line: str) -> None:
    sys.stderr.write(visible_name(line) + "\n")


def _launch(arguments: Namespace, target: TargetInfo) -> DeviceLaunch:
    changes: dict[str, Any] = {}
    for group in groups_of("sim"):
        for option in group.options if group.title == MACHINE else ():
            given = getattr(arguments, option.field)
            if given not in (None, False):
                changes[option.field] = number(given, _option(option.field)) if option.form == "next" else given
    launch = first_launch(target)
    for name, value in changes.items():
        try:
            launch = changed(launch, {name: value}, target)
        except ValueError as error:
            raise UsageError(f"option '{_option(name)}'{str(error).removeprefix(name)}") from None
        except TypeError:
            device = target.device.title if target.device is not None else target.name
            raise UsageError(f"option '{_option(name)}': {device} has nothing of the kind to choose") from None
    return launch


def _option(field: str) -> str:
    return f"--{field.replace('_', '-')}"


def _chosen(path: str, signatures: dict[str, Signature], image: Image, name: str | None) -> Signature:
    there = kernels(image.symbols)
    if not signatures:
        raise UsageError(f"{path} has kernels ({', '.join(there)}) and does not say what they take; it was made from assembly")
    if name is None:
        if len(signatures) > 1:
            raise UsageError(f"{path} has several kernels; choose one with --function: {', '.join(signatures)}")
        name = next(iter(signatures))
    if name not in signatures or name not in there:
        known = ", ".join(signatures)
        raise UsageError(f"{path} has no kernel '{name}'{suggestion(name, signatures)}; it has: {known}")
    return signatures[name]


def _bare(
    device: Device, image: Image, words: list[str], launch: DeviceLaunch, trace: Callable[[str], None] | None, limit: int | None
) -> Any:
    """A program without kernels: from its beginning, without arguments."""
    if words:
        raise UsageError(f"the program has no kernel that would take an argument ('{words[0]}')")
    return run_program(device, image, launch, trace, limit)


def _call(
    device: Device,
    image: Image,
    signature: Signature,
    words: list[str],
    launch: DeviceLaunch,
    trace: Callable[[str], None] | None,
    limit: int | None,
) -> Any:
    parameters = signature.parameters
    if len(words) > len(parameters):
        raise UsageError(f"'{signature.name}' takes {len(parameters)} arguments, {len(words)} given")
    room = (device.configuration().memory, "the device")
    values = [_value(parameter, word, room) for parameter, word in zip(parameters, words)]
    values += [_made_up(parameter) for parameter in parameters[len(words) :]]
    before = [value.copy() if isinstance(value, np.ndarray) else value for value in values]
    outcome = run_kernel(device, image, signature, values, launch, trace, limit)
    for parameter, value, old in zip(parameters, values, before):
        if isinstance(value, np.ndarray):
            unchanged = value.tobytes() == old.tobytes()
            sys.stdout.write(f"{visible_name(parameter.name)} = {'unchanged' if unchanged else printed(value)}\n")
    if outcome.result is not None:
        sys.stdout.write(f"result = {printed(outcome.result)}\n")
    return outcome.report


_ELEMENTS = 64
"""Of arrays that nobody gave: four gangs of the device, and a result that fits a screen."""


def _dtype(parameter: KernelParameter) -> np.dtype[Any]:
    memory = parameter.memory
    if memory is None or memory.format is None:
        return np.dtype(np.uint8)
    return dtype_of(memory.format)


def _value(parameter: KernelParameter, word: str, room: tuple[int, str]) -> Any:
    if parameter.kind == "pointer":
        if word.endswith(".npy"):
            return from_file(word, _dtype(parameter), parameter.name)
        return filled(word, _dtype(parameter), parameter.name, room)
    try:
        if parameter.kind == "float":
            return float(word)
        if parameter.kind == "bool":
            return {"true": True, "false": False, "1": True, "0": False}[word]
        return int(word, 0)
    except (ValueError, KeyError):
        raise UsageError(f"argument '{word}' is no value for parameter '{parameter.name}' of type {parameter.text}") from None


def _made_up(parameter: KernelParameter) -> Any:
    """A value for a parameter that none was given for: counts fit the arrays."""
    match parameter.kind:
        case "pointer":
            count = parameter.memory.count if parameter.memory is not None else 1
            return filled(f"random:{_ELEMENTS * count}", _dtype(parameter), parameter.name)
        case "float":
            return 0.5
        case "bool":
            return True
    return _ELEMENTS if parameter.bits > 8 else 1


def _plain(value: Any) -> Any:
    """A report as JSON has it."""
    names = getattr(type(value), "__match_args__", None)
    if names is not None:
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return {str(key): _plain(item) for key, item in value.items()} if isinstance(value, dict) else value
