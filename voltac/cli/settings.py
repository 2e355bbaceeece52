"""Parsed arguments → the :class:`Options` and :class:`Diagnostics` of a compilation."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from voltac.cli.opt_words import OPT_WORDS
from voltac.cli.option_table import COMPILE, Namespace, UsageError
from voltac.cli.parsing import parse_arguments
from voltac.driver import read_source
from voltac.llvm.host import host_target
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import NOWHERE
from voltac.messages.suggestions import suggestion
from voltac.messages.warning_switches import AS_ERRORS, OFF_BY_DEFAULT
from voltac.options import Options
from voltac.options.checks import LARGEST_ALIGNMENT, check_macro
from voltac.pass_runs import PassRuns
from voltac.pipeline import InputError, Watch, passes_of
from voltac.records import replace
from voltac.target_info import SYSTEMS, TargetInfo, UnknownTarget, find_target
from voltac.target_info.cpus import UnknownCpu, find_cpu, target_of_cpu

# Architecture -> what it changes in the record of a target.
_ARCHITECTURES: dict[str, dict[str, Any]] = {
    "x86-64": {},
    "x86": {"triple": "i686-unknown-linux-gnu", "pointer_bits": 32},
    "aarch64": {},
    "riscv64": {},
    "wasm32": {},
}
_SPELLINGS = {"x86_64": "x86-64", "x64": "x86-64", "arm64": "aarch64", "wasm": "wasm32"}
_DEFAULT_TARGETS = {"aarch64": "neon-i32x4", "riscv64": "rvv-i32x8", "wasm32": "wasm-i32x4"}
"""Architecture -> target, where that is not the best for the machine voltac runs on."""
_TELLING_SYSTEMS = ("linux", "android")
"""Those that tell programs on aarch64 in one way what the CPU has."""
_OTHER_SYSTEMS = ("ios", "ps4", "ps5")
_SYSTEMS_WITHOUT_RISCV = ("macos", "windows")
_SYSTEMS_OF_64_BITS = ("macos", "windows")
_DISABLE_ZMM = ("avx512skx-x16", "avx512icl-x16")

_SECONDS = 10
"""What takes longer nobody wants to wait for while typing; ``--time-limit`` says otherwise."""
_MOST_DIGITS = 18
"""All such numbers fit into 64 bits; Python refuses to convert texts of some thousand digits."""

# Fields of the arguments that are fields of Options under the same name and of the same type.
_SAME = (
    "debug_info",
    "frame_pointer",
    "function_sections",
    "ignore_preprocessor_errors",
    "internal_export_functions",
    "llvm_intrinsics",
    "preprocess",
    "standard_library",
    "wrap_signed",
)
_OF_TARGET = ("has_gather", "has_scatter", "vector_bits")
"""Fields of targets that words of ``--opt`` set."""
_TEXTS = ("code_model", "instrument", "position_independent", "stack_protector")


def diagnostics_of(arguments: Namespace) -> Diagnostics:
    """Where messages go, as the arguments want them printed."""
    disabled = set(OFF_BY_DEFAULT)
    for name, wanted in arguments.warning_words:
        (disabled.discard if wanted else disabled.add)(name)
    asked = {name for name, wanted in arguments.warning_words if wanted}
    return Diagnostics(
        warnings=arguments.warnings,
        disabled=frozenset(disabled),
        as_errors=AS_ERRORS | asked if arguments.warnings_are_errors else frozenset(),
        error_limit=-1 if arguments.error_limit is None else number(arguments.error_limit, "--error-limit"),
        wrap=arguments.wrap,
        colored=arguments.colored or sys.stderr.isatty(),
        for_people=sys.stderr.isatty(),
        columns=_columns(),
        json=arguments.diagnostics == "json",
        quiet=arguments.quiet,
        gathered=arguments.gathered,
    )


def _columns() -> int:
    """The width of the terminal if messages go to one, else 80."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def options_of_arguments(arguments: Namespace, diagnostics: Diagnostics) -> Options:
    """The options of the compilation; warns where a default was chosen."""
    return options_of_targets(arguments, diagnostics)[0]


