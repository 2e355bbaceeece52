"""gdb on a C program linked with an object of ``-g``: breakpoints by source line, values of every type, the stack."""

from __future__ import annotations

import operator
import re
import shutil
import subprocess
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from elftools.dwarf.dwarf_expr import DWARFExprOp, DWARFExprParser
from elftools.elf.elffile import ELFFile

from voltac.driver import compile_source
from voltac.llvm import can_run
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target

MISSING = [name for name in ("gdb", "gcc") if shutil.which(name) is None]
pytestmark = [pytest.mark.whole, pytest.mark.skipif(bool(MISSING), reason=f"not installed: {' '.join(MISSING)}")]

INCLUDED = """static noinline uniform int sum(uniform int a, uniform int b) {
    uniform int both = a + b;
    return both;  // at sum
}
"""

SOURCE = """#include "included.isph"
#define SQUARE(x) ((x) * (x))
enum Colour { RED, GREEN = 5, HIGH = 0xffffffff };
struct Pair { float x; int y; };
struct Node { Node * next; uniform int number; varying float row; };
typedef uniform int (*Function)(uniform int, uniform int);

uniform int counter = 3;
float lanes = {1, 2, 3, 4};
static uniform Pair origin = {1.5, 2};

static inline float square(float v, uniform Pair & pair) {
    float result = SQUARE(v);
    return result + pair.x;  // at square
}

static noinline float deep(float v, bool flag) {
    static uniform int calls;
    calls++;
    float result = 0;
    if (flag) {
        for (uniform int k = 0; k < 2; k++) {
            float part = v * k;
            result += part;  // at deep
        }
    }
    return result;
}

task void work(uniform float a[], uniform Pair pair) {
    uniform int first = taskIndex;
    a[first] = pair.x;  // at work
}

export uniform int test(uniform float a[], uniform int n) {
    uniform Pair pair = origin;
    Pair pairs = {programIndex, 7};
    uniform float<3> vector = {1, 2, 3};
    float<2> vectors = {programIndex, 0.5};
    uniform Colour colour = GREEN;
    Colour colours = programIndex == 0 ? RED : HIGH;
    bool odd = (programIndex & 1) != 0;
    uniform bool yes = true;
    uniform int16 small[2][3] = {{1, 2, 3}, {4, 5, 6}};
    uniform int * uniform pointer = &counter;
    uniform int * varying pointers = &counter;
    uniform int & reference = counter;
    float16 half = 1.5f16;
    uniform uint64 wide = 0xffffffffffffffff;
    uniform int8 narrow = -1;
    soa<4> Pair blocks[2];
    blocks[1].x = 4;
    soa<4> Pair * uniform slice = &blocks[1];
    uniform Node node;
    node.next = &node;
    node.number = sum(n, 2);
    uniform Function function = sum;
    void * uniform anything = a;
    odd = !odd;  // at test
    launch work(a, pair);
    sync;
    foreach (i = 0 ... n) {
        float x = a[i];
        if (x > 1) {
            int x = i * 2;
            a[i] = x;  // at inner
        }
        a[i] += square(x, pair) + deep(x, x > 1);  // at loop
    }
    counter += n + node.number;
    return counter;
}
"""

MAIN = """#include <stdint.h>
int32_t test(float *a, int32_t n);
void *ISPCAlloc(void **handle, int64_t size, int32_t alignment) {
    static char block[4096] __attribute__((aligned(1024)));
    *handle = block;
    return block;
}
void ISPCLaunch(void **handle, void *f, void *data, int n0, int n1, int n2) {
    ((void (*)(void *, int, int, int, int, int, int, int, int, int, int))f)(data, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1);
}
void ISPCSync(void *handle) {}
int main(void) {
    float a[6] = {0, 1, 2, 3, 4, 5};
    return test(a, 6) == 17 ? 0 : 1;
}
"""

LINES = {match[1]: number for number, line in enumerate(SOURCE.splitlines(), 1) if (match := re.search(r"// at (\w+)", line))}

Debug = Callable[..., dict[str, str]]


