"""Compiled sources → the outputs that were asked for: code, headers, preprocessed text, dependencies."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.outputs import Input, Output
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import NOWHERE
from voltac.messages.visible import bytes_of
from voltac.pipeline import Compilation, stages_of
from voltac.records import record
from voltac.target_info import TargetInfo
from voltac.targets import find_device


@record
class _Kind:
    """A kind of output, the suffixes that fit it, and how it is made."""

    name: str
    suffixes: tuple[str, ...]
    make: Callable[[Compilation], bytes]


def _linux_object(job: Compilation) -> bytes:
    from voltac.cli.linux_objects import linux_object  # late: for devices only

    return linux_object(job)


_TEXTS: dict[str, _Kind] = {
    "assembly": _Kind("assembly language", (".s", ".asm", ".S"), lambda job: bytes_of(job.product.assembly(comments=True))),
    "text": _Kind("LLVM assembly language", (".ll",), lambda job: bytes_of(job.product.text())),
    "bitcode": _Kind("LLVM bitcode", (".bc",), lambda job: job.product.bitcode()),
}
_OBJECT = "object code"
_KINDS: dict[str, _Kind] = {
    "": _Kind(_OBJECT, (".o", ".obj"), lambda job: job.optimized.object_code()),
    "object": _Kind(_OBJECT, (".o", ".obj"), lambda job: job.optimized.object_code()),
    **_TEXTS,
}
_DEVICE_KINDS: dict[str, _Kind] = {
    "": _Kind("a program for a device", (".elf", ".out"), lambda job: job.device_program.object_code(_notes(job))),
    "object": _Kind("a file that is not linked", (".o", ".obj"), lambda job: job.device_program.relocatable()),
    "toolchain": _Kind("memory as text", (".txt", ".hex"), lambda job: job.device_program.toolchain_text().encode()),
    "hardware": _Kind("memory as text", (".hex", ".txt", ".mem"), lambda job: job.device_program.memory_text().encode()),
    "linux": _Kind("an object that is linked to a program for Linux", (".o", ".obj"), _linux_object),
    **_TEXTS,
}
_HEADER_SUFFIXES = (".h", ".hh", ".hpp", ".hxx", ".inc")


def last_stage(arguments: Namespace) -> str:
    """The stage after which the outputs can be made; empty: the target's last one."""
    if arguments.preprocess_only or arguments.dump_macros:
        return "preprocess"
    return arguments.end or ""


def _kind(arguments: Namespace, target: TargetInfo) -> _Kind:
    kinds = _DEVICE_KINDS if target.is_device else _KINDS
    wanted = arguments.emit or ""
    if not wanted and target.is_device:
        # Of a device, whose programs have no other name that is usual.
        suffix = os.path.splitext(arguments.output or "")[1]
        wanted = next((name for name in ("assembly", "object") if suffix in kinds[name].suffixes), "")
    if wanted not in kinds:
        raise UsageError(f"--emit-image={wanted} is for devices, and '{target.name}' is none")
    if wanted == "linux" and find_device(target).linux_object is None:
        raise UsageError(f"--emit-image=linux is for devices that run Linux, and '{target.name}' does not")
    return kinds[wanted]


def object_of(job: Compilation) -> bytes:
    """An object file, or a program for a device."""
    return (_DEVICE_KINDS if job.options.target.is_device else _KINDS)[""].make(job)


def make_early(arguments: Namespace, job: Compilation) -> None:
    """The object of one of several targets: the module it is made of takes no memory while others are compiled."""
    if arguments.output and job.stopped is None and _kind(arguments, job.options.target).name == _OBJECT:
        job.optimized.object_code()


def _notes(job: Compilation) -> dict[str, bytes]:
    """What the file says of its kernels; nothing where the compilation began behind their source."""
    if "check" not in job.results:
        return {}
    from voltac.python.device_program import signatures_note  # late: with numpy, for devices only

    return {"kernels": signatures_note(job.program, job.options)}


def warn_of_names(arguments: Namespace, target: TargetInfo, diagnostics: Diagnostics) -> None:
    """Names of outputs that are missing or don't fit what is written."""
    wanted = (arguments.output, arguments.header, arguments.preprocess_only, arguments.dump_macros, arguments.make_rule)
    if not any((*wanted, arguments.dependency_list)):
        diagnostics.warning("output", NOWHERE, "no output name given (-o or -h), so nothing will be written")
    if arguments.output and not any((arguments.preprocess_only, arguments.dump_macros, arguments.end, arguments.stop_after)):
        kind = _kind(arguments, target)
        _warn_of_suffix(arguments.output, kind.suffixes, kind.name, diagnostics)
    if arguments.header:
        _warn_of_suffix(arguments.header, _HEADER_SUFFIXES, "a header", diagnostics)


def _warn_of_suffix(path: str, fitting: tuple[str, ...], what: str, diagnostics: Diagnostics) -> None:
    suffix = os.path.splitext(path)[1]
    if suffix and suffix not in fitting:
        diagnostics.warning(
            "output", NOWHERE, f"the suffix '{suffix}' of '{path}' does not fit the output, {what}: '{fitting[0]}' would"
        )


