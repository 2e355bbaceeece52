"""``voltac bisect FILE --check CMD``: with which pass what a program does becomes wrong.

The passes that can be left out are counted, and the file is compiled with the first N of
them (``--pass-limit``), for N between one that CMD is content with and one that it is not.
LLVM's own pipeline counts as one pass.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.products import object_of
from voltac.cli.settings import diagnostics_of, options_of_arguments
from voltac.driver import compile_source, read_source
from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options
from voltac.pass_runs import PassRuns
from voltac.pipeline import Watch

OBJECT = "VOLTAC_OBJECT"
"""The variable that tells CMD the name of the file that was compiled."""


def bisect_command(arguments: Namespace) -> int:
    """The exit code: 0 if a pass was found, or CMD is content with all; 1 if it never is; 1 and the number of errors."""
    if len(arguments.operands) != 1 or not arguments.check:
        raise UsageError(f"bisect takes a file and a command: voltac bisect FILE --check 'CMD' (its file is ${OBJECT})")
    (path,) = arguments.operands
    diagnostics = diagnostics_of(arguments)
    try:
        options = options_of_arguments(arguments, diagnostics)
        return _bisect(read_source(path), path, options, diagnostics, arguments.check)
    except CompileError:
        return 1 + diagnostics.error_count
    finally:
        sys.stderr.write(diagnostics.render())


def _bisect(text: str, path: str, options: Options, diagnostics: Diagnostics, command: str) -> int:
    with tempfile.TemporaryDirectory(prefix="voltac-bisect-") as folder:
        object_file = os.path.join(folder, "bisected.elf" if options.target.is_device else "bisected.o")

        def is_good(limit: int | None) -> tuple[bool, list[str]]:
            told = diagnostics if limit is None else Diagnostics()
            job = compile_source(text, path, options, told, watch=Watch(passes=PassRuns(limit=limit)))
            with open(object_file, "wb") as file:
                file.write(object_of(job))
            good = subprocess.run(command, shell=True, env=os.environ | {OBJECT: object_file}).returncode == 0
            sys.stdout.write(f"{len(job.runs.ran):5} passes: {'good' if good else 'bad'}\n")
            sys.stdout.flush()
            return good, job.runs.ran

        good, passes = is_good(None)
        if good:
            sys.stdout.write("the command is content with all passes: there is nothing to look for\n")
            return 0
        if not is_good(0)[0]:
            sys.stdout.write("the command is not content without any of them either: it is not what a pass does\n")
            return 1
        first = first_bad(len(passes), lambda limit: is_good(limit)[0])
    name = passes[first - 1]
    sys.stdout.write(f"with pass {first}, {name}, it becomes bad: --print-after={name} shows what it makes\n")
    return 0


def first_bad(last: int, is_good: Callable[[int], bool]) -> int:
    """The least limit that is bad, where 0 is good and ``last`` is bad."""
    good, bad = 0, last
    while bad - good > 1:
        middle = (good + bad) // 2
        if is_good(middle):
            good = middle
        else:
            bad = middle
    return bad
