"""The texts of ``--help`` and ``--version``, written from the rows of options."""

from __future__ import annotations

import textwrap

from voltac.cli.commands import COMMANDS
from voltac.cli.opt_words import OPT_WORDS
from voltac.cli.option_table import COMPILE, Namespace, Option, groups_of
from voltac.cli.settings import diagnostics_of, options_of_arguments
from voltac.llvm.host import missing
from voltac.options import Options
from voltac.pipeline import DEVICE_STAGES, STAGE_NAMES, stages_of
from voltac.target_info import TARGETS, device_of_examples, listed_devices, target_aliases

_USAGE = {
    COMPILE: "voltac FILE.ispc -o FILE.o [-h FILE.h] [options]",
    "build": "voltac build [FILE.ispc ... -o OUTPUT] [options]",
    "demo": "voltac demo [options]",
    "compare": "voltac compare FILE.ispc [options]",
    "explain": "voltac explain FILE.ispc [options]",
    "explorer": "voltac explorer [FILE.ispc] [options]",
    "lsp": "voltac lsp [options]",
    "run": "voltac run FILE.ispc [options] [ARGUMENT ...]",
    "profile": "voltac profile FILE.ispc [options] [ARGUMENT ...]",
    "bench": "voltac bench FILE.ispc [options]",
    "replay": "voltac replay FILE [options]",
    "bisect": "voltac bisect FILE.ispc --check CMD [options]",
    "disasm": "voltac disasm FILE.elf [options]",
    "sim": "voltac sim FILE.elf [options] [ARGUMENT ...]",
    "explain-error": "voltac explain-error [CODE ...]",
    "cache": "voltac cache info|clear|verify [options]",
}

_EXPLANATION = {
    COMPILE: "Compile an SPMD program to an object file that C and C++ programs link with. '-' reads standard input.",
    "build": """Compile sources for several instruction sets and link them, without a C compiler: to a shared library for C
programs (-o libNAME.so), or for Python programs that have numpy and no voltac to a package (-o NAME, a folder) or a module
of one file (-o NAME.abi3.so). They take the best code that the CPU runs. Without --target there is code for sse2-i32x4,
avx2-i32x8 and avx512skx-x16. Without files it builds what the table [tool.voltac] of pyproject.toml names.""",
    "demo": COMMANDS["demo"].capitalize() + ".",
    "compare": COMMANDS["compare"].capitalize() + ".",
    "explain": """Show line by line what each memory access and each foreach statement became, and why: a vector load, a
shuffle, a gather; in whole gangs or under a mask.""",
    "explorer": """Serve a page on 127.0.0.1, at an address that nobody can guess and that is printed: an editor with the
compiler's messages while you type, what each line became, the assembly language, both paths of each statement, and a call that
is gone through step by step. FILE is what the editor begins with; it is never written to. Ctrl-C ends it.""",
    "lsp": """Serve an editor by the Language Server Protocol, on standard input and output: messages while you type, types
and what accesses became where the mouse is, definitions, symbols, completion. Editors start it; the options hold for all
files, and editors add those of a workspace as "options". It needs pygls: pip install 'voltac[editor]'.""",
    "profile": """Call an exported function, compiled with counters, on arguments given as for 'voltac run', and show the
source as a heat map: how often gangs executed each line, which share of their lanes was on, how often all and how often none.
A small share is where lanes wait for others.""",
    "bench": """Measure an exported function: for several targets, its path with all lanes on, its masked path and both as they
are compiled, and a gang of one lane; on arrays that lie in each level of memory. Beside each time is the share of what the
machine allows, measured too: bytes a second from that level, multiply-adds a second. --html has a roofline.""",
    "replay": """Make a call again that a Python program recorded: k.f.record(FILE)(...). Prints what differs from what it left
then. Options go before those it was recorded with. Opening a file runs nothing of it; replaying runs its kernel, with
--interpret so that each access is checked.""",
    "bisect": """Compile with the first N of the passes that can be left out, and find the least N with which CMD fails. CMD
is a command of the shell; the object file, or a device's program, is $VOLTAC_OBJECT. LLVM's own pipeline is one pass.""",
    "disasm": """Print the code of a device's program: address, word and assembly language of each instruction, with the labels,
and what is known of the file.""",
    "sim": """Run a kernel of a device's program on the simulator. Arguments are given as for 'voltac run'; without any, some
are made up. Prints the result, the arrays as the kernel leaves them, and what the run took: instructions, cycles, stalls,
cache misses and the share of lanes that were on.""",
    "explain-error": """Say what is wrong where a message has this code, with a wrong and a right program. Messages in JSON and
SARIF have their code; a terminal shows them below the messages. Without a code, list them all.""",
    "cache": """What Python programs compiled is kept in a folder, up to a limit: VOLTAC_CACHE_DIR and VOLTAC_CACHE_SIZE. 'info'
says where it is and what it takes, 'clear' empties it, 'verify' reads all of it, and removes what is damaged or of an older
voltac.""",
    "run": """Call an exported function on arguments given as text: a number, or for an array 'range:N' (0, 1, ... N-1),
'zeros:N', 'random:N', '1,2,3' or the name of a .npy file. Without arguments it makes some up. Prints the result and the
arrays as the call leaves them.""",
}

