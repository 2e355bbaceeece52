"""A kernel's arguments → a device's memory → a run on its simulator → the arrays and the result as the host sees them.

A device reads its arguments from a block in main memory: the number of gangs, then
a word for each parameter (two for 64 bits), then room for the result. Arrays are
copied to addresses aligned to 64 bytes, padded to as many; those that overlap stay
together. What comes back is what lies in main memory: lines that a kernel has
written and not flushed are in the device's cache, and the host does not see them.
"""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from voltac.codegen.image import Image, ImageSegment
from voltac.codegen.simulator import Trap
from voltac.messages.suggestions import suggestion
from voltac.messages.visible import visible_name, visible_value
from voltac.python.array_rules import check_lengths, check_overlaps, fill_in
from voltac.python.given_argument import OMITTED, Array, GivenArgument
from voltac.python.numpy_formats import dtype_of
from voltac.python.signatures import KernelParameter, Signature
from voltac.records import mutable_record, record, replace
from voltac.target_info import TargetInfo
from voltac.target_info.device_facts import MachineSetting, ThreadFacts
from voltac.targets.device import Device, kernels

_LINE = 64
"""Bytes of a line of the device's caches: what is written is flushed by lines, so no two arrays share one."""


@record
class DeviceLaunch:
    """How many cores and threads run a kernel, and on what machine: its settings are attributes, too."""

    cores: int = 1
    threads: int = 1
    """Of each core."""
    settings: tuple[tuple[str, int | str | bool], ...] = ()
    """By name; see :class:`voltac.target_info.device_facts.MachineSetting`."""

    @property
    def gangs(self) -> int:
        """How many threads enter a kernel: those of all cores."""
        return self.cores * self.threads

    def fields(self) -> dict[str, Any]:
        """Everything that :func:`changed` changes, by name."""
        return {"cores": self.cores, "threads": self.threads, **dict(self.settings)}

    def __getattr__(self, name: str) -> Any:
        for setting, value in self.settings if name != "settings" else ():
            if setting == name:
                return value
        raise AttributeError(f"a launch has no {name!r}")


def first_launch(target: TargetInfo) -> DeviceLaunch:
    """One core of a device with all its threads, and its usual settings."""
    facts = target.device
    if facts is None:
        return DeviceLaunch()
    threads = facts.threads.most if facts.threads is not None else 1
    return DeviceLaunch(1, threads, tuple((setting.name, setting.usual) for setting in facts.settings))


def changed(launch: DeviceLaunch, given: Mapping[str, Any], target: TargetInfo) -> DeviceLaunch:
    """The launch with some fields changed; TypeError and ValueError say what the device has."""
    facts = target.device
    threads = facts.threads if facts is not None else None
    known = {
        "cores": MachineSetting("cores", 1, range(1, 1 + (threads.cores if threads is not None else 1))),
        "threads": MachineSetting("threads", 1, _numbers_of_threads(threads)),
        **{setting.name: setting for setting in (facts.settings if facts is not None else ())},
    }
    fields = launch.fields()
    for name, value in given.items():
        if name not in known:
            close = suggestion(name, known) or f"; it has {', '.join(known)}"
            raise TypeError(f"a launch has no '{visible_name(name)}'{close}")
        fields[name] = _checked(known[name], value)
    return DeviceLaunch(fields.pop("cores"), fields.pop("threads"), tuple(fields.items()))


def _numbers_of_threads(facts: ThreadFacts | None) -> range:
    return range(1, 2) if facts is None else range(facts.least, facts.most + 1)


def _checked(setting: MachineSetting, value: Any) -> int | str | bool:
    name, values = setting.name, setting.values
    if isinstance(values, range):
        return _whole_number(name, value, values)
    if values:
        if not isinstance(value, str) or value not in values:
            wrong = ValueError if isinstance(value, str) else TypeError
            raise wrong(f"{name} must be one of {', '.join(values)}, not {visible_value(value)}")
    elif not isinstance(value, bool):
        raise TypeError(f"{name} must be True or False, not {visible_value(value)}")
    return bool(value) if not values else str(value)


def _whole_number(name: str, value: Any, there: range) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {visible_value(value)}") from None
    if isinstance(value, bool):
        raise TypeError(f"{name} must be an integer, not {value}")
    if number not in there:
        raise ValueError(f"{name} must be {there.start} to {there.stop - 1}, not {visible_value(number)}")
    return number


@record
class Outcome:
    """What a run leaves, for the caller and for the next run."""

    result: Any
    report: Any
    """The simulator's report."""
    image: Image
    """With the global variables as the run left them."""


@record(eq=False)
class _Passed:
    """An array that a kernel was given."""

    position: int
    """Of its parameter."""
    name: str
    array: Array
    writable: bool
    """Whether the kernel may write to it."""


