"""Broken programs: sources with tokens deleted, doubled, swapped, replaced or cut, and what the compiler makes of them.

Mutation ``seed`` is always the same text (:func:`mutation`). A :class:`Compiler` is a process of its own that compiles
such texts, so that a crash of the process or a hang is seen as well. Each text must be compiled, or give errors that all
have a place; anything else is a failure. As a program this runs seeds and prints the failures:

    python tests/support/mutations.py FIRST COUNT FOLDER [--object]
"""

import contextlib
import functools
import json
import os
import random
import re
import select
import subprocess
import sys
import time
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subtrees import mutated_tree

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 5.0
"""Processor time a text may take."""
PATIENCE = 300.0
"""Time by the clock after which a compilation that got no processor is given up."""
TARGETS = ("sse4-i32x4", "avx2-i32x8", "avx512skx-x16", "avx2-i32x16", "sse4-i8x16", "avx2-i32x8", "avx1-i64x4", "neon-i32x4",
           "sse2-i32x8", "avx512skx-x64", "generic-i32x1", "wasm-i32x4")  # fmt: skip
TOKEN = re.compile(r'[A-Za-z_]\w*|"(?:[^"\\\n]|\\.)*"|[0-9][\w.]*|//[^\n]*|\.\.\.|->|[-+*/%<>=!&|^]=|<<|>>|&&|\|\||\+\+|--|\S')
_WORDS = (
    "( ) [ ] { } ; , : . ... -> ++ -- + - * / % << >> < > <= >= == != & ^ | ~ ! && || ? = += <<= # ## @ ' \" \\ $ "
    "uniform varying soa<4> const static export extern task unmasked inline typedef struct enum template typename signed "
    "unsigned void bool int8 int16 int int64 uint8 uint uint64 float16 float double int<3> float<4> int* uniform* "
    "if else cif for cfor while cwhile do cdo switch case default break continue return goto foreach foreach_tiled "
    "foreach_active foreach_unique in launch sync new delete delete[] sizeof print assert NULL true false "
    "0 1 -1 0x 08 1e400 4294967296 9223372036854775807 18446744073709551616 1.5f 1d 1.5d 1f16 0...3 programIndex "
    "programCount taskIndex reduce_add any all broadcast shuffle exp operator+ __attribute__ __mask size_t auto char x y i "
    "#define #if #endif #else #include #pragma // /* */"
)
VOCABULARY = _WORDS.split()
CHARACTERS = "(){}[];\"'\\#<>*&=,.0\0é\t\r\f\v\b\x1b\x7f\x85\x9b\u200b\u2028\u202e\u2066\ufeff"


@functools.cache
def sources() -> list[Path]:
    """The programs of the tests, the standard library and the benchmarks' kernels."""
    found: list[Path] = []
    for folder in ("tests", "stdlib", "benchmarks"):
        found += sorted(path for pattern in ("*.ispc", "*.isph") for path in (ROOT / folder).rglob(pattern))
    return found


@dataclass(frozen=True)
class Mutation:
    seed: int
    source: Path
    text: str
    target: str
    level: int
    debug_info: bool


def mutation(seed: int) -> Mutation:
    chance = random.Random(seed)
    source = chance.choice(sources())
    text = source.read_text()
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        if chance.random() < 0.3:
            text = mutated_tree(text, chance.choice(sources()).read_text(), chance)
        else:
            text = mutated(text, chance)
    if chance.random() < 0.05:
        name = chance.choice(("other.ispc", "\x1b[2J", "a b"))
        text = f'#line {chance.choice((0, 1, 77, 2147483647))} "{name}"\n' + text
    return Mutation(seed, source, text, chance.choice(TARGETS), chance.choice((0, 1, 2, 2, 3)), chance.random() < 0.2)


