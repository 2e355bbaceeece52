"""The options of the command line as rows of data, which ``parsing.py`` reads words by.

One table serves the plain compile and every subcommand: a row says which of them
know the option. The words of ``--opt=`` are in ``opt_words.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

from voltac.messages.warning_switches import PERFORMANCE, SWITCHES
from voltac.options.checks import ADDRESSINGS, DWARF_VERSIONS, MATH_LIBRARIES, SIZES
from voltac.pipeline import EVERY_STAGE
from voltac.records import record
from voltac.target_info.device_facts import MachineSetting

COMPILE = "compile"
"""The command without a word of its own: ``voltac FILE -o FILE.o``."""

MACHINE = "Machine"
"""The group that the devices' own options join."""

_STAGES = " ".join(stage.name for stage in EVERY_STAGE)
_TEXT_STAGES = " ".join(stage.name for stage in EVERY_STAGE if stage.takes_text)


class Namespace(SimpleNamespace):
    """The fields that the words of a command line were put into, by the names that the rows give them."""


@record
class Option:
    """``form`` says how the value is given:

    ``flag``      no value; ``value`` is what the field is set to
    ``equals``    ``--name=value`` or ``--name value``
    ``next``      the next argument, ``-o file``
    ``attached``  ``-Dname``, in the same argument
    ``joined``    ``-Idir`` or ``-I dir``
    ``optional``  ``--name``, which means ``value``, or ``--name=value``
    ``settled``   the same, whatever the value given
    """

    names: str
    field: str
    form: str
    help: str
    value: object = True
    metavar: str = ""
    choices: str = ""
    repeated: bool = False


@record
class Group:
    """Options under one heading of the help, and the commands that know them."""

    title: str
    commands: tuple[str, ...]
    options: tuple[Option, ...]


_COMPILE = (COMPILE,)
_SOURCE = (COMPILE, "build", "compare", "explain", "explorer", "lsp", "run", "profile", "bench", "replay", "bisect")
"""The commands that compile a source file."""
_ALL = (*_SOURCE, "demo", "disasm", "sim", "cache", "explain-error")


def _words(values: tuple[object, ...]) -> str:
    return " ".join(str(value) for value in values if value != "")


def _warning_options() -> Iterator[Option]:
    """Each warning can be switched off and on; the last word counts."""
    for switch in SWITCHES:
        off = switch.text if switch.default else ""
        on = "" if switch.default else f"{switch.text} (off by default)"
        name = switch.name
        names = f"--wno-{name} -wno-{name}" if name == PERFORMANCE else f"--wno-{name}"
        yield Option(names, "warning_words", "flag", off, (name, False), repeated=True)
        yield Option(f"--w{name}", "warning_words", "flag", on, (name, True), repeated=True)


_WARNING_OPTIONS = tuple(_warning_options())


def _without_effect(name: str, reason: str, form: str = "flag") -> Option:
    return Option(name, "without_effect", form, "", (name, reason), repeated=True)


_FOR_DEVELOPERS = "it is for those who develop ispc; '--print-stage', '--time' and '--list-passes' look into this compiler"
_SWITCHES_OF_DEVELOPERS = (
    *("--time-trace", "--discard-value-names", "--print-target", "--yydebug", "--fuzz-test"),
    *("--debug", "--debug-llvm", "--debug-pm", "--debug-ir"),
)
_SETTINGS_OF_DEVELOPERS = (
    *("--ast-dump", "--dump-file", "--time-trace-granularity", "--off-phase", "--debug-phase", "--debug-pm-time-trace"),
    "--fuzz-seed",
)
"""With ``=VALUE``, or alone."""

