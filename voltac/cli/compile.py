"""``voltac FILE -o FILE.o -h FILE.h``: one source compiled to the outputs asked for."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable

from voltac.cli.options import UsageError
from voltac.cli.outputs import Output, write_all
from voltac.cli.settings import diagnostics_of, options_of_arguments, watch_of
from voltac.diagnostics import NOWHERE, CompileError, Diagnostics
from voltac.driver import STAGE_NAMES, STAGES, Compilation, InputError, Watch, compile_source, decode_source, read_source
from voltac.llvm import Optimized
from voltac.records import record


@record
class _Kind:
    """A kind of output, the suffixes that fit it, and how it is made."""

    name: str
    suffixes: tuple[str, ...]
    make: Callable[[Optimized], bytes]


_KINDS: dict[str, _Kind] = {
    "object": _Kind("object code", (".o", ".obj"), lambda made: made.object_code()),
    "assembly": _Kind("assembly language", (".s", ".asm", ".S"), lambda made: made.assembly(comments=True).encode()),
    "text": _Kind("LLVM assembly language", (".ll",), lambda made: made.text().encode()),
    "bitcode": _Kind("LLVM bitcode", (".bc",), lambda made: made.bitcode()),
}
_HEADER_SUFFIXES = (".h", ".hh", ".hpp", ".hxx", ".inc")


def compile_command(arguments: Namespace) -> int:
    """The exit code: 0, or 1 and the number of errors."""
    diagnostics = diagnostics_of(arguments)
    try:
        path = _input(arguments.operands)
        options = options_of_arguments(arguments, diagnostics)
        _warn_of_names(arguments, diagnostics)
        text = _read(path)
        job = compile_source(
            text,
            path if path != "-" else "<stdin>",
            options,
            diagnostics,
            begin=arguments.begin or STAGE_NAMES[0],
            end=_last_stage(arguments),
            watch=watch_of(arguments),
        )
        diagnostics.raise_if_errors()
        outputs = _outputs(arguments, job, path)
        with Watch(time=arguments.time).timed("write"):
            write_all(outputs)
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


def _last_stage(arguments: Namespace) -> str:
    if arguments.preprocess_only or arguments.dump_macros:
        return "preprocess"
    return arguments.end or STAGE_NAMES[-1]


def _warn_of_names(arguments: Namespace, diagnostics: Diagnostics) -> None:
    wanted = (arguments.output, arguments.header, arguments.preprocess_only, arguments.dump_macros, arguments.make_rule)
    if not any((*wanted, arguments.dependency_list)):
        diagnostics.warning(NOWHERE, "no output name given (-o or -h), so nothing will be written")
    if arguments.output and not any((arguments.preprocess_only, arguments.dump_macros, arguments.end)):
        kind = _KINDS[arguments.emit or "object"]
        _warn_of_suffix(arguments.output, kind.suffixes, kind.name, diagnostics)
    if arguments.header:
        _warn_of_suffix(arguments.header, _HEADER_SUFFIXES, "a header", diagnostics)


def _warn_of_suffix(path: str, fitting: tuple[str, ...], what: str, diagnostics: Diagnostics) -> None:
    suffix = os.path.splitext(path)[1]
    if suffix and suffix not in fitting:
        diagnostics.warning(NOWHERE, f"the suffix '{suffix}' of '{path}' does not fit the output, {what}: '{fitting[0]}' would")


def _outputs(arguments: Namespace, job: Compilation, path: str) -> list[Output]:
    outputs = []
    last = STAGES[STAGE_NAMES.index(_last_stage(arguments))]
    if last.name == "preprocess":
        made = job.preprocessed
        text = {"only": made.macros_text, "too": made.text_with_definitions}.get(arguments.dump_macros, made.text)
        outputs.append(Output(arguments.output or "-", text.encode("utf-8", "surrogateescape")))
    elif arguments.output and last.name != STAGE_NAMES[-1]:
        outputs.append(Output(arguments.output, last.show(job.results[last.name]).encode()))
    elif arguments.output:
        outputs.append(Output(arguments.output, _KINDS[arguments.emit or "object"].make(job.optimized)))
    if arguments.header and "check" in job.results:
        from voltac.lower.c_header import c_header

        header = c_header(job.program, job.options, arguments.header, arguments.pragma_once)
        outputs.append(Output(arguments.header, header.encode()))
    if arguments.make_rule:
        target = arguments.make_rule_target or arguments.output or os.path.splitext(path)[0] + ".o"
        outputs.append(Output(arguments.make_rule_file or "-", os.fsencode(make_rule(target, path, job.dependencies))))
    if arguments.dependency_list:
        names = sorted(set(job.dependencies))
        outputs.append(Output(arguments.dependency_list, os.fsencode("".join(f"{name}\n" for name in names))))
    for output in outputs:
        if output.path != "-" and os.path.exists(output.path) and path != "-" and os.path.samefile(output.path, path):
            raise InputError(f"output file {output.path} is the input file; it was left as it is")
    return outputs


def make_rule(target: str, source: str, dependencies: tuple[str, ...]) -> str:
    """``target: source`` and the other files, one a line, as make reads it."""
    others = [name if os.path.isabs(name) or name.startswith(".") else f"./{name}" for name in dependencies if name != source]
    first, *rest = (_escaped(name) for name in (source, *others))
    return " \\\n ".join([f"{_escaped(target)}: {first}", *rest]) + "\n"


def _escaped(name: str) -> str:
    """A file name as make reads it."""
    return name.replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")
