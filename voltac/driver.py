"""Running a compilation: a source goes through the stages of :mod:`voltac.pipeline`, one after the other."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from voltac.llvm import light_import
from voltac.messages.diagnostics import CompileError, Diagnostics, InternalError
from voltac.messages.message import Span
from voltac.messages.visible import visible_listing
from voltac.options import Options
from voltac.pass_runs import Stopped
from voltac.pipeline import STAGE_NAMES, Compilation, InputError, Stage, Watch, stages_of
from voltac.records import replace
from voltac.system import files
from voltac.system.compiling_thread import in_compiling_thread

if TYPE_CHECKING:
    from voltac.report.explanation import Explanation
    from voltac.syntax.inputs import Inputs


def compile_source(
    text: str,
    file: str,
    options: Options,
    diagnostics: Diagnostics | None = None,
    *,
    begin: str = STAGE_NAMES[0],
    end: str = "",
    watch: Watch | None = None,
    inputs: Inputs | None = None,
) -> Compilation:
    """Run the stages ``begin`` to ``end``, by default the last one, on ``text``, the contents of ``file``.

    ``inputs`` are those of a compilation for another target, which is to see the same files.
    Raises :class:`CompileError` for mistakes of the program, :class:`InternalError` for ours.
    """
    job = Compilation(file, options, Diagnostics() if diagnostics is None else diagnostics, watch or Watch(), inputs)
    compile_job(text, job, begin=begin, end=end)
    return job


def compile_job(text: str, job: Compilation, *, begin: str = STAGE_NAMES[0], end: str = "") -> None:
    """As :func:`compile_source`, for callers that want what there is of the compilation of a program with mistakes."""
    job.runs = replace(job.watch.passes, ran=[])
    in_compiling_thread(lambda: _run_stages(text, job, begin, end))


def _run_stages(text: str, job: Compilation, begin: str, end: str) -> None:
    light_import.begin()
    watch = job.watch
    result: Any = text
    stages = stages_of(job.options.target)
    names = [stage.name for stage in stages]
    for stage in stages[names.index(begin) : names.index(end) + 1 if end else None]:
        try:
            with watch.timed(stage.name):
                result = job.results[stage.name] = _run_stage(stage, result, job, text)
        except Stopped as stopped:
            job.stopped = str(stopped)
            return
        if stage.name in watch.print_stages:
            watch.output.write(visible_listing(stage.show(result).rstrip("\n")) + "\n")
        # After syntax errors the rest of the program is checked all the same.
        if stage.name != "parse" or stage.name == end:
            job.diagnostics.raise_if_errors()


def _run_stage(stage: Stage, given: Any, job: Compilation, text: str) -> Any:
    try:
        return stage.run(given, job)
    except (CompileError, InternalError, InputError, MemoryError, Stopped):
        raise
    except RecursionError:
        raise CompileError(_too_deep(job)) from None
    except Exception as error:
        import tempfile  # both are slow to import
        import traceback

        handle, path = tempfile.mkstemp(prefix=f"voltac-{stage.name}-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as report:
            report.write(f"{traceback.format_exc()}\n{job.options}\n\n{text}")
        raise InternalError(
            f"stage '{stage.name}': {type(error).__name__}: {error}\nwhat happened and the source that shows it are in {path}"
        ) from error


def _too_deep(job: Compilation) -> Diagnostics:
    job.diagnostics.error("nesting", Span(job.file, 0, 0, 0, 0), f"{job.file} is nested too deeply")
    return job.diagnostics


def read_source(path: str) -> str:
    """The text of a source file; :class:`InputError` says what is wrong with it."""
    return decode_source(read_file(path, "a source file"), path)


def read_file(path: str, wanted: str) -> bytes:
    """What is in a file; :class:`InputError` says why it cannot be read, and that a directory is not what is ``wanted``."""
    try:
        return files.read_file(path)
    except FileNotFoundError:
        raise InputError(f"file not found: {path}") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory, not {wanted}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def decode_source(content: bytes, name: str) -> str:
    """The text of a source that was read as bytes."""
    # What "utf-8-sig" does, which is a module of its own, and counts the places of mistakes from behind the mark.
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name} is not UTF-8 text: byte 0x{content[error.start]:02x} in line {line}") from None
    if not text.strip():
        raise InputError(f"{name} is empty: there is nothing to compile")
    return text


def explanation_of(job: Compilation, cycles: bool = False) -> Explanation:
    """What each line of a program became, from its finished compilation; with ``cycles``, what its loops take, about.

    Those take another run of the code generator, and are known for x86-64 only.
    """
    from voltac.report.explanation import Compiled, explain  # late: for reports only
    from voltac.report.repeats import repeats_of

    resolved, final = str(job.results["passes"]), job.product.text()
    sources, dependencies = job.diagnostics.sources, job.dependencies
    repeats = repeats_of(job.product.assembly()) if job.options.target.is_device else []
    assembly = job.product.assembly(comments=True) if cycles and job.options.target.is_x86 and job.options.level else ""
    results = job.access_reports, resolved, final, repeats, assembly
    return explain(Compiled(job.file, job.options, job.program, sources, dependencies, *results))
