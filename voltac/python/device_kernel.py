"""A kernel of a program for a device: called like any other, it runs on the device's simulator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from voltac.codegen.image import Image
from voltac.codegen.simulator import Trap
from voltac.python.arguments import Arguments
from voltac.python.building import Build
from voltac.python.device_failures import failure_of
from voltac.python.device_run import DeviceLaunch, changed, run_kernel
from voltac.python.kernel import Kernel
from voltac.python.signatures import Signature
from voltac.python.source import Source
from voltac.records import mutable_record
from voltac.targets import find_device


@mutable_record(eq=False)
class _Program:
    """What the kernels of a module share."""

    image: Image


class DeviceKernel(Kernel):
    """An exported function of a program for a device."""

    __slots__ = ("_last_run", "_launch", "_program")

    _last_run: Any
    _launch: DeviceLaunch
    _program: _Program

    def __call__(self, /, *given: Any, **by_name: Any) -> Any:
        """A run on a machine of its own, set up as :meth:`configure` said last; arrays are copied there and back."""
        values, copy = self._arguments.bound(given, by_name)
        device = find_device(self._source.options.target)
        try:
            outcome = run_kernel(device, self._program.image, self._signature, values, self._launch, copy=copy)
        except Trap as trap:
            failure = failure_of(trap, self._program.image)
            if failure is None:
                raise
            raise failure from trap
        self._last_run, self._program.image = outcome.report, outcome.image
        return outcome.result

    @property
    def launch(self) -> DeviceLaunch:
        """The cores, threads and machine of the calls to come."""
        return self._launch

    @property
    def last_run(self) -> Any:
        """What the last call took: instructions, cycles, stalls of each thread, cache misses, share of lanes that were on.

        None before the first call.
        """
        return self._last_run

    @property
    def scratchpad_bytes(self) -> int:
        """What the program's ``__scratchpad`` variables take of each core's scratchpad."""
        symbols = self._program.image.symbols
        return symbols["__scratchpad_end"] - symbols["__scratchpad_start"]

    def configure(self, **changes: Any) -> DeviceKernel:
        """Change the launch of the calls to come: ``cores``, ``threads``, the machine's settings. Gives the kernel."""
        self._launch = changed(self._launch, changes, self._source.options.target)
        return self

    def __copy__(self) -> DeviceKernel:
        """The same kernel with a launch of its own."""
        copied = DeviceKernel()
        for name in (*Kernel.__slots__, *DeviceKernel.__slots__):
            if name != "__weakref__":
                setattr(copied, name, getattr(self, name))
        return copied

    def __deepcopy__(self, memo: object) -> DeviceKernel:
        return self.__copy__()

    def __reduce__(self) -> tuple[Any, ...]:
        again, arguments = super().__reduce__()
        return again, (*arguments, self._launch.fields())


def device_kernels(
    source: Source, signatures: Iterable[Signature], image: Image, launch: DeviceLaunch, build: Build
) -> list[Kernel]:
    """The kernels of a program; its global variables keep their values from call to call."""
    program = _Program(image)
    made: list[Kernel] = []
    for signature in signatures:
        kernel = DeviceKernel()
        kernel._signature, kernel._source, kernel._arguments = signature, source, Arguments(signature)
        kernel._build, kernel._code = build, None
        kernel._program, kernel._launch, kernel._last_run = program, launch, None
        made.append(kernel)
    return made
