"""``voltac build FILE ... -o OUTPUT``: kernels ahead of time, for several instruction sets, ready to be used."""

from __future__ import annotations

import os
import sys

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.outputs import Input, Output, write_all
from voltac.cli.parsing import parse_arguments
from voltac.cli.products import warn_of_layouts
from voltac.cli.settings import diagnostics_of, options_of_targets
from voltac.lower.functions.c_header import c_header, general_c_header
from voltac.messages.diagnostics import CompileError
from voltac.messages.visible import bytes_of
from voltac.options import Options
from voltac.packaging.extension import SUFFIX, extension, module_name
from voltac.packaging.library import BuiltSource, built, library
from voltac.packaging.package import for_package, package, stub_text
from voltac.packaging.project import project_builds
from voltac.pipeline import InputError

TARGETS = "sse2-i32x4,avx2-i32x8,avx512skx-x16"
"""Without --target: every x86-64 CPU runs one of them."""


def build_command(arguments: Namespace) -> int:
    """The exit code: 0, or 1 and the number of errors."""
    if arguments.operands or arguments.output:
        return _build(arguments)
    for build in project_builds("."):
        code = _build(parse_arguments("build", build.words()))
        if code:
            return code
    return 0


def _build(arguments: Namespace) -> int:
    diagnostics = diagnostics_of(arguments)
    try:
        _check(arguments)
        if not (arguments.target or arguments.cpu):
            arguments.target = TARGETS
        targets = options_of_targets(arguments, diagnostics)
        _check_targets(targets)
        if _is_package(arguments.output) or _is_extension(arguments.output):
            targets = [for_package(options) for options in targets]
        sources = [built(path, targets, diagnostics) for path in arguments.operands]
        for source in sources:
            warn_of_layouts(list(source.jobs), diagnostics)
        diagnostics.raise_if_errors()
        write_all(_outputs(arguments, sources), _inputs(arguments, sources))
    except CompileError:
        return 1 + diagnostics.error_count
    finally:
        sys.stderr.write(diagnostics.render())
    return 0


def _check(arguments: Namespace) -> None:
    if not arguments.operands:
        raise UsageError("build takes source files: voltac build FILE.ispc -o NAME")
    if not arguments.output:
        raise UsageError(
            f"build needs an output: a shared library (-o libNAME.so), a Python package (-o NAME) or module (-o NAME{SUFFIX})"
        )
    if arguments.header and (_is_package(arguments.output) or _is_extension(arguments.output)):
        raise UsageError("a header (-h) goes with a shared library (-o libNAME.so), not with what Python imports")
    if _is_package(arguments.output):
        _check_package(arguments.output)
    elif _is_extension(arguments.output):
        module_name(os.path.basename(arguments.output))
    elif not arguments.output.endswith(".so"):
        raise UsageError(
            f"build makes libNAME.so, extension modules NAME{SUFFIX} and packages, folders NAME, not '{arguments.output}'"
        )
    elif arguments.header and len(arguments.operands) > 1:
        raise UsageError("a header (-h) is of one source: 'voltac FILE.ispc -h FILE.h --target=...' writes that of each")


def _is_package(output: str) -> bool:
    return not os.path.splitext(output)[1]


def _is_extension(output: str) -> bool:
    return output.endswith(SUFFIX)


def _check_package(folder: str) -> None:
    """Only a package that voltac made is replaced."""
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise InputError(f"{folder} is in the way: it is no folder")
    if os.path.isdir(folder) and os.listdir(folder) and not os.path.exists(os.path.join(folder, "_kernels.json")):
        raise InputError(
            f"{folder} has files that voltac did not make: name a folder for the kernels only, as {folder}/kernels"
        )


def _check_targets(targets: list[Options]) -> None:
    for options in targets:
        if options.target.is_device or options.target.triple != "x86_64-unknown-linux-gnu":
            raise UsageError(
                f"voltac links libraries for Linux on x86-64 only, not for {options.target.name} ({options.target.triple}): "
                "write an object (voltac FILE -o FILE.o --pic) and link it with the compiler for that system"
            )


def _outputs(arguments: Namespace, sources: list[BuiltSource]) -> list[Output]:
    if _is_package(arguments.output):
        files = package(sources)
        os.makedirs(arguments.output, exist_ok=True)
        return [Output(os.path.join(arguments.output, name), content) for name, content in files.items()]
    if _is_extension(arguments.output):
        beside = os.path.join(os.path.dirname(arguments.output), f"{module_name(os.path.basename(arguments.output))}.pyi")
        content = extension(sources, os.path.basename(arguments.output))
        return [Output(arguments.output, content), Output(beside, stub_text(sources).encode())]
    outputs = [Output(arguments.output, library(sources, os.path.basename(arguments.output)))]
    if arguments.header:
        jobs = [(job.program, job.options) for job in sources[0].jobs]
        text = general_c_header(jobs, arguments.header) if len(jobs) > 1 else c_header(*jobs[0], arguments.header)
        outputs.append(Output(arguments.header, bytes_of(text)))
    return outputs


def _inputs(arguments: Namespace, sources: list[BuiltSource]) -> list[Input]:
    read = [name for source in sources for job in source.jobs for name in (*job.dependencies, *job.consulted)]
    return [*arguments.operands, *dict.fromkeys(read), *arguments.argument_files]