@pytest.fixture
def debug(tmp_path: Path) -> Debug:
    """Stops at a place, evaluates expressions there: expression -> what gdb prints."""

    def run(target: str, level: int, place: str, *expressions: str) -> dict[str, str]:
        if not can_run(find_target(target)):
            pytest.skip(f"this CPU cannot run {target}; the test of packed masks reads what the debugger is told")
        (tmp_path / "included.isph").write_text(INCLUDED)
        (tmp_path / "main.c").write_text(MAIN)
        source = tmp_path / "source.ispc"
        options = Options(find_target(target), level=level, debug_info=True)
        width = options.target.width
        text = SOURCE if width == 4 else SOURCE.replace("float lanes = {1, 2, 3, 4};", "float lanes = 1;")
        source.write_text(text)
        optimized = compile_source(text, str(source), options, Diagnostics()).optimized
        assert optimized is not None
        (tmp_path / "code.o").write_bytes(optimized.object_code())
        subprocess.run(["gcc", "-g", "main.c", "code.o", "-o", "program"], cwd=tmp_path, check=True)
        commands = ["set pagination off", "set print repeats 100", f"break {place}", "run"]
        for number, expression in enumerate(expressions):
            commands += [f"echo \\n<{number}>", expression if " " in expression else f"output {expression}"]
        words = [word for command in commands for word in ("-ex", command)]
        done = subprocess.run(
            ["gdb", "-nx", "-batch", *words, "./program"], cwd=tmp_path, capture_output=True, text=True, timeout=60
        )
        answers = re.split(r"\n<\d+>", done.stdout)[1:]
        assert len(answers) == len(expressions), done.stdout + done.stderr
        return dict(zip(expressions, map(str.strip, answers)))

    return run


