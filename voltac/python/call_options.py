"""The options of ``voltac.load`` and ``voltac.compile`` as type checkers see them; nothing imports this at run time.

One entry a field of :class:`voltac.options.Options`, which says what they mean, and the arguments that take another form.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Literal, TypedDict

from voltac.target_info import TargetInfo

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]


class CompileOptions(TypedDict, total=False):
    """What may be asked of a compilation, by name."""

    target: str | TargetInfo
    defines: Mapping[str, object] | Iterable[str]
    include: Path | Iterable[Path]
    opt: int
    addressing: int
    debug_info: bool
    debug_prefix_map: Mapping[str, str] | Iterable[tuple[str, str]]
    dwarf_version: int
    profiling: bool
    sample_profile: str
    position_independent: Literal["", "small", "large"]
    math_library: Literal["default", "fast", "system"]
    standard_library: bool
    wrap_signed: bool
    disable_assertions: bool
    disable_fma: bool
    fast_math: Literal["", "legacy", "balanced", "aggressive"]
    reset_ftz_daz: bool
    llvm_intrinsics: bool
    internal_export_functions: bool
    whole_program: bool
    print_function: str
    catch_failures: bool
    checked: bool | str | tuple[str, ...]
    cpu: str
    all_on_paths: bool
    resolve_accesses: bool
    force_alignment: int
    ignore_preprocessor_errors: bool
    preprocess: bool
    code_model: Literal["", "small", "large"]
    function_sections: bool
    stack_protector: Literal["", "none", "on", "strong", "all"]
    frame_pointer: bool
    instrument: Literal["", "calls", "counts"]
    loop_unrolling: bool
    streaming_stores: bool