_EXAMPLES = {
    COMPILE: (
        ("voltac f.ispc -o f.o -h f.h --target=avx2-i32x8", "an object and its header, for CPUs with AVX2"),
        ("voltac f.ispc --emit-asm -o - --target=host", "look at the assembly language for this machine"),
        ("voltac f.ispc --emit-llvm-text -o f.ll -O1", "LLVM text, small code"),
        ("voltac f.ispc --target=host --print-stage=lower --time", "see inside: what a stage makes, how long each takes"),
    ),
    "build": (
        ("voltac build f.ispc -o libf.so -h f.h", "a shared library, and the header of its functions"),
        ("voltac build f.ispc g.ispc -o mine/kernels", "a package: from mine.kernels import saxpy"),
        ("voltac build f.ispc -o kernels.abi3.so", "a module of one file: from kernels import saxpy"),
    ),
    "demo": (("voltac demo --folder /tmp/pictures", "write the pictures there"),),
    "compare": (
        ("voltac compare f.ispc --target=avx2-i32x8", "print it"),
        ("voltac compare f.ispc --function saxpy --html page.html", "one function, as a page"),
    ),
    "explain": (
        ("voltac explain f.ispc --target=avx2-i32x8", "print it"),
        ("voltac explain f.ispc --html page.html", "the same as a page"),
    ),
    "explorer": (
        ("voltac explorer", "with a program to try"),
        ("voltac explorer f.ispc --target=avx2-i32x8 -I include", "the editor begins with this file"),
    ),
    "lsp": (
        ("voltac lsp", "what an editor starts"),
        ("voltac lsp --target=avx2-i32x8 -I include", "with the options of the build"),
    ),
    "profile": (
        ("voltac profile f.ispc --function saxpy 2.0 range:8 random:8 zeros:8 8", "print it"),
        ("voltac profile f.ispc --html page.html", "the same as a page"),
    ),
    "bench": (
        ("voltac bench f.ispc --targets avx2-i32x8,avx2-i32x16 --sizes L1,L2", "two widths of the gang"),
        ("voltac bench f.ispc --data arguments.npz --html page.html", "arrays of yours, as a page"),
    ),
    "replay": (
        ("voltac replay call.zip", "does it happen here, too?"),
        ("voltac replay call.zip --target=sse4-i32x4 -O0", "with other options"),
        ("voltac replay call.zip --interpret", "what the language says"),
    ),
    "bisect": (
        ("voltac bisect f.ispc --check 'cc main.c $VOLTAC_OBJECT -o t && ./t'", "a program that tests itself"),
        ("voltac bisect f.ispc --target={device} --check 'voltac sim $VOLTAC_OBJECT'", "a device's program"),
    ),
    "disasm": (
        ("voltac disasm kernel.elf", "what the program looks like"),
        ("voltac disasm kernel.elf --json", "for other programs"),
    ),
    "sim": (
        ("voltac sim kernel.elf 2.0 range:64 random:64 64", "one core with eight threads"),
        ("voltac sim kernel.elf --cores 4 --threads 2 --latency 100 --fpu rtl", "another machine"),
        ("voltac sim kernel.elf --trace", "each instruction with its cycle, thread and result"),
    ),
    "explain-error": (
        ("voltac explain-error conversion", "one of them"),
        ("voltac explain-error", "the list"),
    ),
    "cache": (
        ("voltac cache info", "how much there is, and where"),
        ("voltac cache verify --json", "for other programs"),
    ),
    "run": (
        ("voltac run f.ispc --function saxpy 2.0 range:8 random:8 zeros:8 8", "compiled code"),
        ("voltac run f.ispc --interpret --trace 2.0 range:8 random:8 zeros:8 8", "statement by statement"),
    ),
}

_OF_SOURCES = (COMPILE, "build", "compare", "explain", "explorer", "lsp", "run", "profile", "bench", "replay", "bisect")
"""The commands that compile, with stages and targets."""

_MORE_ARGUMENTS = "More arguments: '@FILE' stands for the words in FILE; those in the variable ISPC_ARGS are appended."
_EXIT_CODES = "Exit code: 0; 1 for file errors; 2 for a wrong command line; 1 + the number of errors in the program."

_COLUMN = 30
_WIDTH = 80
"""Where explanations begin, behind most options; and the line of a terminal, also where the help goes to a file."""


