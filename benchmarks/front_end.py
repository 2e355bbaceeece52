"""Lines a second from source text to LLVM text, on a generated file of the given length.

    python benchmarks/front_end.py [--lines N ...]
"""

from __future__ import annotations

import argparse
import time

from voltac.diagnostics import Diagnostics
from voltac.lower import lower
from voltac.options import Options
from voltac.report.measure import machine
from voltac.sema import check
from voltac.syntax import parse, preprocess
from voltac.target_info import find_target

BODY = """\
struct Body{k} {{
    float position[3], mass;
    int kind;
}};

// Weighted distance between a value and its neighbours.
static float blend_{k}(float a, float b, uniform float weight) {{
    if (a > b) {{
        float swap = a;
        a = b;
        b = swap;
    }}
    return a * weight + b * (1 - weight);
}}

static int classify_{k}(float value, int limit) {{
    int count = 0;
    while (value > 1 && count < limit) {{
        value *= 0.5f;
        if ((count & 3) == 2)
            value -= 0.125f;
        ++count;
    }}
    switch (count % 4) {{
    case 0: return count;
    case 1: count += 3; break;
    default: count -= 1;
    }}
    return count;
}}

export void kernel_{k}(uniform float source[], uniform float out[], uniform Body{k} bodies[], uniform int n) {{
    uniform float total = 0;
    foreach (i = 0 ... n) {{
        float left = source[i], right = source[i + 1];
        float mixed = blend_{k}(left, right, 0.25f + {k});
        cif (mixed < 0)
            mixed = -mixed;
        int kind = classify_{k}(mixed, 8);
        out[i] = mixed * kind + bodies[i].mass * bodies[i].position[kind & 1];
        bodies[i].kind = kind;
    }}
    for (uniform int j = 0; j < n; ++j)
        total += out[j];
    out[0] = total;
}}

"""


def source(lines: int) -> str:
    """A file of about ``lines`` lines: functions, structs, loops and kernels, all reachable."""
    block = BODY.count("\n")
    return "".join(BODY.format(k=k) for k in range(max(1, lines // block)))


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
        marks = [time.perf_counter()]
        preprocessed = preprocess(text, "generated.ispc", options, diagnostics)
        marks.append(time.perf_counter())
        unit = parse(preprocessed, options, diagnostics)
        marks.append(time.perf_counter())
        program = check(unit, options, diagnostics, "generated.ispc")
        marks.append(time.perf_counter())
        lower(program, options)
        marks.append(time.perf_counter())
        diagnostics.raise_if_errors()
        stages = zip(("preprocess", "parse", "check", "lower"), marks, marks[1:], strict=False)
        shares = ", ".join(f"{name} {count / (end - start):,.0f}" for name, start, end in stages)
        print(f"{count} lines: {count / (marks[-1] - marks[0]):,.0f} lines/s ({shares})")


if __name__ == "__main__":
    main()
