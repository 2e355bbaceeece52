"""Objects that are programs for Linux when they are linked: what their kernels' parameters are (``--emit-image=linux``)."""

from __future__ import annotations

from voltac.pipeline import Compilation, InputError
from voltac.python.describe import signature
from voltac.python.signatures import KernelParameter
from voltac.sema.type_layout import Layout
from voltac.targets import find_device
from voltac.targets.device import SampleKernel, SampleParameter

_LETTERS = {"int": "i", "uint": "u", "float": "f"}


def linux_object(job: Compilation) -> bytes:
    """The file; InputError where the compilation began behind the source, CompileError for parameters without a sample."""
    missing = [stage for stage in ("check", "legalize") if stage not in job.results]
    if missing:
        raise InputError(f"{job.file} is compiled from a later stage than '{missing[0]}': its parameters are not known")
    device, layout = find_device(job.options.target), Layout(job.options.target)
    kernels = {}
    for function in job.program.exports:
        found = signature(function, layout)
        result_bytes = -(-found.result.bits // 8)
        kernels[found.name] = SampleKernel(tuple(map(_sample, found.parameters)), result_bytes)
    assert device.linux_object is not None
    return device.linux_object(job.results["legalize"], kernels, job.file, job.options, job.diagnostics)


def _sample(parameter: KernelParameter) -> SampleParameter:
    memory = parameter.memory
    if memory is not None:
        return SampleParameter(memory.format if isinstance(memory.format, str) else "", True, memory.writable)
    letter = _LETTERS.get(parameter.kind)
    return SampleParameter("?" if letter is None else f"{letter}{parameter.bits // 8}", False, False)
