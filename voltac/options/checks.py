"""What each option may be: one row a field of :class:`voltac.options.Options`, for the command line and for Python alike.

A value of the wrong type is a TypeError, one that is not allowed a ValueError; either
names the option, what it takes and what was given. Nothing else reaches the stages.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable
from typing import Any

from voltac.messages.suggestions import suggestion
from voltac.messages.visible import named_type, visible_name, visible_value
from voltac.target_info import TargetInfo, UnknownTarget, find_target

LEVELS = (0, 1, 2, 3)
ADDRESSINGS = (32, 64)
DWARF_VERSIONS = (2, 3, 4, 5)
"""What options with a number take: the levels, the widths of index arithmetic, the versions that LLVM writes."""
MATH_LIBRARIES = ("default", "fast", "system")
"""Where exp, sin, pow and the like come from (``--math-lib``)."""
FAST_MATH = ("", "legacy", "balanced", "aggressive")
STACK_PROTECTORS = ("", "none", "on", "strong", "all")
"""Which functions check the stack before they return."""
INSTRUMENTS = ("", "calls", "counts")
"""What an instrumented build does wherever the mask may differ."""
RUN_CHECKS = ("accesses", "races", "unwritten", "nonfinite")
"""What a checked run looks at."""
SIZES = ("", "small", "large")
"""Of code models and of tables of addresses."""
LARGEST_ALIGNMENT = 1 << 30
"""Bytes: the greatest power of two in a signed integer of 32 bits."""

# Compiled when there is something to compare with them.
_MACRO = r"[A-Za-z_]\w*(\([\w\s,.]*\))?"
_PART_OF_A_SYMBOL = r"[\w.$]*"

_WITHOUT_FLUSHING = ("riscv64", "wasm32")
"""Architectures that always compute with subnormal numbers as IEEE says."""

Check = Callable[[str, Any], Any]
"""Name of an option, value -> the value as the stages take it; raises what is wrong with it."""


def _wrong_type(name: str, expected: str, value: object) -> TypeError:
    return TypeError(f"{name} must be {expected}, not {_given(value)}")


def _wrong_value(name: str, expected: str, value: object, close: str = "") -> ValueError:
    return ValueError(f"{name} must be {expected}, not {_given(value)}{close}")


def _given(value: object) -> str:
    return visible_value(value) if value is None or isinstance(value, (bool, int, float, str)) else named_type(value)


def listed(values: Iterable[object]) -> str:
    """``'a', 'b' or 'c'``."""
    words = [repr(value) for value in values]
    return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong_type(name, "True or False", value)
    return value


def _integer(name: str, value: Any, expected: str) -> int:
    if isinstance(value, bool):
        raise _wrong_type(name, expected, value)
    try:
        return operator.index(value)
    except TypeError:
        raise _wrong_type(name, expected, value) from None


def _text(name: str, value: Any, expected: str) -> str:
    if not isinstance(value, str):
        raise _wrong_type(name, expected, value)
    if "\0" in value:
        raise _wrong_value(name, f"{expected} without null characters", value)
    return plain_text(value)


def plain_text(value: str) -> str:
    """The text itself: what a class derived from str is printed as may be another."""
    return str.__str__(value)


def _one_of_numbers(numbers: tuple[int, ...]) -> Check:
    def check(name: str, value: Any) -> int:
        number = _integer(name, value, listed(numbers))
        if number not in numbers:
            raise _wrong_value(name, listed(numbers), value)
        return number

    return check


def _one_of_words(words: tuple[str, ...]) -> Check:
    def check(name: str, value: Any) -> str:
        word = _text(name, value, listed(words))
        if word not in words:
            raise _wrong_value(name, listed(words), value, suggestion(word, words))
        return word

    return check


def _c_function(name: str, value: Any) -> str:
    expected = "the name of a C function"
    text = _text(name, value, expected)
    if text and not (text.isascii() and text.isidentifier()):
        raise _wrong_value(name, expected, value)
    return str(text)


def _part_of_a_symbol(name: str, value: Any) -> str:
    expected = "a part of a symbol, of letters, digits, '_', '.' and '$'"
    text = _text(name, value, expected)
    if text and not re.fullmatch(_PART_OF_A_SYMBOL, text, re.ASCII):
        raise _wrong_value(name, expected, value)
    return str(text)


def _alignment(name: str, value: Any) -> int:
    expected = f"0 or a power of two up to {LARGEST_ALIGNMENT}"
    number = _integer(name, value, expected)
    if not 0 <= number <= LARGEST_ALIGNMENT or number & (number - 1):
        raise _wrong_value(name, expected, value)
    return number


def _macros(name: str, value: Any) -> tuple[tuple[str, str], ...]:
    expected = "a tuple of pairs (name, value) of str"
    if not isinstance(value, tuple):
        raise _wrong_type(name, expected, value)
    for pair in value:
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(part, str) for part in pair):
            raise _wrong_type(name, expected, value)
        check_macro(*pair)
    return tuple((plain_text(macro), plain_text(text)) for macro, text in value)


def check_macro(name: str, value: str) -> None:
    """ValueError unless this can be a definition of the preprocessor."""
    if not re.fullmatch(_MACRO, name, re.ASCII):
        raise ValueError(f"'{visible_name(name)}' is no identifier: it cannot be the name of a macro")
    if "\n" in value or "\r" in value or "\0" in value:
        raise ValueError(f"the value of macro '{name}' must be one line of text, not {_given(value)}")


def _prefixes(name: str, value: Any) -> tuple[tuple[str, str], ...]:
    expected = "a tuple of pairs (old, new) of str"
    if not isinstance(value, tuple):
        raise _wrong_type(name, expected, value)
    for pair in value:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise _wrong_type(name, expected, value)
        if not _text(name, pair[0], expected):
            raise _wrong_value(name, f"{expected}, of which the old one is not empty", value)
    return tuple((_text(name, old, expected), _text(name, new, expected)) for old, new in value)


def _folders(name: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, tuple):
        raise _wrong_type(name, "a tuple of str", value)
    return tuple(_text(name, folder, "a tuple of str") for folder in value)


def _run_checks(name: str, value: Any) -> tuple[str, ...]:
    """True is all of them; in the order of :data:`RUN_CHECKS`, so that the same ones are the same code."""
    if isinstance(value, bool):
        return RUN_CHECKS if value else ()
    expected = f"True, False, or one or a tuple of {listed(RUN_CHECKS)}"
    words = (value,) if isinstance(value, str) else value
    if not isinstance(words, tuple):
        raise _wrong_type(name, expected, value)
    chosen = [_text(name, word, expected) for word in words]
    for word in chosen:
        if word not in RUN_CHECKS:
            raise _wrong_value(name, expected, word, suggestion(word, RUN_CHECKS))
    return tuple(word for word in RUN_CHECKS if word in chosen)


def _cpu(name: str, value: Any) -> str:
    """LLVM's name of it. Raises UnknownCpu, a ValueError that lists the others."""
    if not _text(name, value, "the name of a CPU"):
        return ""
    from voltac.target_info.cpus import find_cpu  # few name one

    return find_cpu(value).llvm_name