def mutated(text: str, chance: random.Random) -> str:
    """The text with one mutation."""
    found = [match for match in TOKEN.finditer(text) if not match.group().startswith("//")]
    if len(found) < 3:
        return text
    at = chance.randrange(len(found) - 1)
    token, following, other = found[at], found[at + 1], chance.choice(found)
    before, behind = text[: token.start()], text[token.end() :]
    lines = text.split("\n")
    line = chance.randrange(len(lines))
    length = chance.choice((1, 1, 2, 5, 20))
    match chance.randrange(20):
        case 14 | 15 | 16 | 17 | 18:
            return before + of_its_class(token.group(), [match.group() for match in found], chance) + behind
        case 0 | 1:
            return before + behind
        case 2:
            return before + token.group() + " " + token.group() + behind
        case 3 | 4:
            return before + following.group() + " " + token.group() + text[following.end() :]
        case 5:
            return before + other.group() + behind
        case 6:
            return before + other.group() + " " + token.group() + behind
        case 7:
            return before + " " + chance.choice(VOCABULARY) + " " + behind
        case 8:
            return before + " " + chance.choice(VOCABULARY) + " " + token.group() + behind
        case 9:
            return text[: chance.randrange(len(text))]
        case 10:
            return "\n".join(lines[:line] + lines[line + length :])
        case 11:
            return "\n".join(lines[:line] + lines[line : line + length] * 2 + lines[line + length :])
        case 12:
            place = chance.randrange(len(text))
            return text[:place] + chance.choice(CHARACTERS) + text[place + chance.randrange(2) :]
        case _:
            return before + text[found[min(at + length, len(found) - 1)].start() :]


CLASSES = tuple(
    frozenset(words.split())
    for words in (
        "int8 int16 int int32 int64 uint8 uint16 uint uint32 uint64 float16 float double bool void",
        "uniform varying const static soa<4>",
        "+ - * / % << >> & | ^ < > <= >= == != && ||",
        "= += -= *= /= %= <<= >>= &= |= ^=",
        "if while cif cwhile switch foreach_active",
        "for cfor foreach foreach_tiled",
        "break continue return",
        "true false NULL 0 1 2 3 -1 7 255 256 65536 4294967295 programIndex programCount 0.5f 1e30d 1.5f16 lanemask()",
        "++ -- ! ~",
        ". ->",
        "reduce_add reduce_min reduce_max any all popcnt broadcast extract abs min max sqrt exp sin floor rotate shuffle",
    )
)


def of_its_class(token: str, others: list[str], chance: random.Random) -> str:
    """Another token of its class: of these, or a name for a name and a number for a number of the text."""
    for words in CLASSES:
        if token in words:
            return chance.choice(sorted(words))
    if token[0].isalpha() or token[0] == "_":
        return chance.choice([other for other in others if other[0].isalpha() or other[0] == "_"])
    if token[0].isdigit():
        return chance.choice(
            ("0", "1", "-1", "2", "31", "64", "127", "1000000007", "programIndex", "1.5", *filter(str.isdigit, others))
        )
    return token


# --- in the compiling process -----------------------------------------------------------------------------------


def compile_job(job: dict[str, Any]) -> str:
    """What becomes of a text: ``compiled``, ``errors``, or what is wrong with how it ended."""
    from voltac.driver import compile_source
    from voltac.llvm import early
    from voltac.messages.diagnostics import CompileError, Diagnostics, InternalError
    from voltac.options import Options
    from voltac.target_info import find_target

    options = Options(target=find_target(job["target"]), level=job["level"], debug_info=job["debug_info"])
    diagnostics = Diagnostics()
    try:
        if job["object"]:
            made = compile_source(job["text"], job["file"], options, diagnostics)
            made.optimized.object_code()
        else:
            made = compile_source(job["text"], job["file"], options, diagnostics, end="lower")
            early(made.results["lower"], options)
    except CompileError as error:
        return misplaced(job["text"], job["file"], error.diagnostics)
    except InternalError as error:
        return f"InternalError: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return unsafe(diagnostics.render()) or "compiled"