def settings_of_words(command: str, words: list[str]) -> tuple[Options, Diagnostics]:
    """The options that words say which stand on a page or in an editor's settings, for a command; ValueError."""
    try:
        arguments = parse_arguments(command, words)
        if arguments.operands:
            raise UsageError(f"'{arguments.operands[0]}' is no option; the source is what stands in the editor")
        diagnostics = diagnostics_of(arguments)
        return options_of_arguments(arguments, diagnostics), diagnostics
    except UsageError as error:
        raise ValueError(str(error)) from None


def options_of_targets(arguments: Namespace, diagnostics: Diagnostics) -> list[Options]:
    """The options of each compilation, one a target."""
    _warn_of_idle_options(arguments, diagnostics)
    names = (arguments.target or "").split(",")
    if len(names) == 1:
        return [_options(arguments, *_target(arguments, diagnostics), "")]
    if arguments.command not in (COMPILE, "build"):
        raise UsageError(f"'voltac {arguments.command}' takes one target, not '{arguments.target}'")
    if arguments.cpu:
        raise UsageError("option '--cpu' does not go with several targets: each has a CPU of its own")
    targets = [_on_system(_on_architecture(_named_target(name), arguments.arch), arguments.system) for name in names]
    other = next((target for target in targets if target.architecture != targets[0].architecture), None)
    if other is not None:
        raise UsageError(f"one build is for one architecture: '{targets[0].name}' and '{other.name}' are for two")
    for number, target in enumerate(targets):
        for other in targets[:number]:
            if {target.name.split("-")[0], other.name.split("-")[0]} == {"sse4.1", "sse4.2"}:
                raise UsageError(f"both SSE4 levels in one build ('{other.name}' and '{target.name}'); take one of them")
            if target.isa == other.isa:
                raise UsageError(f"two targets of one ISA, {target.isa}: '{other.name}' and '{target.name}'; take one of them")
    if targets[0].architecture == "aarch64" and targets[0].system not in _TELLING_SYSTEMS:
        raise UsageError(f"'{arguments.system}' says nothing of SVE to programs: give one target, not '{arguments.target}'")
    if "disable-zmm" in arguments.opt and not any(map(_has_zmm, targets)):
        raise UsageError(_no_zmm(targets))
    return [_options(arguments, target, "", f"_{target.isa}") for target in targets]


def _warn_of_idle_options(arguments: Namespace, diagnostics: Diagnostics) -> None:
    """What is accepted since command lines for ispc have it, and changes nothing."""
    for name, reason in getattr(arguments, "without_effect", ()):
        diagnostics.warning("output", NOWHERE, f"option '{name}' has no effect: {reason}")
    for word in dict.fromkeys(arguments.opt):
        reason = OPT_WORDS.get(word.partition("=")[0])
        if isinstance(reason, str):
            diagnostics.warning("output", NOWHERE, f"option '--opt={word}' has no effect: {reason}")


def _has_zmm(target: TargetInfo) -> bool:
    """Whether gangs of this target may be told to keep to narrower registers."""
    return target.name in _DISABLE_ZMM or target.isa == "generic"


def _no_zmm(targets: list[TargetInfo]) -> str:
    names = " and ".join(f"'{target.name}'" for target in targets)
    return f"--opt=disable-zmm is for the targets {', '.join(_DISABLE_ZMM)}, not for {names}"


def _options(arguments: Namespace, target: TargetInfo, tuning: str, suffix: str) -> Options:
    fields: dict[str, Any] = {name: getattr(arguments, name) for name in _SAME if hasattr(arguments, name)}
    fields |= {name: getattr(arguments, name, None) or "" for name in _TEXTS}
    switches = _switches(arguments.opt)
    of_target = {name: switches.pop(name) for name in _OF_TARGET if name in switches}
    fields |= switches
    if "vector_bits" in of_target and not _has_zmm(target):
        if not suffix:
            raise UsageError(_no_zmm([target]))
        del of_target["vector_bits"]  # of several targets it is for those with such registers
    if getattr(arguments, "dwarf_version", None):
        fields |= {"debug_info": True, "dwarf_version": int(arguments.dwarf_version)}
    if getattr(arguments, "prefixes", None):
        fields["debug_prefix_map"] = tuple(_prefix(text) for text in arguments.prefixes)
    if arguments.sample_profile:
        fields["sample_profile"] = _sample_profile(arguments.sample_profile)
    if getattr(arguments, "profiling", False):
        fields |= {"debug_info": True, "profiling": True}
    try:
        return Options(
            target=replace(target, **of_target) if of_target else target,
            level=3 if arguments.level is None else arguments.level,
            defines=tuple(defined_macro(text) for text in arguments.defines),
            include_directories=tuple(arguments.include_directories),
            addressing=int(arguments.addressing or 32),
            math_library=arguments.math_library or "default",
            force_alignment=_alignment(arguments.force_alignment),
            cpu=tuning,
            symbol_suffix=suffix,
            **fields,
        )
    except ValueError as error:
        raise UsageError(str(error)) from None