def outputs_of(arguments: Namespace, jobs: list[Compilation], path: str) -> list[Output]:
    """All outputs; with several jobs (one a target) also the dispatching functions and the general header."""
    outputs = _outputs_of_one(arguments, jobs[0]) if len(jobs) == 1 else _outputs_of_several(arguments, jobs)
    names = dict.fromkeys(name for job in jobs for name in job.dependencies)
    dependencies = tuple(name for name in names if path != "-" or name != jobs[0].file)
    if arguments.make_rule:
        target = arguments.make_rule_target or arguments.output or os.path.splitext(path)[0] + ".o"
        outputs.append(Output(arguments.make_rule_file or "-", os.fsencode(make_rule(target, path, dependencies))))
    if arguments.dependency_list:
        outputs.append(Output(arguments.dependency_list, os.fsencode("".join(f"{name}\n" for name in sorted(dependencies)))))
    return outputs


def inputs_of(arguments: Namespace, jobs: list[Compilation], path: str) -> list[Input]:
    """All files that were read, the source first."""
    read = dict.fromkeys(name for job in jobs for name in (*job.dependencies, *job.consulted))
    others = [*arguments.argument_files, *([arguments.sample_profile] if arguments.sample_profile else [])]
    return [path if path != "-" else sys.stdin.fileno(), *(name for name in read if name != path), *others]


def _outputs_of_one(arguments: Namespace, job: Compilation) -> list[Output]:
    outputs = []
    stages = stages_of(job.options.target)
    name = last_stage(arguments)
    last = next((stage for stage in stages if stage.name == name), stages[-1])
    if job.stopped is not None:
        outputs.append(Output(arguments.output or "-", bytes_of(job.stopped)))
    elif last.name == "preprocess":
        made = job.preprocessed
        text = {"only": made.macros_text, "too": made.text_with_definitions}.get(arguments.dump_macros, made.text)
        outputs.append(Output(arguments.output or "-", bytes_of(text)))
    elif arguments.output and last is not stages[-1]:
        outputs.append(Output(arguments.output, bytes_of(last.show(job.results[last.name]))))
    elif arguments.output:
        outputs.append(Output(arguments.output, _kind(arguments, job.options.target).make(job)))
    if arguments.header and "check" in job.results:
        from voltac.lower.functions.c_header import c_header  # late: for headers only

        header = c_header(job.program, job.options, arguments.header, arguments.pragma_once)
        outputs.append(Output(arguments.header, bytes_of(header)))
    return outputs


def _outputs_of_several(arguments: Namespace, jobs: list[Compilation]) -> list[Output]:
    # late: for several targets only
    from voltac.lower.functions.c_header import c_header, general_c_header
    from voltac.packaging.dispatching import dispatching

    outputs = []
    if arguments.output:
        make = _kind(arguments, jobs[0].options.target).make
        outputs = [Output(_with_isa(arguments.output, job), make(job)) for job in jobs]
        chosen = dispatching(jobs, arguments.output)
        outputs.append(Output(arguments.output, make(chosen)))
    if arguments.header:
        for job in jobs:
            name = _with_isa(arguments.header, job)
            outputs.append(Output(name, bytes_of(c_header(job.program, job.options, name, arguments.pragma_once))))
        general = general_c_header([(job.program, job.options) for job in jobs], arguments.header, arguments.pragma_once)
        outputs.append(Output(arguments.header, bytes_of(general)))
    return outputs


def _with_isa(path: str, job: Compilation) -> str:
    stem, suffix = os.path.splitext(path)
    return stem + job.options.symbol_suffix + suffix


def warn_of_layouts(jobs: list[Compilation], diagnostics: Diagnostics) -> None:
    """The objects of all targets share the globals, so these must lie in memory in the same way."""
    from voltac.sema.type_layout import Layout  # late: for several targets only

    first, *others = jobs
    sizes = {symbol.name: Layout(first.options.target).size(symbol.type) for symbol in first.program.globals}
    for job in others:
        for symbol in job.program.globals:
            if symbol.kind != "static" and sizes.get(symbol.name) != Layout(job.options.target).size(symbol.type):
                one, two = first.options.target.name, job.options.target.name
                diagnostics.warning(
                    "global-layout", symbol.span, f"global '{symbol.name}' has another layout for '{two}' than for '{one}'"
                )


def make_rule(target: str, source: str, dependencies: tuple[str, ...]) -> str:
    """``target: source`` and the other files, one a line, as make reads it; standard input is no file."""
    others = [name if os.path.isabs(name) or name.startswith(".") else f"./{name}" for name in dependencies if name != source]
    first = "" if source == "-" else f" {_escaped(source)}"
    return " \\\n ".join([f"{_escaped(target)}:{first}", *map(_escaped, others)]) + "\n"


def _escaped(name: str) -> str:
    """A file name as make reads it: backslashes count double in front of what needs one."""
    return re.sub(r"(\\*)([ \t#:])", lambda match: f"{match[1]}{match[1]}\\{match[2]}", name).replace("$", "$$")