def unsafe(text: str) -> str:
    """What is wrong with messages that would act on a terminal."""
    found = [char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    return f"a message with the character {found[0]!a}" if found else ""


def misplaced(text: str, file: str, diagnostics: Any) -> str:
    """``errors``, unless there is none or one that does not stand in the text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    errors = [item for item in diagnostics.items if item.kind in ("Error", "error")]
    if not errors:
        return "refused without an error"
    for item in errors:
        span = item.span
        if span.line < 1 or span.column < 1 or not item.text.strip():
            return f"an error without a place: {item.text}"
        if span.file == file and span.line > len(lines):
            return f"an error behind the end of the text, in line {span.line}: {item.text}"
    return unsafe(diagnostics.render()) or "errors"


def serve() -> None:
    """Answer jobs, one JSON text a line, until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        started = time.process_time()
        outcome = compile_job(json.loads(line))
        answers.write(json.dumps([outcome, time.process_time() - started]) + "\n")
        answers.flush()


# --- in the checking process -------------------------------------------------------------------------------------


class Compiler:
    """A process that compiles; it is started anew when it has crashed or hangs."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Compiler":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def processor_time(self) -> float:
        assert self.process is not None
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return 0.0

    def outcome(self, case: Mutation, to_object: bool) -> str:
        """``compiled``, ``errors``, or what went wrong."""
        if self.process is None:
            path = os.pathsep.join((str(ROOT), str(ROOT / "tests" / "support")))
            self.process = subprocess.Popen(
                [sys.executable, __file__, "--serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": path},
            )
        process = self.process
        assert process.stdin is not None and process.stdout is not None
        job = {"text": case.text, "file": str(case.source), "target": case.target, "level": case.level}
        line = json.dumps({**job, "debug_info": case.debug_info, "object": to_object}) + "\n"
        started, before = time.monotonic(), self.processor_time()
        try:
            process.stdin.write(line.encode())
            process.stdin.flush()
        except BrokenPipeError:
            self.stop()
            return "the process was gone"
        while not select.select([process.stdout], [], [], 1.0)[0]:
            if self.processor_time() - before > SECONDS or time.monotonic() - started > PATIENCE:
                self.stop()
                return f"no end after {SECONDS} s"
        answer = process.stdout.readline()
        if not answer:
            process.wait()
            code = process.returncode
            self.stop()
            return f"the process crashed, exit status {code}"
        outcome, seconds = json.loads(answer)
        return str(outcome) if seconds <= SECONDS else f"took {seconds:.1f} s"


def run(
    first: int, count: int, to_object: bool = False, progress: int = 0, keep: Path | None = None
) -> tuple[list[str], dict[str, int]]:
    """The failures among some seeds, each with its outcome, and how many compiled or gave errors.

    With ``keep`` the texts that failed are written into that folder: a seed makes another text when sources change.
    """
    failures = []
    counts = {"compiled": 0, "errors": 0}
    with Compiler() as compiler:
        for seed in range(first, first + count):
            case = mutation(seed)
            outcome = compiler.outcome(case, to_object)
            if outcome in counts:
                counts[outcome] += 1
            else:
                failures.append(f"mutation {seed}: {outcome} ({case.source.name}, {case.target}, -O{case.level})")
                if keep is not None:
                    (keep / f"mutation_{seed}.ispc").write_text(case.text)
                if progress:
                    print(failures[-1][:600], flush=True)
            if progress and (seed + 1 - first) % progress == 0:
                print(f"{seed + 1 - first} of {count}: {counts}, {len(failures)} failures", flush=True)
    return failures, counts


if __name__ == "__main__":
    if "--serve" in sys.argv:
        serve()
    elif "--show" in sys.argv:
        print(mutation(int(sys.argv[1])).text)
    else:
        run(int(sys.argv[1]), int(sys.argv[2]), "--object" in sys.argv, 100, Path(sys.argv[3]))
