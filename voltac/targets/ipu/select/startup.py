"""The entry of each kernel: a vertex ``__runCodelet_NAME`` that all workers enter (IPU 4.1), and the stacks of the workers.

The vertex state is a word for each field: the number of workers, the parameters, the result. A worker makes itself a stack,
loads the parameters and calls the kernel; of a kernel for one worker the others end at once.
"""

from __future__ import annotations

from voltac.codegen.kernels import attribute
from voltac.codegen.machine_code import MachineFunction, Register
from voltac.codegen.selection import label_of
from voltac.codegen.stacks import depth_is_unknown
from voltac.ir import marks
from voltac.ir.model import Function, Module
from voltac.lower.control_flow.failure_exits import DEVICE_FAIL
from voltac.targets.device import START
from voltac.targets.ipu.facts import ENTRY, ROOM_BYTES, STACK_SIZE, WORKERS
from voltac.targets.ipu.legalize.barriers import BARRIER
from voltac.targets.ipu.registers import WORKER_MASK
from voltac.targets.ipu.select.conventions import CONVENTION
from voltac.targets.ipu.select.frame import ALIGNMENT, adjust

_RECURSION_BYTES = 12288
"""Beside once what every function needs, for programs whose depth is known at run time only. Chosen: six of them leave half of
region 0 of Mk1."""
_BARRIER = f"""\
	.section .text.ipu.barrier,"ax"
	.align 8
	.type ipu.barrier, @function
ipu.barrier:
	get $m0, $WSR
	and $m0, $m0, {WORKER_MASK}
	add $m1, $mvertex_base, -{ROOM_BYTES}
	ld32 $m2, $m1, $mzero, $m0
	add $m2, $m2, 1
	stm32 $m2, $m1, $m0
	setzi $m3, {WORKERS - 1}
ipu.barrier.wait:
	ld32 $m0, $m1, $mzero, $m3
	sub $m0, $m0, $m2
	brneg $m0, ipu.barrier.wait
	brnzdec $m3, ipu.barrier.wait
	br $lr
	.size ipu.barrier, . - ipu.barrier
"""
"""A worker counts the barriers it has come to, and waits until all others have counted as many."""


_FAILURE = f"""\
	.section .text.{DEVICE_FAIL},"ax"
	.align 4
	.type {DEVICE_FAIL}, @function
{DEVICE_FAIL}:
	trap 1
	.size {DEVICE_FAIL}, . - {DEVICE_FAIL}
"""
"""Checked programs end there, with the text, the kind and the lanes of what failed in ``$m0`` to ``$m2``."""


def support(module: Module) -> str:
    """The code of barriers and failures, where there are any."""
    called = {one.parts.callee for each in module.functions for one in each.instructions() if one.op == "call"}
    return _BARRIER * (BARRIER in called) + _FAILURE * (f"@{DEVICE_FAIL}" in called)


def entry(module: Module, kernel: Function, stack: int) -> str:
    """The code of a kernel's vertex. ``stack``: bytes that the kernel needs."""
    name = label_of(kernel.name)
    vertex = f"{ENTRY}{name}"
    places = CONVENTION.argument_places(kernel)
    frame = _bytes_of_arguments(kernel)
    # What scratch memory is a multiple of is not known.
    lines = [f"andc $sp, $mworker_base, {ALIGNMENT - 1}"]
    if attribute(module, kernel, marks.THREADS) != "all":
        lines += ["get $m0, $WSR", f"and $m0, $m0, {WORKER_MASK}", f"brnz $m0, {vertex}.end"]
    lines += [str(instruction) for instruction in adjust(-frame)]
    # The stack first: it takes a register.
    order = sorted(enumerate(places.places, 1), key=lambda item: isinstance(item[1], Register))
    for field, place in order:
        if isinstance(place, Register):
            lines.append(f"ld32 {place}, $mvertex_base, $mzero, {field}")
        else:
            lines += [f"ld32 $m0, $mvertex_base, $mzero, {field}", f"st32 $m0, $sp, $mzero, {place // 4}"]
    lines.append(f"call $lr, {name}")
    first = len(places.places) + 1
    for number, place in enumerate(CONVENTION.result_places(kernel).places, first):
        if isinstance(place, Register):
            lines.append(f"st32 {place}, $mvertex_base, $mzero, {number}")
    body = "".join(f"\t{line}\n" for line in lines)
    return (
        f'\t.section .text.{vertex},"ax"\n\t.align 8\n\t.worker\n\t.globl {vertex}\n\t.type {vertex}, @function\n'
        f"\tDEF_STACK_USAGE {stack + frame + ALIGNMENT} {vertex}\n"
        f"\t.globl {START}.{name}\n{START}.{name}:\n{vertex}:\n{body}{vertex}.end:\n\texitz $mzero\n"
        f"\t.size {vertex}, . - {vertex}\n"
    )


def _bytes_of_arguments(kernel: Function) -> int:
    """On the stack."""
    return -(-CONVENTION.argument_places(kernel).stack // ALIGNMENT) * ALIGNMENT


def stack_size(functions: list[MachineFunction], needed: dict[str, int], kernels: list[Function]) -> str:
    """The bytes of a stack, for who lays out the memory; ``needed``: what each function needs with those it calls by name."""
    size = ALIGNMENT + max(needed.values(), default=0) + max(map(_bytes_of_arguments, kernels), default=0)
    if depth_is_unknown(functions):
        size += sum(function.frame for function in functions) + _RECURSION_BYTES
    return f"\t.globl {STACK_SIZE}\n\t.set {STACK_SIZE}, {size}\n"
