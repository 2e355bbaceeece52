"""``voltac build FILE ... -o OUTPUT``: kernels ahead of time, for several instruction sets, ready to be used."""

from __future__ import annotations

import os
import sys
from argparse import Namespace

from voltac.cli.option_table import UsageError
from voltac.cli.outputs import Input, Output, write_all
from voltac.cli.products import warn_of_layouts
from voltac.cli.settings import diagnostics_of, options_of_targets
from voltac.lower.functions.c_header import c_header, general_c_header
from voltac.messages.diagnostics import CompileError
from voltac.messages.visible import bytes_of
from voltac.options import Options
from voltac.packaging.library import BuiltSource, built, library

TARGETS = "sse2-i32x4,avx2-i32x8,avx512skx-x16"
"""Without --target: every x86-64 CPU runs one of them."""


def build_command(arguments: Namespace) -> int:
    """The exit code: 0, or 1 and the number of errors."""
    diagnostics = diagnostics_of(arguments)
    try:
        _check(arguments)
        if not (arguments.target or arguments.cpu):
            arguments.target = TARGETS
        targets = options_of_targets(arguments, diagnostics)
        _check_targets(targets)
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
        raise UsageError("build takes source files: voltac build FILE.ispc -o libNAME.so")
    if arguments.output is None or not arguments.output.endswith(".so"):
        raise UsageError("build needs the name of a shared library: -o libNAME.so")
    if arguments.header and len(arguments.operands) > 1:
        raise UsageError("a header (-h) is of one source: 'voltac FILE.ispc -h FILE.h --target=...' writes that of each")


def _check_targets(targets: list[Options]) -> None:
    for options in targets:
        if options.target.is_device or options.target.triple != "x86_64-unknown-linux-gnu":
            raise UsageError(
                f"voltac links libraries for Linux on x86-64 only, not for {options.target.name} ({options.target.triple}): "
                "write an object (voltac FILE -o FILE.o --pic) and link it with the compiler for that system"
            )


def _outputs(arguments: Namespace, sources: list[BuiltSource]) -> list[Output]:
    outputs = [Output(arguments.output, library(sources, os.path.basename(arguments.output)))]
    if arguments.header:
        jobs = [(job.program, job.options) for job in sources[0].jobs]
        text = general_c_header(jobs, arguments.header) if len(jobs) > 1 else c_header(*jobs[0], arguments.header)
        outputs.append(Output(arguments.header, bytes_of(text)))
    return outputs


def _inputs(arguments: Namespace, sources: list[BuiltSource]) -> list[Input]:
    read = [name for source in sources for job in source.jobs for name in (*job.dependencies, *job.consulted)]
    return [*arguments.operands, *dict.fromkeys(read), *arguments.argument_files]
