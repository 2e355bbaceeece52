"""The recipes of docs/contributing.md as data: what each adds to a copy of the compiler, word for word.

A recipe's files and commands are those that its paragraph names: :func:`named_files` reads them from there, so that a
recipe which needs one more place, or one less, is a wrong recipe.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("voltac", "stdlib", "runtime")
PAGE = "docs/contributing.md"


@dataclass(frozen=True)
class Edit:
    """Lines that go behind the one line of a file in which a text stands, or in front of it."""

    path: str
    at: str
    """Stands in one line of the file; empty for a file that is new."""
    lines: str
    before: bool = False


@dataclass(frozen=True)
class Recipe:
    """``name`` is that of its paragraph; ``commands`` are modules that write generated files."""

    name: str
    edits: tuple[Edit, ...]
    commands: tuple[str, ...] = ()
    used: tuple[Edit, ...] = ()
    """What makes use of what was added, in any place."""
    elsewhere: tuple[str, ...] = ()
    """What the paragraph names for another case than this one."""


RECIPES = (
    Recipe("A builtin", (
        Edit("voltac/sema/builtins/elementwise.py", "# --- products of the parts",
             '@_builtin(4, "R T", ("R T",), WIDE)\n'
             "def __reverse_bits(gang: Gang, a: Value) -> Value:\n"
             '    """The lowest bit becomes the highest."""\n'
             '    numbers = a.view(f"u{a.dtype.itemsize}")\n'
             '    turned = _per_element(gang, lambda number, bits: int(f"{number:0{bits}b}"[::-1], 2), numbers)\n'
             "    return turned.view(a.dtype)\n\n",
             before=True),
        Edit("voltac/lower/builtins/table.py", '"__leading_zeros":', '    "__reverse_bits": _plain("bitreverse"),'),
    )),
    Recipe("A library function", (
        Edit("stdlib/bits.ispc", "COUNT_ZEROS(uint64)",
             "#define REVERSE_BITS(T) \\\n"
             "    T reverse_bits(T v) { return __reverse_bits(v); } \\\n"
             "    uniform T reverse_bits(uniform T v) { return __reverse_bits(v); }\n"
             "REVERSE_BITS(int32)\nREVERSE_BITS(uint32)\nREVERSE_BITS(int64)\nREVERSE_BITS(uint64)\n"
             "float halved(float v) { return v / 2; }"),
        Edit("voltac/editors/words.txt", "The bits of a number with only the sign left",
             "\nreverse_bits\n    T #(T v)\nThe lowest bit becomes the highest.\n\n"
             "halved\n    float #(float v)\nHalf of it."),
    ), ("voltac.sema.library.generate",), elsewhere=("stdlib/types.isph",)),
    Recipe("An elementary function for one `--math-lib`", (
        Edit("stdlib/fast/elementary.ispc", "",
             "\n// Off by one, to be told apart.\nfloat halved(float v) { return v / 2 + 1; }\n"),
    ), ("voltac.sema.library.generate",), elsewhere=("benchmarks/coefficients.py", "benchmarks/accuracy.py")),
    Recipe("A construct of the language", (
        Edit("voltac/editors/words.txt", "Waits until the tasks that the function launched have ended.",
             "\nswap\n    swap a, b;\nEach variable gets the value of the other."),
        Edit("voltac/syntax/grammar.lark", '-> sync',
             '          | "swap" assignment "," assignment ";"                                    -> swap'),
        Edit("voltac/syntax/ast/statements.py", "class Sync(Node):",
             "class Swap(Node):\n    first: Expression\n    second: Expression\n\n\n@record", before=True),
        Edit("voltac/syntax/ast/statements.py", "    | Sync", "    | Swap"),
        Edit("voltac/syntax/statements.py", "def sync(",
             "    def swap(self, start: int, end: int, first: ast.Expression, second: ast.Expression) -> ast.Swap:\n"
             "        return ast.Swap(self.span(start, end), first, second)\n", before=True),
        Edit("voltac/sema/tree.py", "class Sync(Statement):",
             'class Swap(Statement):\n    """Both values are found before either is stored."""\n\n'
             "    first: Assign\n    second: Assign\n\n\n@record", before=True),
        Edit("voltac/sema/statements/simple.py", "@statement(ast.Sync)",
             "@statement(ast.Swap)\n"
             "def check_swap(checker: Checker, node: ast.Swap) -> tree.Statement:\n"
             "    parts = []\n"
             "    for to, value in ((node.first, node.second), (node.second, node.first)):\n"
             '        part = checker.expression(ast.Assignment(node.span, "=", to, value))\n'
             "        if not isinstance(part, tree.Assign):\n"
             '            checker.reject("operand", node.span, "only what is assigned bit by bit can be swapped")\n'
             "        parts.append(part)\n"
             "    return tree.Swap(node.span, *parts)\n\n\n", before=True),
        Edit("voltac/interpreter/statements.py", "tree.Sync: self.sync,", "            tree.Swap: self.swap,"),
        Edit("voltac/interpreter/statements.py", "def sync(",
             "    def swap(self, node: tree.Swap, active: Mask) -> Mask:\n"
             "        parts = (node.first, node.second)\n"
             "        values = [self.expressions.evaluate(part.value, active) for part in parts]\n"
             "        for part, value in zip(parts, values):\n"
             "            place = part.place\n"
             "            self.expressions.write(place, self.expressions.location(place, active), value, active)\n"
             "        return active\n", before=True),
        Edit("voltac/lower/values/expressions.py", "def _assign_struct(",
             "@lowers_statement(tree.Swap)\n"
             "def lower_swap(c: FunctionContext, node: tree.Swap) -> None:\n"
             "    values = [c.value(part.value) for part in (node.first, node.second)]\n"
             "    for part, value in zip((node.first, node.second), values):\n"
             "        store(c, c.place(part.place), value)\n\n\n", before=True),
        Edit("voltac/lower/values/expressions.py", "from voltac.lower.function_context import",
             "from voltac.lower.function_context import lowers_statement", before=True),
    ), ("voltac.syntax.generate",), elsewhere=(
        "voltac/syntax/declarations.py", "voltac/syntax/expressions.py", "voltac/sema/analyses/effects.py",
        "voltac/sema/analyses/flow.py",
    )),
    Recipe("An option", (
        Edit("voltac/options/__init__.py", "disable_fma: bool = False", "    doubled: bool = False"),
        Edit("voltac/options/checks.py", '"disable_fma": _truth,', '    "doubled": _truth,'),
        Edit("voltac/cli/opt_words.py", '"disable-fma": (', '    "doubled": ("doubled", True),'),
    ), used=(
        Edit("voltac/syntax/predefined.py", '("ISPC_ASSERTS_DISABLED", options', '        ("DOUBLED", options.doubled),'),
    ), elsewhere=("voltac/cli/settings.py", "docs/write_options.py", "docs/options.md")),
    Recipe("A warning", (
        Edit("voltac/messages/warning_switches.py", 'WarningSwitch("shift",',
             '    WarningSwitch("shift-by-zero", True, "a shift that does nothing"),'),
        Edit("docs/diagnostics.md", "| `shift` |", "| `shift-by-zero` | on | a shift that does nothing |"),
    ), used=(
        Edit("voltac/sema/expressions/operators.py",
             'checker.warning("shift", span, f"the constant shift amount is negative',
             "    elif amount.value == 0:\n"
             '        checker.warning("shift-by-zero", span, "a shift by 0 bits does nothing; leave it out")'),
    )),
    Recipe("A pass", (
        # No citation of a file: it is there in the copy only.
        Edit("voltac/passes/" + "four_by_adding.py", "",
             '"""Products with 4 -> sums of sums.\n\n'
             "    %b = fmul float %a, 4.000000e+00\n    ->\n"
             "    %b.half = fadd float %a, %a\n    %b = fadd float %b.half, %b.half\n"
             '"""\n\n'
             "from __future__ import annotations\n\n"
             "from voltac.ir.model import Instruction, Module\nfrom voltac.options import Options\n\n\n"
             "def four_by_adding(module: Module, options: Options) -> None:\n"
             "    for function in module.functions:\n"
             "        for block in function.blocks:\n"
             "            block.instructions = [new for each in block.instructions for new in _sums(each)]\n\n\n"
             "def _sums(each: Instruction) -> list[Instruction]:\n"
             '    if each.op != "fmul" or "4.000000e+00" not in each.operands[1].value:\n'
             "        return [each]\n"
             '    value, half = each.operands[0], f"{each.name}.half"\n'
             '    texts = (f"{half} = fadd {value.type} {value.value}, {value.value}",'
             ' f"{each.name} = fadd {value.type} {half}, {half}")\n'
             '    return [Instruction("  " + text) for text in texts]\n'),
        Edit("voltac/passes/__init__.py", 'Pass("merge_equal_values"',
             '    Pass("four_by_adding", "products with 4 become sums", four_by_adding, optimizing),', before=True),
        Edit("voltac/passes/__init__.py", "from voltac.passes.arithmetic.equal_values import",
             "from voltac.passes.four_by_adding import four_by_adding"),
    )),
    Recipe("A target", (
        Edit("voltac/target_info/__init__.py", "_SSE4 = replace(_SSE2",
             '_SSSE3 = replace(_SSE2, isa="ssse3", isa_macro="SSSE3", cpu="core2", features="+ssse3")', before=True),
        Edit("voltac/target_info/__init__.py", '"sse2": (_SSE2, (', '    "ssse3": (_SSSE3, ("i32x4", "i32x8")),'),
        Edit("voltac/llvm/host.py", '"sse2": _SSE2,', '    "ssse3": _SSE2 + " ssse3",'),
        Edit("voltac/passes/accesses/cost_rows.py", "_ROWS = {", '    "ssse3": _SSE,'),
    ), elsewhere=("voltac/lower/functions/c_convention.py",)),
    Recipe("An instruction of a device", (
        Edit("voltac/targets/naplespu/isa.py", '(50, "crt_mask_i32"',
             '    (51, "left16_i32", "ss vv", INTEGER, 7, "left(rs0, 16)"),'),
        Edit("voltac/targets/naplespu/select/rules.py", "fneg.s(a)       ->",
             "shl.s(a, b:count16) -> left16_i32.ss a", before=True),
    )),
    Recipe("A device", tuple(
        Edit(f"voltac/targets/tiny/{path.name}", "", path.read_text())
        for path in sorted((Path(__file__).parent / "tiny_device").glob("*.py"))
    ), elsewhere=(
        "voltac/codegen", "voltac/codegen/legalize", "voltac/codegen/tidying", "voltac/codegen/loops",
    )),
    Recipe("A syntax error that deserves its own words", (
        Edit("voltac/syntax/recovery/words.py", """_word("or", "write '||'",""",
             """    _word("xor", "write '^'", "^", _in_function("a = a ¦xor b;")),"""),
        Edit("tests/test_mistakes.py", '("if (q > 1 ¦or n > 1) q = 1;"', """    ("q = q ¦xor n;", "write '^'"),"""),
    ), elsewhere=(
        "voltac/syntax/recovery/habits.py", "voltac/syntax/recovery/table.py", "tests/syntax/test_recovery.py",
    )),
)  # fmt: skip