def text_asked_for(command: str, arguments: Namespace) -> str:
    """What a command line prints that asks for one of :data:`voltac.cli.option_table.TEXTS`."""
    if arguments.help:
        return help_text(command)
    if arguments.version:
        return version_text()
    if arguments.support_matrix:
        return support_matrix()
    return table_of_passes(options_of_arguments(arguments, diagnostics_of(arguments)))


def help_text(command: str) -> str:
    """What ``voltac [command] --help`` prints."""
    out = [f"usage: {_USAGE[command]}", "", *_wrapped(_EXPLANATION[command], 0), ""]
    if command == COMPILE:
        out += ["Other commands (each with a --help of its own):"]
        out += [line for word, text in COMMANDS.items() for line in _row(f"voltac {word}", text)]
        out += ["  A file that is called like a command is given as ./demo.", ""]
    out.append("Examples:")
    device = device_of_examples()
    rows = ((example.replace("{device}", device), text) for example, text in _EXAMPLES[command])
    out += [line for example, text in rows for line in (f"  {example}", f"      {text}")]
    for group in groups_of(command):
        out += ["", f"{group.title}:"]
        out += [line for option in group.options if option.help for line in _row(option_spelling(option), option.help)]
        out += _wrapped(" ".join(option_spelling(option) for option in group.options if not option.help), 2)
    if command in _OF_SOURCES:
        out += ["", *_wrapped(f"Stages (STAGE): {', '.join(STAGE_NAMES)}", 0)]
        behind = ", ".join(stage.name for stage in DEVICE_STAGES if stage.name not in STAGE_NAMES)
        out += _wrapped(f"For a device, behind 'passes': {behind}", 0)
        out += ["", "Targets (--target):", *_wrapped("host, " + ", ".join(TARGETS), 2)]
        out += _wrapped("devices, whose programs run on a simulator: " + ", ".join(listed_devices()), 2)
        out += _wrapped("short names: " + ", ".join(f"{short} = {name}" for short, name in target_aliases().items()), 2)
        out += ["", "Words of --opt:"]
        out += _wrapped(", ".join(word for word, meaning in OPT_WORDS.items() if not isinstance(meaning, str)), 2)
        idle = [word for word, meaning in OPT_WORDS.items() if isinstance(meaning, str)]
        out += _wrapped("accepted with a warning, there is no effect: " + ", ".join(idle), 2)
    if command == COMPILE:
        out += ["", *_wrapped(_MORE_ARGUMENTS, 0), *_wrapped(_EXIT_CODES, 0)]
    return "\n".join(out) + "\n"


def table_of_passes(options: Options) -> str:
    """What ``--list-passes`` prints: each stage of a compilation with these options, and its passes."""
    out = []
    for stage in stages_of(options.target):
        out.append(f"{stage.name}: {stage.purpose}")
        for row in stage.passes(options.target):
            mark = "-" if not row.applies(options) else "!" if row.required else " "
            out += _row(f"{mark} {row.name}", row.purpose)
    return "\n".join([*out, "", "!  cannot be left out    -  does not run with these options"]) + "\n"


def support_matrix() -> str:
    """What ``--support-matrix`` prints: for each target whether this CPU runs its code, and what it lacks."""
    lines = []
    for name, target in TARGETS.items():
        lacking = missing(target)
        lines.append(f"{name:16} {'runs here' if not lacking else 'needs ' + ' '.join(lacking)}\n")
    lines += [f"{name:16} a device: runs here on its simulator\n" for name in listed_devices()]
    return "".join(lines)


def version_text() -> str:
    """What ``--version`` prints. Build systems look for ``ISPC), 1.32.0``, and take the first number of three parts."""
    return (
        "voltac, in place of the Intel(r) Implicit SPMD Program Compiler (Intel(r) ISPC), 1.32.0 "
        f"(voltac {package_version('voltac')}, llvmlite {package_version('llvmlite')})\n"
    )


def package_version(package: str) -> str:
    """As installed, or words that say it is not."""
    from importlib.metadata import PackageNotFoundError, version  # late: slow to import, and only --version asks

    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed, run from its source)"


def option_spelling(option: Option) -> str:
    """An option's names with its value, as one writes it."""
    value = option.metavar or "|".join(option.choices.split())
    after = {"equals": f"={value}", "next": f" {value}", "attached": value, "joined": f" {value}", "optional": f"[={value}]"}
    after["settled"] = "[=VALUE]"
    names = option.names.split()
    return ", ".join([*names[:-1], names[-1] + after.get(option.form, "")])


def _row(left: str, right: str) -> list[str]:
    lines = textwrap.wrap(right, _WIDTH - _COLUMN) or [""]
    if len(left) + 3 > _COLUMN:
        return [f"  {left}", *(" " * _COLUMN + line for line in lines)] if right else [f"  {left}"]
    return [f"  {left}".ljust(_COLUMN) + lines[0], *(" " * _COLUMN + line for line in lines[1:])]


def _wrapped(text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False)
