"""What the page's questions are answered with: functions of JSON objects, each run in a process of its own."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from voltac.driver import compile_source, decode_source, explanation_of
from voltac.explorer.arguments import parameters_of
from voltac.messages.diagnostics import CompileError, Diagnostics, InternalError
from voltac.messages.layout import json_line
from voltac.messages.visible import visible_name
from voltac.options import Options
from voltac.pipeline import Compilation, InputError
from voltac.records import record, replace
from voltac.report.line_assembly import lines_of_functions
from voltac.sema import tree
from voltac.sema.type_layout import Layout

Question = Mapping[str, str]
Reply = dict[str, Any]


@record
class CommandLine:
    """What the explorer has from the command line. It goes to other processes: its function is one of a module."""

    file: str
    settings: Callable[[list[str]], tuple[Options, Diagnostics]]
    """Words → the options of a compilation, and where its messages go; ValueError."""
    argument: Callable[[tree.VariableSymbol, str, Layout], Any]
    """What a word means as an argument: a number, or an array; ValueError."""
    seconds: float
    """How long a question may take."""


def check(words: CommandLine, question: Question) -> Reply:
    """Diagnostics; of a program without errors what each line became, the assembly, the functions that can be called."""
    return answered(words, question, _checked)


Body = Callable[[CommandLine, Question, str, Options, Diagnostics], Reply]


def answered(words: CommandLine, question: Question, body: Body) -> Reply:
    """The reply with diagnostics; ``error`` says why there is no other answer."""
    try:
        options, diagnostics = words.settings(shlex.split(question.get("options", "")))
    except ValueError as error:
        return {"error": visible_name(str(error)), "diagnostics": []}
    # What the performance warnings say stands in the explanation.
    diagnostics.disabled = diagnostics.disabled | {"perf"}
    try:
        text = decode_source(question["source"].encode("utf-8", "surrogatepass"), words.file)
        reply = body(words, question, text, options, diagnostics)
    except CompileError as error:
        diagnostics, reply = error.diagnostics, {}
    except (InputError, InternalError, MemoryError) as error:
        reply = {"error": visible_name(str(error) or "the compilation needs too much memory")}
    return {"diagnostics": [json.loads(json_line(item)) for item in diagnostics.items], "file": words.file, **reply}


def _checked(words: CommandLine, question: Question, text: str, options: Options, diagnostics: Diagnostics) -> Reply:
    # The lines of the assembly come from the debug information.
    options = replace(options, whole_program=True, debug_info=not options.target.is_device)
    job = compile_source(text, words.file, options, diagnostics)
    explanation = explanation_of(job, cycles=True)
    layout = Layout(options.target)
    return {
        "heading": explanation.heading(),
        "lanes": explanation.lanes,
        "facts": [asdict(fact) for fact in explanation.facts if fact.file == words.file],
        "assembly": _assembly(job, words.file),
        "functions": [{"name": one.name, "parameters": parameters_of(one, layout)} for one in job.program.exports],
    }


def _assembly(job: Compilation, file: str) -> list[Reply]:
    text = job.product.assembly(comments=True)
    if job.options.target.is_device:
        return [{"function": "", "lines": [{"text": line, "line": 0} for line in text.splitlines()]}]
    functions = lines_of_functions(text, file)
    return [{"function": name, "lines": [asdict(line) for line in lines]} for name, lines in functions.items()]