GROUPS: tuple[Group, ...] = (
    Group("Output", _COMPILE, (
        Option("-o --outfile", "output", "next", "write the output to FILE; '-' is standard output", metavar="FILE"),
        Option("-h --header-outfile", "header", "next", "write a header for C and C++ to FILE", metavar="FILE"),
        Option("--emit-obj", "emit", "flag", "write object code (the default; for a device a file that is not linked yet)",
               "object"),
        Option("--emit-asm", "emit", "flag", "write assembly language", "assembly"),
        Option("--emit-llvm-text --emit-ir", "emit", "flag", "write LLVM assembly language", "text"),
        Option("--emit-llvm", "emit", "flag", "write LLVM bitcode", "bitcode"),
        Option("--emit-image", "emit", "equals",
               "write a device's memory as text, as its toolchain or the model of its hardware reads it; 'linux': an object"
               " with a start-up that calls the kernels on sample arrays, for GNU ld", choices="toolchain hardware linux"),
        Option("--budget", "budget", "equals",
               "count each function's gathers, scatters, masked accesses, divergent loops, spills and estimated cycles: write"
               " them to FILE, or fail where it has fewer", metavar="FILE"),
        Option("--task-pool", "task_pool", "flag", "compile the task pool that comes with voltac, instead of a file"),
        Option("--no-pragma-once", "pragma_once", "flag", "give the header an include guard, not #pragma once", False),
    )),
    Group("Target", _SOURCE, (
        Option("--target", "target", "equals", "instruction set and gang size; 'host' (the default) is the best for this CPU",
               metavar="NAME"),
        Option("--cpu --device", "cpu", "equals", "tune for this CPU; without --target it selects the target", metavar="NAME"),
        Option("--arch", "arch", "equals", "architecture (default: the target's)", metavar="NAME"),
        Option("--target-os", "system", "equals", "target system (default linux)", metavar="NAME"),
        Option("--addressing", "addressing", "equals", "bits of index arithmetic and size_t (default 32)",
               choices=_words(ADDRESSINGS)),
    )),
    Group("Code", (COMPILE, "bisect"), (
        Option("--pic", "position_independent", "flag", "code for shared libraries too, small offset table", "small"),
        Option("--PIC", "position_independent", "flag", "code for shared libraries too, large offset table", "large"),
        Option("--mcmodel", "code_model", "equals", "code model (default small)", choices=_words(SIZES)),
        Option("-ffunction-sections", "function_sections", "flag", "give each function a section of its own"),
        Option("-fno-function-sections", "function_sections", "flag", "keep functions in one section (the default)", False),
        Option("-g", "debug_info", "flag", "emit debug information"),
        Option("--dwarf-version", "dwarf_version", "equals", "version of the debug information; implies -g",
               choices=_words(DWARF_VERSIONS)),
        Option("--debug-prefix-map", "prefixes", "next", "debug information has NEW where the name of a file begins with OLD",
               metavar="OLD=NEW", repeated=True),
        Option("--sample-profiling-debug-info", "profiling", "flag", "debug information for sampling profilers; implies -g"),
        Option("--no-omit-frame-pointer", "frame_pointer", "flag", "every function keeps a frame pointer, for profilers"),
        Option("--instrument", "instrument", "flag", "call ISPCInstrument(file, note, line, mask) wherever the mask may differ",
               "calls"),
        Option("--stack-protector", "stack_protector", "optional",
               "functions with arrays on the stack check it before they return; 'strong': more of them, 'all': all",
               "on", choices="all none on strong"),
        Option("--x86-asm-syntax", "assembly_syntax", "equals", "of --emit-asm (default att)", choices="att intel"),
    )),
    Group("Optimisation", _SOURCE, (
        Option("-O0", "level", "flag", "no optimisation", 0),
        Option("-O1", "level", "flag", "prefer small code", 1),
        Option("-O2 -O", "level", "flag", "prefer fast code", 2),
        Option("-O3", "level", "flag", "fastest code (the default)", 3),
        Option("--opt", "opt", "equals", "switch a single optimisation; WORD is one of those listed below", metavar="WORD",
               repeated=True),
        Option("--math-lib", "math_library", "equals", "where exp, sin, pow and the like come from",
               choices=_words(MATH_LIBRARIES)),
        Option("--wrap-signed-int", "wrap_signed", "flag", "signed integers wrap around on overflow"),
        Option("--no-wrap-signed-int", "wrap_signed", "flag", "signed overflow is undefined (the default)", False),
        Option("--profile-sample-use", "sample_profile", "equals", "weigh branches by a sample profile in LLVM's text form",
               metavar="FILE"),
        Option("--force-alignment", "force_alignment", "equals", "alignment of what 'new' allocates", metavar="BYTES"),
    )),
    Group("Preprocessor", _SOURCE, (
        Option("-D", "defines", "attached", "define a macro, as 1 if no value is given", metavar="NAME[=VALUE]", repeated=True),
        Option("-I", "include_directories", "joined", "look for included files in DIR", metavar="DIR", repeated=True),
        Option("--include-path", "include_directories", "equals", "the same", metavar="DIR", repeated=True),
        Option("--ignore-preprocessor-errors", "ignore_preprocessor_errors", "flag", "go on after errors of the preprocessor"),
        Option("--nocpp", "preprocess", "flag", "skip the preprocessor (deprecated)", False),
    )),
    Group("Preprocessor output and dependencies", _COMPILE, (
        Option("-E", "preprocess_only", "flag", "preprocess only"),
        Option("-dM", "dump_macros", "flag", "with -E: print the macros defined at the end, nothing else", "only"),
        Option("-dD", "dump_macros", "flag", "with -E: print the macros too", "too"),
        Option("-M", "make_rule", "flag", "write a make rule with all files that were read"),
        Option("-MF", "make_rule_file", "next", "with -M: write the rule to FILE, not standard output", metavar="FILE"),
        Option("-MT", "make_rule_target", "next", "with -M: the target of the rule", metavar="NAME"),
        Option("-MMM", "dependency_list", "next", "write a sorted list of all files that were read", metavar="FILE"),
    )),
    Group("Language", _SOURCE, (
        Option("--nostdlib", "standard_library", "flag", "do without the standard library", False),
        Option("--enable-llvm-intrinsics", "llvm_intrinsics", "flag", "allow calls of @llvm.name(...)"),
        Option("--no-internal-export-functions", "internal_export_functions", "flag",
               "exported functions can be called from C only", False),
        Option("--internal-export-functions", "internal_export_functions", "flag",
               "exported functions can be called from the program itself too (the default)"),
    )),
    Group("Diagnostics", _SOURCE, (
        Option("--werror", "warnings_are_errors", "flag",
               "warnings count as errors, voltac's own only if they are switched on by name"),
        Option("--woff -woff", "warnings", "flag", "no warnings", False),
        Option("--diagnostics", "diagnostics", "equals",
               "as text (the default), as JSON, an object a line, or as a document of SARIF 2.1.0",
               choices="text json sarif"),
        Option("--quiet", "quiet", "flag", "print no diagnostics at all"),
        Option("--error-limit", "error_limit", "equals", "print at most N errors", metavar="N"),
        Option("--colored-output", "colored", "flag", "colours even if standard error is no terminal"),
        Option("--nowrap", "wrap", "flag", "do not break long messages into lines", False),
    )),
    Group("Warnings (--wno-NAME switches one off, --wNAME on)", _SOURCE, _WARNING_OPTIONS),
    Group("Looking into the compiler", (COMPILE, "run", "explain"), (
        Option("--time", "time", "flag", "print how long each stage takes"),
        Option("--print-stage", "print_stages", "equals", "print what a stage makes to standard error", metavar="STAGE",
               choices=_STAGES, repeated=True),
    )),
    Group("Passes", (COMPILE, "explain"), (
        Option("--print-after", "print_after", "equals", "print what a pass makes to standard error", metavar="PASS",
               repeated=True),
        Option("--print-changed", "print_changed", "flag", "print what each pass makes that changes anything"),
        Option("--time-passes", "time_passes", "flag", "print how long each pass takes, and whether it changed anything"),
        Option("--disable-pass", "disabled_passes", "equals", "leave a pass out", metavar="PASS", repeated=True),
        Option("--pass-limit", "pass_limit", "equals", "run the first N of the passes that can be left out", metavar="N"),
        Option("--verify-passes", "verify_passes", "flag", "check after each pass that what it left is well-formed"),
    )),
    Group("Running a part of the pipeline", _COMPILE, (
        Option("--begin-at", "begin", "equals", "the input is the text this stage takes", metavar="STAGE",
               choices=_TEXT_STAGES),
        Option("--end-after", "end", "equals", "stop after this stage and write its text to the -o file", metavar="STAGE",
               choices=_STAGES),
        Option("--stop-after", "stop_after", "equals", "stop after this pass and write its text to the -o file",
               metavar="PASS"),
    )),
    Group("What to build", ("build",), (
        Option("-o --outfile", "output", "next", "libNAME.so, a module NAME.abi3.so, or NAME, the folder of a Python package",
               metavar="OUTPUT"),
        Option("-h --header-outfile", "header", "next", "write a header for C and C++ to FILE", metavar="FILE"),
    )),
    Group("What to compare", ("compare",), (
        Option("--function", "function", "next", "only this exported function", metavar="NAME"),
        Option("--elements", "elements", "next", "elements the kernels are timed on", metavar="N"),
    )),
    Group("Form of the report", ("compare", "explain", "profile", "bench"), (
        Option("--html", "html", "next", "write one self-contained page to FILE", metavar="FILE"),
        Option("--json", "json", "flag", "print JSON"),
    )),
    Group("How to explore", ("explorer",), (
        Option("--port", "port", "equals", "serve on this port (default: any that is free)", metavar="N"),
    )),
    Group("Patience", ("explorer", "lsp"), (
        Option("--time-limit", "time_limit", "equals", "end what takes longer (default 10)", metavar="SECONDS"),
    )),
    Group("How to bisect", ("bisect",), (
        Option("--check", "check", "next", "shell command that succeeds if the object file $VOLTAC_OBJECT does what it should",
               metavar="CMD"),
    )),
    Group("What to run", ("run",), (
        Option("--function", "function", "next", "the exported function (needed if there are several)", metavar="NAME"),
        Option("--interpret", "interpret", "flag", "run the typed tree on numpy instead of compiled code"),
        Option("--trace", "trace", "flag", "with --interpret: print each statement with its mask and the lanes' values"),
        Option("--checked", "checked", "optional", "check accesses, races, unwritten, nonfinite: all, or those given", "all",
               "WORDS"),
    )),
    Group("What to profile", ("profile",), (
        Option("--function", "function", "next", "the exported function (needed if there are several)", metavar="NAME"),
    )),
    Group("What to measure", ("bench",), (
        Option("--function", "function", "next", "the exported function (needed if there are several)", metavar="NAME"),
        Option("--targets", "targets", "equals", "targets, with commas between (default: one of each instruction set here)",
               metavar="NAMES"),
        Option("--sizes", "sizes", "equals", "levels of memory that the arrays lie in (default: L1,L2,L3,MEM)",
               metavar="LEVELS"),
        Option("--data", "data", "equals", "arguments by name, as numpy.savez writes them, in place of made-up ones",
               metavar="FILE.npz"),
        Option("--rounds", "rounds", "next", "how many times everything is measured (default 11)", metavar="N"),
    )),
    Group("How to replay", ("replay",), (
        Option("--interpret", "interpret", "flag", "run the typed tree on numpy instead of compiled code"),
    )),
    Group("Assembly text", ("disasm", "sim"), (
        Option("--target", "target", "equals", "of a .s or .S file", metavar="NAME"),
        Option("-D", "defines", "attached", "define a macro, as 1 if no value is given", metavar="NAME[=VALUE]", repeated=True),
        Option("-I", "include_directories", "joined", "look for included files in DIR", metavar="DIR", repeated=True),
    )),
    Group("What to print", ("disasm", "cache"), (
        Option("--json", "json", "flag", "print JSON"),
    )),
    Group("What to run", ("sim",), (
        Option("--function", "function", "next", "the kernel (needed if there are several)", metavar="NAME"),
        Option("--trace", "trace", "flag", "print each instruction as it is executed, to standard error"),
        Option("--limit", "limit", "next", "give up after N cycles", metavar="N"),
        Option("--json", "json", "flag", "print what the run took as JSON"),
    )),
    Group(MACHINE, ("sim",), (
        Option("--cores", "cores", "next", "number of cores (default 1)", metavar="N"),
        Option("--threads", "threads", "next", "threads of each core (default 8)", metavar="N"),
    )),
    Group("Demo", ("demo",), (
        Option("--folder", "folder", "next", "where the pictures go (default voltac-demo)", metavar="DIR"),
        Option("--rounds", "rounds", "next", "how many times everything is measured (default 15)", metavar="N"),
    )),
    Group("Information", _ALL, (
        Option("--help --help-dev", "help", "flag", "print this text"),
        Option("--version -v", "version", "flag", "print the version"),
    )),
    Group("Information about targets", _COMPILE, (
        Option("--support-matrix", "support_matrix", "flag", "print the targets, and which of them run on this machine"),
        Option("--list-passes", "list_passes", "flag", "print the stages and passes of a compilation for the target"),
    )),
    Group("Accepted: so it is in any case", (COMPILE, "bisect"), (
        Option("--include-float16-conversions", "ignored", "flag", ""),
        Option("--no-vectorcall", "ignored", "flag", ""),
    )),
    Group("Accepted with a warning: there is no effect", (COMPILE, "bisect"), (
        _without_effect("--vectorcall", "only code for Windows has that calling convention"),
        _without_effect("--dllexport", "only libraries for Windows list what they export"),
        *(_without_effect(name, _FOR_DEVELOPERS) for name in _SWITCHES_OF_DEVELOPERS),
        *(_without_effect(name, _FOR_DEVELOPERS, "settled") for name in _SETTINGS_OF_DEVELOPERS),
    )),
    Group("Known, not supported", _COMPILE, (
        Option("--nanobind-wrapper", "unsupported", "joined", "",
               "'voltac.load(FILE)' in Python calls the kernels without one"),
        Option("--host-stub", "unsupported", "next", "",
               "'-h FILE' writes a header with all that C and C++ programs need"),
        Option("--dev-stub", "unsupported", "next", "",
               "'-h FILE' writes a header with all that C and C++ programs need"),
    )),
)  # fmt: skip