@mutable_record(eq=False)
class _Block:
    """Host memory that goes to the device in one piece."""

    start: int
    end: int
    arrays: list[_Passed]
    address: int = 0

    @property
    def device_end(self) -> int:
        """The address behind it, on the device."""
        return self.address + self.end - self.start

    @property
    def named(self) -> str:
        names = [f"'{passed.name}'" for passed in sorted(self.arrays, key=lambda passed: passed.position)]
        return f"array {names[0]}" if len(names) == 1 else f"arrays {', '.join(names)} (which share memory)"

    @property
    def described(self) -> str:
        return f"{self.named} of {self.end - self.start} bytes {'does' if len(self.arrays) == 1 else 'do'}"


def run_kernel(
    device: Device,
    image: Image,
    signature: Signature,
    values: list[Any],
    launch: DeviceLaunch,
    trace: Callable[[str], None] | None = None,
    limit: int | None = None,
    copy: bool = False,
) -> Outcome:
    """Call a kernel; ``values`` are in the order of its parameters. Arrays are changed in place, or copies of them made
    where ``copy`` allows it. ``limit`` is in cycles."""
    arguments = [
        GivenArgument(signature.name, position, parameter, value, copy)
        for position, (parameter, value) in enumerate(zip(signature.parameters, values, strict=True))
    ]
    # Numbers first: what converting them runs may change arrays.
    numbers = [_word(argument) if _is_number(argument) and argument.value is not OMITTED else None for argument in arguments]
    for argument in arguments:
        if argument.parameter.memory is not None:
            argument.hold(argument.parameter.memory)
    for argument in arguments:
        _locate(argument)
    for argument in fill_in(arguments, signature):
        numbers[argument.number - 1] = _word(argument)
    check_lengths(arguments, signature)
    check_overlaps(arguments, signature)
    arrays = [_passed(argument) for argument in arguments]
    blocks = _blocks(arrays)
    simulator = _loaded(device, image, launch)
    for block in blocks:
        block.address = _allocate(simulator, block.end - block.start, f"{signature.name}(): {block.described}")
        for passed in block.arrays:
            simulator.write(block.address + _start(passed.array) - block.start, passed.array.tobytes())
    words = [launch.gangs.to_bytes(4, "little")]
    struct_place = 0
    if signature.result.kind == "struct":
        # A struct is stored where the first parameter says, which the source does not have.
        struct_place = _allocate(simulator, signature.result.bytes, f"{signature.name}(): the result does")
        words.append(struct_place.to_bytes(4, "little"))
    for number, entry in zip(numbers, arrays):
        # A null pointer is neither.
        words.append(number or (bytes(4) if entry is None else _address(entry, blocks).to_bytes(4, "little")))
    content = b"".join(words)
    size = 4 * _result_words(signature)
    room = device.room_bytes
    place = room + _allocate(simulator, room + len(content) + size, f"{signature.name}(): the block of arguments does")
    simulator.write(place, content)
    entry_point = kernels(image.symbols)[signature.name]
    words_in_block = (len(content) + size) // 4
    with _located(image, blocks):
        report = simulator.run(entry=entry_point, argc=words_in_block, argv=place, trace=trace, limit=limit)
    for block in blocks:
        for passed in block.arrays:
            array = passed.array
            if passed.writable and array.size:
                flat = array.reshape(-1).view(np.uint8)
                flat[:] = np.frombuffer(simulator.read(block.address + _start(array) - block.start, array.nbytes), np.uint8)
    for argument in arguments:
        argument.write_back()
    if struct_place:
        result = _result(signature, simulator.read(struct_place, signature.result.bytes))
    else:
        result = _result(signature, simulator.read(place + len(content), size) if size else b"")
    return Outcome(result, report, _remembered(simulator, image))


def run_program(
    device: Device, image: Image, launch: DeviceLaunch, trace: Callable[[str], None] | None = None, limit: int | None = None
) -> Any:
    """Run a program without kernels from its beginning, without arguments; the simulator's report."""
    simulator = _loaded(device, image, launch)
    with _located(image):
        return simulator.run(entry=image.entry, argc=0, argv=0, trace=trace, limit=limit)


@contextmanager
def _located(image: Image, blocks: Sequence[_Block] = ()) -> Iterator[None]:
    """A trap says behind which label it happened, and behind the end of which array."""
    try:
        yield
    except Trap as trap:
        before = [(address, name) for name, address in image.symbols.items() if address <= trap.pc]
        if before:
            address, name = max(before)
            trap.add_note(f"it is {trap.pc - address} bytes behind label '{name}'")
        beyond = [block for block in blocks if trap.address is not None and block.device_end <= trap.address]
        if beyond and trap.address is not None:
            block = max(beyond, key=lambda block: block.address)
            trap.add_note(f"the access is {trap.address - block.device_end} bytes behind the end of {block.named}")
        raise