def _sample_profile(path: str) -> str:
    from voltac.passes.sample_profile import NotAProfile, read_profile  # late: brings all passes, for this only

    text = read_source(path)
    try:
        read_profile(text)
    except NotAProfile as error:
        raise InputError(f"{path}: {error}; 'llvm-profdata merge --sample --text' makes one") from None
    return text


def watch_of(arguments: Namespace, options: Options, begins: Callable[[str], None] | None = None) -> Watch:
    """What of the compilation is printed on the way, and which passes run; ``begins`` is told of each stage."""
    passes = _passes_wanted(arguments, options.target) if hasattr(arguments, "print_after") else PassRuns()
    return Watch(frozenset(arguments.print_stages), passes, arguments.time, begins=begins)


def _passes_wanted(arguments: Namespace, target: TargetInfo) -> PassRuns:
    """What the command line says of single passes."""
    stop_after = getattr(arguments, "stop_after", None)
    named = [*arguments.print_after, *arguments.disabled_passes, *([stop_after] if stop_after else [])]
    if named:
        known = passes_of(target)
        for name in named:
            if name not in known:
                hint = suggestion(name, known) or "; --list-passes shows them"
                raise UsageError(f"target '{target.name}' has no pass '{name}'{hint}")
        for name in arguments.disabled_passes:
            if known[name].required:
                raise UsageError(f"pass '{name}' cannot be left out: without it there is no code, or it is wrong")
    return PassRuns(
        frozenset(arguments.print_after),
        bool(arguments.print_changed),
        bool(arguments.time_passes),
        frozenset(arguments.disabled_passes),
        None if arguments.pass_limit is None else number(arguments.pass_limit, "--pass-limit"),
        stop_after or "",
        bool(arguments.verify_passes),
    )


def number(text: str, option: str) -> int:
    """The value of an option that takes a count."""
    if not text.isdecimal():
        least = " of at least 0" if text.removeprefix("-").isdecimal() else ""
        raise UsageError(f"option '{option}' needs a number{least}, not '{text}'")
    if len(text) > _MOST_DIGITS:
        raise UsageError(f"option '{option}' needs a number of at most {_MOST_DIGITS} digits, not one of {len(text)}")
    return int(text)


def time_limit(arguments: Namespace) -> int:
    """Seconds after which a compilation is ended while somebody types."""
    seconds = number(arguments.time_limit or str(_SECONDS), "--time-limit")
    if not seconds:
        raise UsageError("option '--time-limit' needs a number of at least 1, not '0'")
    return seconds


def _alignment(text: str | None) -> int:
    """What ``--force-alignment`` asks for; 0 without it."""
    if text is None:
        return 0
    alignment = number(text, "--force-alignment")
    if alignment == 0 or alignment & (alignment - 1):
        raise UsageError(f"option '--force-alignment' needs a power of two, not '{text}'")
    if alignment > LARGEST_ALIGNMENT:
        raise UsageError(f"option '--force-alignment' needs at most {LARGEST_ALIGNMENT}, not '{text}'")
    return alignment


def defined_macro(text: str) -> tuple[str, str]:
    """Name and text of a macro, of what stands behind ``-D``."""
    name, equals, value = text.partition("=")
    try:
        check_macro(name, value)
    except ValueError as error:
        raise UsageError(f"option '-D{text}': {error}") from None
    return name, value if equals else "1"


