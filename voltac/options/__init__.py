"""The options of one compilation, as the stages see them: plain, frozen data, each value checked."""

from __future__ import annotations

from voltac.options.checks import CHECKS, check_together
from voltac.records import record
from voltac.target_info import TargetInfo


@record
class Options:
    """What is asked of a compilation besides its source. ``cli`` and ``python`` build it, stages read it.

    TypeError and ValueError say which value is none (:mod:`voltac.options.checks`).
    """

    target: TargetInfo
    level: int = 3
    """Optimisation level 0..3; 1 prefers small code."""
    defines: tuple[tuple[str, str], ...] = ()
    """Macros (name, value) of the command line, in order."""
    include_directories: tuple[str, ...] = ()
    addressing: int = 32
    debug_info: bool = False
    debug_prefix_map: tuple[tuple[str, str], ...] = ()
    """Beginnings of file names and what debug information has in their place (``--debug-prefix-map``)."""
    dwarf_version: int = 5
    """Version of the debug information (``--dwarf-version``)."""
    profiling: bool = False
    """Debug information has what sampling profilers look for (``--sample-profiling-debug-info``)."""
    sample_profile: str = ""
    """Text of a sample profile by which branches are weighed (``--profile-sample-use``)."""
    position_independent: str = ""
    """``''`` for executables of either kind; ``small`` or ``large`` for shared libraries too (``--pic``, ``--PIC``)."""
    math_library: str = "default"
    """``default``, ``fast`` or ``system``."""
    standard_library: bool = True
    wrap_signed: bool = False
    disable_assertions: bool = False
    disable_fma: bool = False
    fast_math: str = ""
    """``''``, ``legacy``, ``balanced`` or ``aggressive``."""
    reset_ftz_daz: bool = False
    llvm_intrinsics: bool = False
    internal_export_functions: bool = True
    whole_program: bool = False
    """No other file links with this one: exported functions get an internal version only if they are called here."""
    print_function: str = ""
    """C function that ``print`` hands its text to, ``void f(const char *)``; C's standard output without one."""
    catch_failures: bool = False
    """Calls of kernels are guarded (``voltac/python/failures.py``): what fails in them is reported and ends nothing."""
    checked: tuple[str, ...] = ()
    """What calls of kernels are checked for besides what the language says: ``accesses``, ``races``, ``unwritten``,
    ``nonfinite`` (``voltac/lower/checks``)."""
    cpu: str = ""
    """Tuning CPU that overrides the target's, by LLVM's name."""
    all_on_paths: bool = True
    """Emit all-on bodies for foreach and coherent statements (``--opt=disable-all-on-optimizations`` clears it)."""
    masked_paths: bool = True
    """Emit masked tails; ``voltac compare`` clears it to see the all-on path alone. Never cleared for real code."""
    resolve_accesses: bool = True
    """Turn regular gathers into loads and shuffles (``--opt=disable-gather-scatter-optimizations`` clears it)."""
    force_alignment: int = 0
    ignore_preprocessor_errors: bool = False
    preprocess: bool = True
    """False with ``--nocpp``."""
    symbol_suffix: str = ""
    """Appended to the symbols of functions in builds for several targets, such as ``_avx2``."""
    code_model: str = ""
    """``''``, ``small`` or ``large`` (``--mcmodel``)."""
    function_sections: bool = False
    """One section per function (``-ffunction-sections``)."""
    stack_protector: str = ""
    """``''`` or ``none``, ``on``, ``strong``, ``all`` (``--stack-protector``): which functions check the stack."""
    frame_pointer: bool = False
    """Every function keeps one (``--no-omit-frame-pointer``)."""
    instrument: str = ""
    """``calls`` of ISPCInstrument (``--instrument``) or ``counts`` (``voltac profile``) wherever the mask may differ."""
    loop_unrolling: bool = True
    """LLVM may unroll loops (``--opt=disable-loop-unroll`` clears it)."""
    streaming_stores: bool = False
    """Loops that store more than caches hold bypass them (``--opt=streaming-stores``)."""

    def __post_init__(self) -> None:
        fields = self.__dict__
        for name, value in fields.items():
            fields[name] = CHECKS[name](name, value)
        check_together(self)