def paragraph(name: str) -> str:
    """The text of a recipe in the page."""
    page = (ROOT / PAGE).read_text()
    found = re.search(rf"^\* \*\*{re.escape(name)}\*\*(.*?)(?=^\* |^## )", page, re.MULTILINE | re.DOTALL)
    assert found is not None, f"{PAGE} has no recipe '{name}'"
    return found[1]


def recipe_names() -> list[str]:
    return re.findall(r"^\* \*\*(.*?)\*\*", (ROOT / PAGE).read_text(), re.MULTILINE)


def named_files(text: str) -> list[str]:
    """What a paragraph names of files and folders."""
    written = re.findall(r"`([\w./]+)`", text) + re.findall(r"\]\((\w+\.md)\)", text)
    return [each for each in written if "/" in each or re.search(r"\.(py|lark|isph|md)$", each)]


def names(text: str, path: str) -> bool:
    """Whether a paragraph names a file, a folder that it is in, or its name where the folder is told by the device."""
    written = [each.rstrip("/") for each in named_files(text)]
    return any(
        path == each or path.startswith(each + "/") or ("/" not in each and path.endswith("/" + each)) for each in written
    )


@dataclass(frozen=True)
class Scratch:
    """A copy of the compiler in a folder of its own."""

    folder: Path

    def apply(self, edit: Edit) -> None:
        """Make an edit; the place has to be one line."""
        path = self.folder / edit.path
        if not edit.at:
            path.parent.mkdir(exist_ok=True)
            with path.open("a") as file:
                file.write(edit.lines)
            return
        lines = path.read_text().split("\n")
        places = [number for number, line in enumerate(lines) if edit.at in line]
        assert len(places) == 1, f"{edit.path}: {edit.at!r} stands in {len(places)} lines"
        place = places[0]
        if edit.before:
            # In front of what decorates it.
            while lines[place - 1].startswith("@") and not edit.lines.endswith("@record"):
                place -= 1
        lines[place if edit.before else place + 1 : place if edit.before else place + 1] = edit.lines.split("\n")
        path.write_text("\n".join(lines))

    def run(self, *words: str, fails: bool = False) -> subprocess.CompletedProcess[str]:
        """Python in the copy, with its compiler."""
        environment = os.environ | {"PYTHONPATH": str(self.folder), "VOLTAC_CACHE_DIR": str(self.folder / "cache")}
        done = subprocess.run([sys.executable, *words], cwd=self.folder, env=environment, capture_output=True, text=True)
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return name


def copy_with_recipes(folder: Path) -> Scratch:
    """A copy to which all recipes have been applied, and what is generated made anew."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    scratch = Scratch(folder)
    for edit in (edit for recipe in RECIPES for edit in (*recipe.edits, *recipe.used)):
        path = folder / edit.path
        if not path.exists() and (ROOT / edit.path).exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / edit.path, path)
        scratch.apply(edit)
    for command in dict.fromkeys(command for recipe in RECIPES for command in recipe.commands):
        scratch.run("-m", command)
    return scratch