def _prefix(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not equals or not old:
        raise UsageError(f"option '--debug-prefix-map' needs OLD=NEW, the beginning of a name and another for it, not '{text}'")
    return old, new


def _switches(words: list[str]) -> dict[str, object]:
    fields: dict[str, object] = {}
    for word in words:
        # disable-apx takes a list of what to leave out.
        known = word if word in OPT_WORDS else word.partition("=")[0]
        if known not in OPT_WORDS or (known != word and known != "disable-apx"):
            raise UsageError(f"unknown word of --opt '{word}'{suggestion(word, OPT_WORDS)}; see 'voltac --help'")
        meaning = OPT_WORDS[known]
        if not isinstance(meaning, str):
            fields[meaning[0]] = meaning[1]
    return fields


def _target(arguments: Namespace, diagnostics: Diagnostics) -> tuple[TargetInfo, str]:
    """The target's record and the CPU to tune for, if that is not the target's own."""
    architecture = _architecture(arguments.arch) if arguments.arch else ""
    try:
        cpu = find_cpu(arguments.cpu) if arguments.cpu else None
    except UnknownCpu as error:
        raise UsageError(str(error)) from None
    if arguments.target is None:
        default = _DEFAULT_TARGETS.get(architecture)
        target = target_of_cpu(cpu) if cpu else find_target(default) if default else host_target()
        if arguments.command == COMPILE:
            best = "the one for this CPU name" if cpu else "the best for this machine"
            best = f"the usual one for {architecture}" if default and not cpu else best
            diagnostics.warning("output", NOWHERE, f"no --target given, using '{target.name}', {best}")
        return _on_system(_on_architecture(target, architecture), arguments.system), ""
    target = _on_system(_on_architecture(_named_target(arguments.target), architecture), arguments.system)
    return target, cpu.llvm_name if cpu else ""


def _named_target(name: str) -> TargetInfo:
    if name.lower() == "host":
        return host_target()
    try:
        return find_target(name)
    except UnknownTarget as error:
        raise UsageError(str(error)) from None


def _on_architecture(target: TargetInfo, name: str | None) -> TargetInfo:
    """The target's record for the architecture asked for, by default its own."""
    if not name:
        return target
    if target.is_device:
        raise UsageError(f"target '{target.name}' is a device and no architecture; leave out '--arch'")
    architecture = _architecture(name)
    if architecture != target.architecture and not (target.is_x86 and architecture in ("x86-64", "x86")):
        raise UsageError(f"target '{target.name}' is for {target.architecture}, not for architecture '{name}'")
    return replace(target, **_ARCHITECTURES[architecture])


def _architecture(name: str) -> str:
    """The usual spelling of an architecture's name."""
    spelling = _SPELLINGS.get(name, name)
    if spelling == "arm":
        raise UsageError("no code is made for 'arm', which has 32 bits; write --arch=aarch64 for ARM CPUs of 64 bits")
    if spelling not in _ARCHITECTURES:
        known = ", ".join(_ARCHITECTURES)
        raise UsageError(f"unknown architecture '{name}'{suggestion(name, _ARCHITECTURES)}; supported are: {known}")
    return spelling


def _on_system(target: TargetInfo, name: str | None) -> TargetInfo:
    """The target's record for the system asked for, by default Linux."""
    if not name:
        return target
    if target.is_device:
        raise UsageError(f"target '{target.name}' is a device without a system; leave out '--target-os'")
    known = ", ".join(SYSTEMS)
    if name in _OTHER_SYSTEMS:
        raise UsageError(f"no objects are made for '{name}', only for {known}")
    if name not in SYSTEMS:
        raise UsageError(f"unknown target system '{name}'{suggestion(name, SYSTEMS)}; supported are: {known}")
    if target.architecture == "wasm32":
        raise UsageError(f"target '{target.name}' makes WebAssembly, which has no system; leave out '--target-os'")
    if name in _SYSTEMS_WITHOUT_RISCV and target.architecture == "riscv64":
        raise UsageError(f"no objects are made for '{name}' on riscv64; there are those for linux, android, freebsd")
    if name in _SYSTEMS_OF_64_BITS and target.pointer_bits == 32:
        raise UsageError(f"no objects are made for '{name}' with 32 bits; leave out '--arch=x86'")
    return replace(target, triple=f"{target.triple.partition('-')[0]}-{SYSTEMS[name]}")
