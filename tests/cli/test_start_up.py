"""What a compilation imports before it does anything: patterns of ours are compiled when they are first used."""

import subprocess
import sys

COUNT = """
import re
import sys
from collections import Counter
compiled, of = Counter(), re.compile
def counted(pattern, flags=0):
    compiled[sys._getframe(1).f_globals["__name__"].partition(".")[0]] += 1
    return of(pattern, flags)
re.compile = counted
import voltac.cli.compile, voltac.syntax, voltac.sema, voltac.lower, voltac.passes, voltac.llvm.optimize
print(compiled["voltac"], "argparse" in sys.modules)
"""


def test_no_pattern_is_compiled_by_an_import_and_argparse_is_left_out() -> None:
    done = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "0 False\n"