@pytest.mark.parametrize("target", ["sse4-i32x4", "avx512skx-x4"])
def test_variables_of_every_type_are_printed(debug: Debug, target: str) -> None:
    expected = {
        "n": "6",
        "a[2]": "2",
        "pair": "{x = 1.5, y = 2}",
        "pairs": "{x = {0, 1, 2, 3}, y = {7, 7, 7, 7}}",
        "pairs.x": "{0, 1, 2, 3}",
        "vector": "{1, 2, 3}",
        "vectors": "{{0, 1, 2, 3}, {0.5, 0.5, 0.5, 0.5}}",
        "colour": "GREEN",
        "colours": "{RED, HIGH, HIGH, HIGH}",
        "odd": "{false, true, false, true}",
        "odd[1]": "true",
        "odd[2]": "false",
        "yes": "true",
        "small": "{{1, 2, 3}, {4, 5, 6}}",
        "*pointer": "3",
        "*pointers[3]": "3",
        "half": "{1.5, 1.5, 1.5, 1.5}",
        "wide": "18446744073709551615",
        "narrow": "-1 '\\377'",
        "blocks[0].x[1]": "4",
        "slice.slot": "1",
        "slice.block->x[1]": "4",
        "node.number": "8",
        "node.next->number": "8",
        "pairs.x*2": "{0, 2, 4, 6}",
        "counter": "3",
        "lanes": "{1, 2, 3, 4}",
        "origin": "{x = 1.5, y = 2}",
    }
    found = debug(target, 0, f"source.ispc:{LINES['test']}", *expected, "reference", "function", "anything")
    assert found["reference"].endswith(": 3")
    assert "sum" in found["function"]
    assert found["anything"].startswith("(void *) 0x7")
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize("width", [8, 16, 64])
def test_lanes_of_packed_masks_are_printed_one_by_one(debug: Debug, width: int) -> None:
    lanes = [0, 1, 6, width - 1]
    found = debug(f"avx512skx-x{width}", 0, f"source.ispc:{LINES['test']}", "odd", *(f"odd[{lane}]" for lane in lanes))
    assert found["odd"] == "{" + ", ".join(["false, true"] * (width // 2)) + "}"
    assert [found[f"odd[{lane}]"] for lane in lanes] == ["true" if lane % 2 else "false" for lane in lanes]
    flags = debug(f"avx512skx-x{width}", 0, f"source.ispc:{LINES['deep']}", *(f"flag[{lane}]" for lane in range(6)))
    assert list(flags.values()) == ["true", "false", "true", "true", "true", "true"]


@pytest.mark.parametrize("width", [4, 8, 16, 64])
def test_lanes_of_packed_masks_are_computed_from_their_bits(tmp_path: Path, width: int) -> None:
    """The expressions that a debugger evaluates, evaluated here: on every machine, and without running the program."""
    (tmp_path / "included.isph").write_text(INCLUDED)
    text = SOURCE.replace("float lanes = {1, 2, 3, 4};", "float lanes = 1;")
    options = Options(find_target(f"avx512skx-x{width}"), level=0, debug_info=True)
    code = compile_source(text, str(tmp_path / "source.ispc"), options, Diagnostics()).optimized.object_code()
    places = locations(code, "test", "odd")
    assert places
    for bits in (0, (1 << width) - 1, 0x5AF0_1234_9BC3_0EED & (1 << width) - 1):
        for place in places:
            assert lanes_described(place, bits)[:width] == [bits >> lane & 1 for lane in range(width)]


def locations(code: bytes, function: str, variable: str) -> list[list[DWARFExprOp]]:
    """Where an object's debug information says that a function's variables of one name are."""
    dwarf = ELFFile(BytesIO(code)).get_dwarf_info()
    found = []
    for unit in dwarf.iter_CUs():
        for entry in unit.iter_DIEs():
            names = [
                each.attributes["DW_AT_name"].value
                for each in (entry, entry.get_parent())
                if each and "DW_AT_name" in each.attributes
            ]
            if names == [variable.encode(), function.encode()]:
                found.append(DWARFExprParser(unit.structs).parse_expr(entry.attributes["DW_AT_location"].value))
    return found


def lanes_described(expression: list[DWARFExprOp], bits: int) -> list[int]:
    """The bytes of a value whose pieces are computed from a mask in memory, by the rules of DWARF 5, 2.5 and 2.6."""
    memory, stack, found = bits.to_bytes(8, "little"), [0], bytearray()
    for each in expression:
        name, given = each.op_name, each.args
        if name.startswith("DW_OP_breg"):
            stack.append(0)  # the mask is at address 0
        elif name == "DW_OP_plus_uconst":
            stack.append(stack.pop() + given[0])
        elif name == "DW_OP_deref_size":
            at = stack.pop()
            stack.append(int.from_bytes(memory[at : at + given[0]], "little"))
        elif name == "DW_OP_constu":
            stack.append(given[0])
        elif name.startswith("DW_OP_lit"):
            stack.append(int(name.removeprefix("DW_OP_lit")))
        elif name == "DW_OP_piece":
            found += stack.pop().to_bytes(8, "little")[: given[0]]
        elif name != "DW_OP_stack_value":
            second, first = stack.pop(), stack.pop()
            stack.append(OPERATIONS[name](first, second) & (1 << 64) - 1)
    return list(found or stack.pop().to_bytes(8, "little"))


OPERATIONS = {
    "DW_OP_mul": operator.mul,
    "DW_OP_and": operator.and_,
    "DW_OP_plus": operator.add,
    "DW_OP_shr": operator.rshift,
}


def test_a_name_means_the_innermost_variable_of_its_scope(debug: Debug) -> None:
    found = debug("sse4-i32x4", 0, f"source.ispc:{LINES['inner']}", "x", "i", "info locals")
    assert found["x"] == "{0, 2, 4, 6}"
    assert found["i"] == "{0, 1, 2, 3}"
    assert "x = {1.5, 1, 2, 3}" in found["info locals"]


def test_the_stack_names_functions_lines_and_included_files(debug: Debug) -> None:
    at_sum = debug("sse4-i32x4", 0, "included.isph:3", "bt 3", "both", "a")
    assert at_sum["both"] == "8" and at_sum["a"] == "6"
    assert re.search(r"#0 +sum \(a=6, b=2\) at .*included\.isph:3\n", at_sum["bt 3"])
    assert re.search(r"#1 .* in test \(a=0x\w+, n=6\) at .*source\.ispc:\d+\n", at_sum["bt 3"])
    assert re.search(r"#2 .* in main \(\) at main\.c:\d+", at_sum["bt 3"])


def test_inlined_functions_and_their_callers_are_on_the_stack(debug: Debug) -> None:
    found = debug("sse4-i32x4", 0, f"source.ispc:{LINES['square']}", "bt 2", "result", "v", "pair", "up 1", "info frame")
    assert found["result"] == "{2.25, 1, 4, 9}"
    assert found["v"] == "{1.5, 1, 2, 3}"
    assert "{x = 1.5, y = 2}" in found["pair"]
    assert re.search(rf"#1 .*test \(.*\) at .*source\.ispc:{LINES['loop']}", found["bt 2"])


def test_masked_functions_static_variables_and_tasks(debug: Debug) -> None:
    found = debug("sse4-i32x4", 0, f"source.ispc:{LINES['deep']}", "flag", "k", "part", "result", "calls")
    assert found == {
        "flag": "{true, false, true, true}",
        "k": "0",
        "part": "{0, 0, 0, 0}",
        "result": "{0, 0, 0, 0}",
        "calls": "1",
    }
    in_task = debug("sse4-i32x4", 0, f"source.ispc:{LINES['work']}", "first", "pair", "a[5]")
    assert in_task == {"first": "0", "pair": "{x = 1.5, y = 2}", "a[5]": "5"}


def test_optimised_code_still_stops_at_lines_and_knows_the_function(debug: Debug) -> None:
    found = debug("sse4-i32x4", 2, "included.isph:2", "bt 2", "a", "b")
    assert re.search(r"#0 +sum \(.*\) at .*included\.isph:2\n", found["bt 2"])
    assert re.search(r"#1 .* in test \(.*\) at .*source\.ispc:\d+", found["bt 2"])
    assert (found["a"], found["b"]) == ("6", "2")
    inner = debug("sse4-i32x4", 2, f"source.ispc:{LINES['deep']}", "bt 2")
    assert re.search(r"#1 .* in test \(", inner["bt 2"])
