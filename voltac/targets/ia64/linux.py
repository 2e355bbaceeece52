"""Programs for Linux: a start-up of ours calls each kernel on arrays in ``.data`` and writes what it stored (IA-64 16).

What comes out is an object that GNU ``ld -static`` links as it is. Numbers are 16, and arrays have 16 * 16 * 16 elements, which
are their places modulo 16: so products of up to three numbers are places of an array. Of each kernel, in order, the arrays that
it may write to go to standard output, then its result; the program exits with status 0.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from voltac.codegen.elf import write_elf
from voltac.ir.model import Function
from voltac.ir.read import read
from voltac.ir.write import write
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import NOWHERE
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.targets.device import START, SampleKernel
from voltac.targets.ia64.assembly.program import assemble_program
from voltac.targets.ia64.isa import DEVICE_CODES
from voltac.targets.ia64.select import run as select

NUMBER = 16
ELEMENTS = NUMBER**3
"""What parameters are. Chosen: small enough for numbers of 8 bits."""

_STARTUP = """\
	.section .text._start,"ax"
	.align 32
	.global _start
	.proc _start
_start:
{ .mlx
	alloc r2=ar.pfs,0,0,8,0
	movl r3=0x9804C0270033F ;; }
{ .mlx
	mov.m ar.fpsr=r3
	movl r1=__gp ;; }
{ .mib
	nop.m 0
	nop.i 0
	br.call.sptk.many b0=linux_main ;; }
	.endp _start
	.section .text.linux_exit,"ax"
	.align 32
	.proc linux_exit
linux_exit:
{ .mii
	alloc r14=ar.pfs,0,1,1,0
	addl r15=1025,r0
	adds r33=0,r32 ;; }
{ .mib
	break.m 0x100000
	nop.i 0
	br.ret.sptk.many b0 ;; }
	.endp linux_exit
	.section .text.linux_write,"ax"
	.align 32
	.proc linux_write
linux_write:
{ .mii
	alloc r14=ar.pfs,0,2,3,0
	adds r34=1,r0
	adds r35=0,r32 }
{ .mii
	adds r36=0,r33
	addl r15=1027,r0
	nop.i 0 ;; }
{ .mii
	break.m 0x100000
	nop.i 0
	nop.i 0 ;; }
{ .mib
	cmp.eq p7,p6=0,r10
	nop.i 0
	nop.b 0 ;; }
{ .mib
(p6)	adds r8=0,r0
	nop.i 0
	br.ret.sptk.many b0 ;; }
	.endp linux_write
"""
"""The processor's state as code expects it; the system calls exit and write. The latter gives the bytes written, or 0."""
_WRITE_ALL = """\
define internal void @linux_write_all(ptr %from, i64 %size) {
entry:
  br label %again
again:
  %at = phi i64 [ 0, %entry ], [ %next, %more ]
  %left = sub i64 %size, %at
  %place = getelementptr i8, ptr %from, i64 %at
  %done = call i64 @linux_write(ptr %place, i64 %left)
  %failed = icmp eq i64 %done, 0
  br i1 %failed, label %stop, label %more
stop:
  call void @linux_exit(i64 1)
  unreachable
more:
  %next = add i64 %at, %done
  %whole = icmp uge i64 %next, %size
  br i1 %whole, label %end, label %again
end:
  ret void
}
"""
_FORMATS = {
    "?": "i8",
    "f2": "i16",
    "f4": "float",
    "f8": "double",
    **{f"{letter}{size}": f"i{8 * size}" for letter in "iu" for size in (1, 2, 4, 8)},
}
"""Format of an array's elements -> type."""


def linux_object(
    legal: str, kernels: Mapping[str, SampleKernel], file: str, options: Options, diagnostics: Diagnostics
) -> bytes:
    """The ELF file, of legal IR; CompileError for kernels with parameters that have no sample."""
    module = read(legal)
    module.items = [
        item for item in module.items if not (isinstance(item, Function) and item.name.strip('"').startswith(START))
    ]
    functions = {function.name.strip('"'): function for function in module.functions}
    lines, globals_ = ["define void @linux_main() {", "entry:"], []
    for name, kernel in kernels.items():
        function = functions[name]
        written, arguments = [], []
        for number, (parameter, sample) in enumerate(zip(function.parameters, kernel.parameters)):
            if not sample.is_array:
                arguments.append(f"{parameter.type} {_number(parameter.type, sample.format)}")
                continue
            if sample.format not in _FORMATS:
                diagnostics.fatal(
                    "device", NOWHERE, f"{file}: --emit-image=linux: parameter {number + 1} of '{name}' is no array of numbers"
                )
            place = f"@linux.{name}.{number}"
            globals_.append(f"{place} = internal global {_array(sample.format)}, align 64")
            arguments.append(f"ptr {place}")
            if sample.is_written:
                written.append((place, ELEMENTS * int(sample.format.replace("?", "?1")[1:])))
        call = f"call {function.return_type} @{function.name}({', '.join(arguments)})"
        if function.return_type == "void":
            lines.append(f"  {call}")
        else:
            place, result, type = f"@linux.{name}.result", f"%{name}.result", function.return_type
            lines.append(f"  {result} = {call}")
            if type == "i1":
                lines.append(f"  {result}.word = zext i1 {result} to i64")
                result, type = f"{result}.word", "i64"
            globals_.append(f"{place} = internal global {type} zeroinitializer, align 8")
            lines.append(f"  store {type} {result}, ptr {place}, align {4 if type == 'float' else 8}")
            written.append((place, kernel.result_bytes))
        lines += [f"  call void @linux_write_all(ptr {place}, i64 {size})" for place, size in written]
    lines += ["  call void @linux_exit(i64 0)", "  unreachable", "}"]
    module.items += [globals_, *read("\n".join(lines) + "\n").functions, *read(_WRITE_ALL).functions]
    module.declare(["declare void @linux_exit(i64) nounwind", "declare i64 @linux_write(ptr, i64) nounwind"])
    text = select(write(module), options, PassRuns())
    return write_elf(assemble_program(text + _STARTUP, file, diagnostics), DEVICE_CODES[options.target.name])


def _number(type: str, format: str) -> str:
    """16 as a parameter's legal type."""
    if type in ("float", "double"):
        return f"{float(NUMBER)!r}"
    half = int.from_bytes(struct.pack("<e", NUMBER), "little")
    return "true" if type == "i1" else str(half if format == "f2" else 1 if format == "?" else NUMBER)


def _array(format: str) -> str:
    type = _FORMATS[format]
    numbers = [place % NUMBER for place in range(ELEMENTS)]
    if format == "f2":
        texts = [str(int.from_bytes(struct.pack("<e", number), "little")) for number in numbers]
    elif format == "?":
        texts = [str(number % 2) for number in numbers]
    else:
        texts = [f"{float(number)!r}" if format[0] == "f" else str(number) for number in numbers]
    return f"[{ELEMENTS} x {type}] [{', '.join(f'{type} {text}' for text in texts)}]"
