"""What the stepper asks: one call of an exported function, run by the interpreter and recorded step by step."""

from __future__ import annotations

import json
import time
from functools import partial
from typing import Any

from voltac.driver import compile_source
from voltac.explorer.answers import CommandLine, Question, Reply, answered
from voltac.explorer.arguments import array_length
from voltac.explorer.recording import RecordingFull, StepRecorder
from voltac.interpreter import Interpreter, InterpreterError, ProgramAborted
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import Span
from voltac.messages.visible import visible_name
from voltac.options import Options
from voltac.sema import tree
from voltac.sema.type_layout import Layout
from voltac.sema.types import Pointer

_OF_THE_TIME = 0.6
"""Part of a question's time after which the run is stopped: what there is by then still has to be told."""
_FILLS = ("range", "zeros", "random")


def step(words: CommandLine, question: Question) -> Reply:
    """The steps of a call. ``function`` is its name, ``arguments`` a JSON list with a text for each parameter."""
    end = time.monotonic() + words.seconds * _OF_THE_TIME
    return answered(words, question, partial(_stepped, end))


def _stepped(
    end: float, words: CommandLine, question: Question, text: str, options: Options, diagnostics: Diagnostics
) -> Reply:
    program = compile_source(text, words.file, options, diagnostics, end="check").program
    function = next((one for one in program.exports if one.name == question.get("function")), None)
    if function is None:
        return {"error": f"the program exports no function '{visible_name(question.get('function', ''))}'"}
    try:
        arguments = _arguments(words, function, question.get("arguments", ""), Layout(options.target))
    except ValueError as error:
        return {"error": visible_name(str(error))}
    recorder = StepRecorder(diagnostics.sources, is_of_the_user, end)
    reply: Reply = {"lanes": options.target.width, "function": function.name, "stopped": None, "result": None}
    try:
        interpreter = Interpreter(program, options, recorder.printed, recorder, find_c_functions=False)
        recorder.begin(interpreter.machine, function, arguments)
        result = interpreter.call(function.name, arguments)
        reply["result"] = None if result is None else str(result)
    except RecordingFull as full:
        reply["stopped"] = {"text": str(full), "line": 0, "failed": False}
    except InterpreterError as error:
        line = error.span.line if error.span.file == words.file else 0
        reply["stopped"] = {"text": visible_name(error.described), "line": line, "failed": True}
    except ProgramAborted as aborted:
        reply["stopped"] = {"text": f"an assertion failed: {visible_name(str(aborted))}", "line": 0, "failed": True}
    return reply | recorder.recording()


def is_of_the_user(span: Span) -> bool:
    """Whether a place is in a file of the user's; the library is not gone through."""
    return span.line > 0 and not span.file.startswith("<stdlib>/")


def _arguments(words: CommandLine, function: tree.FunctionSymbol, given: str, layout: Layout) -> list[Any]:
    """Numbers and arrays; ValueError."""
    try:
        texts = json.loads(given)
    except (ValueError, RecursionError):
        texts = None
    if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
        raise ValueError("the arguments are a list of texts")
    parameters = function.parameters
    if len(texts) != len(parameters):
        raise ValueError(f"'{function.name}' takes {len(parameters)} arguments, {len(texts)} given")
    pairs = list(enumerate(zip(parameters, map(str.strip, texts), strict=True)))
    values = {
        number: words.argument(symbol, text, layout)
        for number, (symbol, text) in pairs
        if not isinstance(symbol.type.type, Pointer)
    }
    counts = {number: value for number, value in values.items() if type(value) is int}
    for number, (symbol, text) in pairs:
        if number not in values:
            # How many there are need not be said.
            word = f"{text}:{array_length(function, number, counts, layout)}" if text in _FILLS else text
            values[number] = words.argument(symbol, word, layout)
            if not len(values[number]):
                raise ValueError(f"array '{symbol.name}' has no element")
    return [values[number] for number in range(len(parameters))]