def _loaded(device: Device, image: Image, launch: DeviceLaunch) -> Any:
    simulator = device.simulator(device.configuration(**launch.fields()))
    if image.end > simulator.memory.size:
        needed = f"the program and its variables reach up to {image.end} bytes"
        raise MemoryError(f"{needed}; the device has {simulator.memory.size}: make its global variables smaller")
    simulator.load(image)
    return simulator


def _allocate(simulator: Any, size: int, what: str) -> int:
    """Room in main memory, whole lines."""
    wanted = max(_LINE, -(-size // _LINE) * _LINE)
    if wanted > simulator.free:
        of_all = f"{simulator.free} of its {simulator.configuration.memory} are left"
        raise MemoryError(f"{what} not fit the device's memory: {of_all}; pass less at a time")
    address: int = simulator.allocate(wanted)
    return address


def _remembered(simulator: Any, image: Image) -> Image:
    """The image with global variables as main memory has them now."""
    segments = []
    for segment in image.segments:
        if not segment.executable:
            segment = ImageSegment(segment.address, simulator.read(segment.address, segment.size), segment.size)
        segments.append(segment)
    return replace(image, segments=tuple(segments))


# --- arrays -------------------------------------------------------------------------------------------------------------


def _is_number(argument: GivenArgument) -> bool:
    return argument.parameter.kind not in ("pointer", "function")


def _locate(argument: GivenArgument) -> None:
    parameter = argument.parameter
    if parameter.kind == "function":
        argument.refuse(TypeError, "absent", "a device cannot call functions of the host")
    if parameter.memory is None:
        return
    # What the device gets is aligned, whatever the array is.
    argument.locate(replace(parameter.memory, alignment=1))
    if argument.start and argument.located is None:
        remedy = "a device has a memory of its own, to which arrays are copied"
        argument.refuse(TypeError, "an array", remedy, f"address {argument.start:#x}")


def _passed(argument: GivenArgument) -> _Passed | None:
    """The array of a pointer parameter; None for numbers and null pointers."""
    memory = argument.parameter.memory
    if memory is None or argument.located is None:
        return None
    return _Passed(argument.number - 1, argument.parameter.name, argument.located, memory.writable)


def _start(array: Array) -> int:
    start: int = array.__array_interface__["data"][0]
    return start


def _blocks(arrays: list[_Passed | None]) -> list[_Block]:
    """Arrays that share memory share a block. In the order of the parameters: where the host has them makes no difference."""
    blocks: list[_Block] = []
    for passed in sorted((entry for entry in arrays if entry is not None), key=lambda entry: _start(entry.array)):
        start, end = _start(passed.array), _start(passed.array) + passed.array.nbytes
        if blocks and start < blocks[-1].end:
            blocks[-1].end = max(end, blocks[-1].end)
            blocks[-1].arrays.append(passed)
        else:
            blocks.append(_Block(start, end, [passed]))
    return sorted(blocks, key=lambda block: min(passed.position for passed in block.arrays))


def _address(entry: _Passed, blocks: list[_Block]) -> int:
    """Where the device has an array."""
    for block in blocks:
        if any(other is entry for other in block.arrays):
            return block.address + _start(entry.array) - block.start
    raise AssertionError("every array has a block")


# --- numbers ------------------------------------------------------------------------------------------------------------


def _word(argument: GivenArgument) -> bytes:
    """A number as the kernel reads it: numbers of less than 32 bits fill a word by their sign."""
    parameter: KernelParameter = argument.parameter
    match parameter.kind:
        case "bool":
            return argument.boolean().to_bytes(4, "little")
        case "float":
            return argument.float_bytes().ljust(4, b"\0")
    size = max(4, parameter.bits // 8)
    return (argument.integer() & (1 << 8 * size) - 1).to_bytes(size, "little")


def _result_words(signature: Signature) -> int:
    result = signature.result
    return 0 if result.kind in ("void", "struct") else max(1, result.bits // 32)


def _result(signature: Signature, content: bytes) -> Any:
    result = signature.result
    match result.kind:
        case "void":
            return None
        case "struct":
            return np.frombuffer(content, signature_dtype(signature), 1)[0].copy()
        case "float":
            return struct.unpack_from({16: "<e", 32: "<f", 64: "<d"}[result.bits], content)[0]
        case "bool":
            return bool(content[0] & 1)
    value = int.from_bytes(content, "little") & (1 << result.bits) - 1
    return value - (1 << result.bits) if result.kind == "int" and value >> result.bits - 1 else value


def signature_dtype(signature: Signature) -> np.dtype[Any]:
    """The dtype of a result that is a struct."""

    assert signature.result.format is not None
    return dtype_of(signature.result.format)
