"""``voltac run FILE --function F [--interpret [--trace]] [arguments]``: one call of a function, its results as text."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.run_arguments import argument_of, generated, printed
from voltac.cli.settings import diagnostics_of, options_of_arguments, watch_of
from voltac.driver import compile_source, read_source
from voltac.messages.diagnostics import CompileError
from voltac.messages.message import NOWHERE, Diagnostic, Span
from voltac.messages.suggestions import suggestion
from voltac.options import Options
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.type_layout import Layout
from voltac.sema.types import Pointer


def run_command(arguments: Namespace) -> int:
    """The exit code: 0, 1 if the run failed, or 1 and the number of errors."""
    if not arguments.operands:
        raise UsageError("no input file given; 'voltac run FILE --function F [arguments]'")
    if arguments.trace and not arguments.interpret:
        raise UsageError("option '--trace' needs '--interpret': compiled code has no statements to show")
    path, *words = arguments.operands
    diagnostics = diagnostics_of(arguments)
    try:
        options = options_of_arguments(arguments, diagnostics)
        text = read_source(path)
        watch = watch_of(arguments, options)
        program = compile_source(text, path, options, diagnostics, end="check", watch=watch).program
    except CompileError:
        return 1 + diagnostics.error_count
    finally:
        sys.stderr.write(diagnostics.render())
    function = function_of_run(program, arguments.function)
    values = values_of_run(function, words, Layout(options.target))
    before = [value.copy() if isinstance(value, np.ndarray) else value for value in values]
    sources = diagnostics.sources if arguments.trace else None
    try:
        if arguments.interpret:
            result = _interpret(program, options, function, values, sources)
        else:
            checks = checks_of_run(function, words, options, arguments.checked)
            result = _run_compiled(text, path, run_options(checks, options), function, values)
    except RunFailed as failed:
        sys.stdout.flush()
        sys.stderr.write(diagnostics.render_one(Diagnostic("Error", failed.span, failed.text, "run")))
        return 1
    sys.stdout.flush()
    for symbol, value, old in zip(function.parameters, values, before, strict=True):
        if isinstance(value, np.ndarray):
            unchanged = value.tobytes() == old.tobytes()
            sys.stdout.write(f"{symbol.name} = {'unchanged' if unchanged else printed(value)}\n")
    if result is not None:
        sys.stdout.write(f"result = {printed(result)}\n")
    return 0


def function_of_run(program: tree.Program, name: str | None) -> tree.FunctionSymbol:
    """The exported function of this name, or the only one."""
    exports = {function.name: function for function in program.exports}
    if not exports:
        raise UsageError(f"{program.file} exports no function that could be run")
    if name is None:
        if len(exports) > 1:
            raise UsageError(f"the file exports several functions; choose one with --function: {', '.join(exports)}")
        return next(iter(exports.values()))
    if name not in exports:
        raise UsageError(f"the file exports no function '{name}'{suggestion(name, exports)}; it has: {', '.join(exports)}")
    return exports[name]


def values_of_run(function: tree.FunctionSymbol, words: list[str], layout: Layout) -> list[Any]:
    """The arguments as numbers and arrays; what is not given is generated."""
    parameters = function.parameters
    if len(words) > len(parameters):
        raise UsageError(f"'{function.name}' takes {len(parameters)} arguments, {len(words)} given")
    given = [argument_of(symbol, word, layout) for symbol, word in zip(parameters, words)]
    return given + [generated(symbol, layout) for symbol in parameters[len(words) :]]


def checks_of_run(function: tree.FunctionSymbol, words: list[str], options: Options, given: str | None) -> str | None:
    """The words of ``--checked``: accesses are among them where arrays are generated, which may have fewer elements than the
    function reaches for. A device's simulator checks them anyway."""
    arrays = any(isinstance(symbol.type.type, Pointer) for symbol in function.parameters[len(words) :])
    if not arrays or options.target.is_device or given == "all":
        return given
    return f"accesses,{given}" if given and "accesses" not in given.split(",") else given or "accesses"


class RunFailed(Exception):
    """The program did something undefined, or aborted."""

    def __init__(self, text: str, span: Span) -> None:
        super().__init__(text)
        self.text, self.span = text, span


def _interpret(
    program: tree.Program,
    options: Options,
    function: tree.FunctionSymbol,
    values: list[Any],
    sources: dict[str, list[str]] | None,
) -> Any:
    # late: only --interpret needs it
    from voltac.interpreter import Interpreter, InterpreterError, ProgramAborted, TextTrace

    trace = None if sources is None else TextTrace(sources, sys.stdout.write)
    try:
        return Interpreter(program, options, trace=trace).call(function.name, values)
    except InterpreterError as error:
        raise RunFailed(error.described, error.span) from None
    except ProgramAborted:
        raise RunFailed("the program was aborted by an assertion", NOWHERE) from None


def run_options(checked: str | None, options: Options) -> Options:
    """Those of a call whose failures are exceptions; ``checked`` is "all" or words like ``accesses,races``."""
    words = True if checked == "all" else tuple(checked.split(",")) if checked is not None else False
    try:
        return replace(options, catch_failures=True, checked=words)
    except ValueError as error:
        raise UsageError(f"option '--checked': {error}") from None


def _run_compiled(text: str, path: str, options: Options, function: tree.FunctionSymbol, values: list[Any]) -> Any:
    # late: only where the machine's code is run
    from voltac.python import compile_with_options

    kernel = getattr(compile_with_options(text, path, options), function.name)
    with failure_of_run():
        return kernel(*values)


@contextmanager
def failure_of_run() -> Iterator[None]:
    """What a call raises is a run that failed, or arguments that were wrong."""
    try:
        yield
    except (AssertionError, ArithmeticError, IndexError, RuntimeError) as failure:
        raise RunFailed(str(failure), NOWHERE) from None
    except (TypeError, ValueError) as error:
        raise UsageError(str(error)) from None
