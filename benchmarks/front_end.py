"""Lines a second from source text to LLVM text, on a generated program of the given length; CPU time.

python benchmarks/front_end.py [--lines N ...]
"""

from __future__ import annotations

import argparse
import time

from generated_source import source

from voltac.lower import lower
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.report.measure import machine
from voltac.sema import check
from voltac.syntax import parse, preprocess
from voltac.target_info import find_target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="*", default=[300, 3000, 12000])
    arguments = parser.parse_args()
    options = Options(find_target("avx2-i32x8"))
    print(machine())
    for lines in arguments.lines:
        text = source(lines)
        count = text.count("\n")
        diagnostics = Diagnostics(warnings=False)
        marks = [time.process_time()]
        preprocessed = preprocess(text, "generated.ispc", options, diagnostics)
        marks.append(time.process_time())
        unit = parse(preprocessed, options, diagnostics)
        marks.append(time.process_time())
        program = check(unit, options, diagnostics, "generated.ispc")
        marks.append(time.process_time())
        lower(program, options)
        marks.append(time.process_time())
        diagnostics.raise_if_errors()
        stages = zip(("preprocess", "parse", "check", "lower"), marks, marks[1:], strict=False)
        shares = ", ".join(f"{name} {count / (end - start):,.0f}" for name, start, end in stages)
        print(f"{count} lines: {count / (marks[-1] - marks[0]):,.0f} lines/s ({shares})")


if __name__ == "__main__":
    main()
