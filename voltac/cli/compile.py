"""``voltac FILE -o FILE.o -h FILE.h``: one source compiled, for one target or several, to the outputs asked for."""

from __future__ import annotations

import os
import sys

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.outputs import write_all
from voltac.cli.products import inputs_of, last_stage, make_early, outputs_of, warn_of_layouts, warn_of_names
from voltac.cli.progress import progress
from voltac.cli.settings import diagnostics_of, options_of_targets, watch_of
from voltac.driver import compile_source, decode_source, read_source
from voltac.llvm import light_import
from voltac.llvm.target_machine import write_intel_assembly
from voltac.messages.diagnostics import CompileError
from voltac.messages.message import NOWHERE
from voltac.pipeline import STAGE_NAMES, Compilation, InputError, stages_of
from voltac.system.shipped_files import shipped_folder
from voltac.target_info import TargetInfo


def compile_command(arguments: Namespace) -> int:
    """The exit code: 0, or 1 and the number of errors."""
    diagnostics = diagnostics_of(arguments)
    light_import.choose()
    try:
        path = _input([*arguments.operands, *([_task_pool()] if arguments.task_pool else [])])
        targets = options_of_targets(arguments, diagnostics)
        if arguments.task_pool and targets[0].target.system in ("macos", "windows"):
            raise UsageError(
                f"the task pool asks Linux for threads; write the three functions for {targets[0].target.system} yourself"
            )
        begin, end = arguments.begin or STAGE_NAMES[0], last_stage(arguments)
        for options in targets:
            _require_stages(options.target, begin, end)
        if len(targets) > 1:
            _require_names(arguments)
        if arguments.budget:
            from voltac.cli.budget import checked_budget, require_whole_compilation  # late: for this option only

            require_whole_compilation(arguments, targets)
        if arguments.assembly_syntax == "intel":
            write_intel_assembly()
        if not arguments.preprocess:
            diagnostics.warning("output", NOWHERE, "--nocpp is deprecated: a source without directives needs no option")
        warn_of_names(arguments, targets[0].target, diagnostics)
        text = _read(path)
        file = path if path != "-" else "<stdin>"
        with progress(arguments, file) as begins:
            watch = watch_of(arguments, targets[0], begins)
            jobs: list[Compilation] = []
            for options in targets:
                inputs = jobs[0].inputs if jobs else None
                jobs.append(compile_source(text, file, options, diagnostics, begin=begin, end=end, watch=watch, inputs=inputs))
                if len(targets) > 1:
                    make_early(arguments, jobs[-1])
            if any(job.stopped is None for job in jobs) and arguments.stop_after:
                raise UsageError(f"pass '{arguments.stop_after}' does not run here: --list-passes says when it does")
            if len(targets) > 1:
                warn_of_layouts(jobs, diagnostics)
            diagnostics.raise_if_errors()
            with watch.timed("code"):
                outputs = outputs_of(arguments, jobs, path)
            if arguments.budget:
                with watch.timed("budget"):
                    outputs += checked_budget(arguments.budget, jobs, diagnostics)
                diagnostics.raise_if_errors()
        with watch.timed("write"):
            write_all(outputs, inputs_of(arguments, jobs, path))
    except CompileError:
        return 1 + diagnostics.error_count
    finally:
        sys.stderr.write(diagnostics.render())
    return 0


def _input(operands: list[str]) -> str:
    if not operands:
        raise UsageError("no input file given; '-' reads standard input, 'voltac --help' explains the rest")
    if len(operands) > 1:
        raise UsageError(f"two input files given, '{operands[0]}' and '{operands[1]}'; compile one at a time")
    return operands[0]


def _task_pool() -> str:
    """The source of the three functions by which programs launch tasks (language 11.1)."""
    return os.path.join(shipped_folder("runtime"), "tasks.ispc")


def _require_stages(target: TargetInfo, *names: str) -> None:
    known = [stage.name for stage in stages_of(target)]
    for name in names:
        if name and name not in known:
            raise UsageError(f"target '{target.name}' has no stage '{name}'; its stages are: {', '.join(known)}")


def _require_names(arguments: Namespace) -> None:
    """A build for several targets writes files whose names come from the output's."""
    if arguments.output == "-" or not (arguments.output or arguments.header):
        raise UsageError("several targets need an output file name (-o), from which the names for each target are made")
    if arguments.begin or arguments.stop_after or last_stage(arguments) not in ("", STAGE_NAMES[-1]):
        raise UsageError("several targets cannot be compiled in parts (-E, --begin-at, --end-after, --stop-after)")


def _read(path: str) -> str:
    if path != "-":
        return read_source(path)
    if sys.stdin.name == os.devnull:
        raise InputError("cannot read standard input: it is closed")
    try:
        content = sys.stdin.buffer.read()
    except OSError as error:
        raise InputError(f"cannot read standard input: {error.strerror}") from None
    return decode_source(content, "standard input")