def _target(name: str, value: Any) -> TargetInfo:
    if not isinstance(value, TargetInfo):
        raise _wrong_type(name, "the name of a target or its TargetInfo", value)
    if value.is_device:
        return value
    # LLVM ends the process when a processor cannot run the code asked for.
    try:
        known = find_target(value.name)
    except UnknownTarget:
        known = None
    if known is None or value.cpu != known.cpu:
        from voltac.target_info.cpus import require_cpu_of  # few name one

        require_cpu_of(value, value.cpu)
    if known is None or (known.name, known.features) != (value.name, value.features):
        raise ValueError(f"{name} must be made of a record of find_target(): the features of '{value.name}' are others")
    return value


CHECKS: dict[str, Check] = {
    "target": _target,
    "level": _one_of_numbers(LEVELS),
    "defines": _macros,
    "include_directories": _folders,
    "addressing": _one_of_numbers(ADDRESSINGS),
    "debug_info": _truth,
    "debug_prefix_map": _prefixes,
    "dwarf_version": _one_of_numbers(DWARF_VERSIONS),
    "profiling": _truth,
    "sample_profile": lambda name, value: _text(name, value, "the text of a sample profile"),
    "position_independent": _one_of_words(SIZES),
    "math_library": _one_of_words(MATH_LIBRARIES),
    "standard_library": _truth,
    "wrap_signed": _truth,
    "disable_assertions": _truth,
    "disable_fma": _truth,
    "fast_math": _one_of_words(FAST_MATH),
    "reset_ftz_daz": _truth,
    "llvm_intrinsics": _truth,
    "internal_export_functions": _truth,
    "whole_program": _truth,
    "print_function": _c_function,
    "catch_failures": _truth,
    "checked": _run_checks,
    "cpu": _cpu,
    "all_on_paths": _truth,
    "masked_paths": _truth,
    "resolve_accesses": _truth,
    "force_alignment": _alignment,
    "ignore_preprocessor_errors": _truth,
    "preprocess": _truth,
    "symbol_suffix": _part_of_a_symbol,
    "code_model": _one_of_words(SIZES),
    "function_sections": _truth,
    "stack_protector": _one_of_words(STACK_PROTECTORS),
    "frame_pointer": _truth,
    "instrument": _one_of_words(INSTRUMENTS),
    "loop_unrolling": _truth,
    "streaming_stores": _truth,
}
"""Field of Options -> its check. A test holds that each field has one."""


def check_together(fields: Any) -> None:
    """What one option says of another."""
    target: TargetInfo = fields.target
    if fields.checked and (target.is_device or not fields.catch_failures):
        where = f"'{target.name}' is a device" if target.is_device else "this compilation is for C"
        raise ValueError(f"checked runs are calls from Python on this computer, and {where}")
    if fields.instrument and target.is_device:
        raise ValueError(
            f"instrumented builds are for this computer, and '{target.name}' is a device, whose simulator"
            " counts without: 'voltac sim', and k.f.last_run in Python"
        )
    if fields.cpu:
        from voltac.target_info.cpus import require_cpu_of  # few name one

        require_cpu_of(target, fields.cpu)
    if fields.reset_ftz_daz and (target.is_device or target.architecture in _WITHOUT_FLUSHING):
        where = f"on the device '{target.name}'" if target.is_device else f"on {target.architecture}"
        raise ValueError(f"reset_ftz_daz: there is no floating-point state to reset {where}")
    if fields.streaming_stores and not target.is_x86:
        raise ValueError(f"streaming_stores: loops bypass the caches on x86 only, and the target is '{target.name}'")