TEXTS = ("help", "version", "support_matrix", "list_passes")
"""Fields of options that ask for a text, and for nothing else."""


class UsageError(Exception):
    """The command line cannot be understood; ``str()`` is the message for the user."""


def options_of(command: str) -> list[Option]:
    """The options that a command knows."""
    return [option for group in groups_of(command) for option in group.options]


def groups_of(command: str) -> list[Group]:
    """The groups of a command's options."""
    return [with_machines(group) for group in GROUPS if command in group.commands]


def with_machines(group: Group) -> Group:
    """A group of the table; that of machines has what the devices' records say there is to choose, too."""
    return Group(group.title, group.commands, (*group.options, *_machine_options())) if group.title == MACHINE else group


def _machine_options() -> tuple[Option, ...]:
    """Settings of the devices' simulators; one that several devices have stands once."""
    from voltac import target_info  # late: only commands that run devices load what is known of all

    found: dict[str, Option] = {}
    for target in target_info.DEVICES.values():
        for setting in target.device.settings if target.device is not None else ():
            if setting.text:
                found.setdefault(setting.name, _machine_option(setting))
    return tuple(found.values())


def _machine_option(setting: MachineSetting) -> Option:
    word = f"--{setting.name.replace('_', '-')}"
    if isinstance(setting.values, range):
        return Option(word, setting.name, "next", f"{setting.text} (default {setting.usual})", metavar=setting.unit)
    if setting.values:
        return Option(word, setting.name, "equals", setting.text, choices=" ".join(setting.values))
    return Option(word, setting.name, "flag", setting.text)
