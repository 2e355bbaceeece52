"""LLVM text, after the Python passes → simplified LLVM text → machine code: stage ``late``.

LLVM simplifies one function after the other.
"""

from __future__ import annotations

import operator
import re
from functools import cached_property
from typing import Any

from voltac import passes
from voltac.ir import marks
from voltac.llvm.half import half_conversions
from voltac.llvm.subtracted_sums import add_what_is_subtracted
from voltac.llvm.target_machine import LLVMModule, binding, pass_builder, stage, target_machine
from voltac.llvm.whole_program import drop_unused_functions, is_internal, join_functions
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns, optimizing
from voltac.passes.masks.zeros_behind_masks import clear_moved_lanes
from voltac.records import record, replace
from voltac.system.compiling_thread import in_compiling_thread
from voltac.system.lazy_patterns import lazy_pattern

_DEFINITION = lazy_pattern(
    r"^define .*?(?P<rest>(?: comdat(?:\(\$[^)]*\))?)?(?: align \d+)?(?: ![\w.]+ !\d+)* \{)$", re.MULTILINE
)
_NAME = lazy_pattern(r'@("[^"]*"|[\w.$-]+)\(')
_HALVES_RETURNED = lazy_pattern(r" = call (?:\w+ )*(?:\[\d+ x )?<\d+ x half>")
_OPTNONE = lazy_pattern(r"^(attributes #\d+ = \{[^\n]*?) optnone\b", re.MULTILINE)
_COUNT, _COUNT_FOR_LATER = '!"llvm.loop.unroll.count"', '!"voltac.loop.unroll.count"'
_MOST_RUNS = 32
"""Of pass managers with one pass builder: each run leaves callbacks behind, which llvmlite has all later passes call, and
the time grows by the square of the number of functions: 1,500 of one addition take 3.0 s with one for all, 0.33 s so."""
_STACK_PROTECTORS = {"": "", "none": "", "on": " ssp", "strong": " sspstrong", "all": " sspreq"}
"""Value of ``--stack-protector`` -> LLVM's attribute."""


def _has_own_halves(options: Options) -> bool:
    return options.target.has_half_conversion


def _half_vectors(text: str, options: Options) -> str:
    if " x half>" not in text:
        return text
    from voltac.llvm.half_vectors import with_half_vectors  # compiles patterns that few programs need

    return with_half_vectors(text)


def _half_conversions(text: str, options: Options) -> str:
    return text + half_conversions(text, _has_own_halves(options))


def _masks_in_mask_registers(text: str, options: Options) -> str:
    if " = call <" not in text:
        return text
    from voltac.llvm.mask_arguments import keep_masks_in_mask_registers  # only here: few compile with -O0

    return keep_masks_in_mask_registers(text)


def _like_all_others(text: str, options: Options) -> str:
    return _OPTNONE.sub(r"\1", text) if " optnone" in text and marks.is_seldom_called(text) else text


def _calls_for_halves(options: Options) -> bool:
    """LLVM converts float16 by calls of functions; all aarch64 CPUs have instructions for it."""
    return options.target.architecture != "aarch64"


def _converts_half_vectors(options: Options) -> bool:
    if options.target.architecture == "wasm32":
        # Of other conversions LLVM 22 makes invalid modules: it hands a half to its function in 64 bits.
        return True
    return _calls_for_halves(options) and options.level > 0 and not _has_own_halves(options)


BEFORE_LLVM = (
    Pass("convert_half_vectors", "vectors of float16 are converted by arithmetic where the CPU has no instruction",
         _half_vectors, _converts_half_vectors),
    Pass("add_half_conversions", "the functions that LLVM calls for float16 are added",
         _half_conversions, _calls_for_halves, required=True),
    Pass("keep_masks_in_mask_registers", "results that are masks are not passed through memory at -O0",
         _masks_in_mask_registers,
         lambda options: options.target.is_x86 and not options.level and options.target.mask_bits == 1, required=True),
    Pass("clear_moved_lanes_at_once", "the same as clear_moved_lanes where LLVM simplifies nothing",
         clear_moved_lanes, lambda options: not options.level, required=True),
    Pass("spread_masks_as_bytes_at_once", "the same as spread_masks_as_bytes where LLVM simplifies nothing",
         passes.spread_sve_masks, lambda options: options.target.has_sve and not options.level, required=True),
)  # fmt: skip
"""On the text that LLVM's simplification takes."""


AFTER_LLVM = (
    Pass("drop_optnone", "functions that are seldom called go to the same code generator as others",
         _like_all_others, optimizing, required=True),
    *passes.AFTER_LLVM,
)  # fmt: skip
"""On the text that it made: nothing simplifies it any more."""


def late(text: str, options: Options, runs: PassRuns | None = None) -> Optimized:
    """Simplification at the level asked for; the result emits machine code."""
    runs = runs or PassRuns()
    text = _with_function_properties(text, options)
    text = runs.rewrite(BEFORE_LLVM, text, options)
    with stage("late", text, options):
        module = LLVMModule(text, options)
        if options.level == 1:
            _prefer_size(module)
        made = [module]
        for row in runs.of(LLVM, options, lambda: made[0].text()):
            made[0] = row.run(made[0], text, options)
        written = text
        if options.level:
            simplified = made[0].text()
            made.pop().close()
            written = runs.rewrite(AFTER_LLVM, simplified, options)
            # Read again where nothing was rewritten, too: code then hangs on the text alone, whenever it is made of it.
            made.append(LLVMModule(written, options))
        elif options.target.width == 1 or (not _has_own_halves(options) and _HALVES_RETURNED.search(text)):
            options = replace(options, level=1)  # LLVM's fast selector ends the process there
        return Optimized(made, written, text, options)


@record(eq=False)
class Optimized:
    """A module ready for the code generator."""

    _parsed: list[LLVMModule]
    """The module, while nobody works on it; none once code was generated of it, since that rewrites what it is given."""
    _written: str
    """Its text."""
    _input: str
    _options: Options

    def _taken(self) -> LLVMModule:
        """The module, for nobody else."""
        try:
            return self._parsed.pop()
        except IndexError:
            return LLVMModule(self._written, self._options)

    def text(self) -> str:
        """LLVM assembly language."""
        module = self._taken()
        text = module.text()
        self._parsed.append(module)
        return text

    def bitcode(self) -> bytes:
        """LLVM bitcode, as ``llvm-dis`` and ``clang`` read it."""
        module = self._taken()
        bitcode: bytes = module.ref.as_bitcode()
        self._parsed.append(module)
        return bitcode

    def object_code(self) -> bytes:
        """A relocatable object file."""
        return self._object

    @cached_property
    def _object(self) -> bytes:
        # Not here: whoever gets a cached property holds a lock of all of that name, which LLVM could leave held for ever.
        return in_compiling_thread(self._emit_object)

    def _emit_object(self) -> bytes:
        with stage("object", self._input, self._options):
            module = self._taken()
            emitted: bytes = target_machine(self._options).emit_object(module.ref)
            module.close()
            return emitted

    def assembly(self, comments: bool = False) -> str:
        """Assembly language, as ``gcc -c`` reads it; ``comments`` name the blocks of the LLVM text."""
        return in_compiling_thread(lambda: self._emit_assembly(comments))

    def _emit_assembly(self, comments: bool) -> str:
        with stage("assembly", self._input, self._options):
            module = self._taken()
            # Names of files are in it, which need not be UTF-8; emit_assembly() would refuse those.
            emitted: bytes = target_machine(self._options, comments)._emit_to_memory(module.ref, use_object=False)
            module.close()
            return emitted.decode("utf-8", "surrogateescape")


def simplify_for_device(text: str, options: Options, runs: PassRuns | None = None) -> str:
    """Between ``passes`` and the target's own legalization: LLVM's simplification without a target machine.

    Its pipeline of whole modules inlines; the data layout's one integer size (``n32``) keeps it from making odd ones.
    """
    return (runs or PassRuns()).rewrite(FOR_DEVICE, text, options)


def _simplified_for_device(text: str, options: Options) -> str:
    with stage("simplify", text, options):
        module = LLVMModule(_with_sums_unrolled(text, options), options)
        builder = pass_builder(options, min(options.level, 2))
        builder.getModulePassManager().run(module.ref, builder)
        return module.text()


def _with_sums_unrolled(text: str, options: Options) -> str:
    """Where loops subtract and have a count: simplified before they are unrolled, which then makes no sums that are wrong."""
    if _COUNT not in text or " = sub " not in text:
        return text
    module = LLVMModule(text.replace(_COUNT, _COUNT_FOR_LATER), options)
    builder = pass_builder(options, min(options.level, 2))
    builder.getModulePassManager().run(module.ref, builder)
    simplified = module.text().replace(_COUNT_FOR_LATER, _COUNT)
    if add_what_is_subtracted(simplified) == simplified:
        return text
    return _unrolled(LLVMModule(simplified, options), options, min(options.level, 2)).text()


FOR_DEVICE = (Pass("llvm_pipeline_for_device", "LLVM's pipeline of whole modules", _simplified_for_device, optimizing),)


def _simplified(module: LLVMModule, text: str, options: Options) -> LLVMModule:
    """LLVM's pipeline of the level asked for, or a lower one where its result is no valid module.

    LLVM 22 at level 2 moves some shuffles out of a loop whose body still uses them, and the
    code generator would end the process: tests/run/memory/arrays_of_four_member_structs.ispc.
    """
    module = _simplify(module, text, options, options.level)
    if not module.is_sound():
        module = _simplify(LLVMModule(text, options), text, options, 1)
        module.ref.verify()
    return module


LLVM = (Pass("llvm_pipeline", "functions called once are inlined, and LLVM simplifies each function", _simplified, optimizing),)

LATE = (*BEFORE_LLVM, *LLVM, *AFTER_LLVM)
"""Stage ``late``, in order."""


def _simplify(module: LLVMModule, text: str, options: Options, level: int) -> LLVMModule:
    """The module given, or another in its place."""
    builder = pass_builder(options, level)
    join_functions(module, text, builder)
    pipeline, short = builder.getFunctionPassManager(), _short_pipeline()
    left = 0
    # Last those that may go when the calls of them in the others are known never to happen.
    for is_wanted in (operator.not_, bool):
        for function in module.definitions():
            if is_wanted(is_internal(function)):
                if not left:
                    builder, left = pass_builder(options, level), _MOST_RUNS
                (short if marks.is_for_other_files(function.name) else pipeline).run(function, builder)
                left -= 1
        drop_unused_functions(module, builder)
    # Unrolling by a given count is not a part of simplification.
    return _unrolled(module, options, level) if _COUNT in text else module


def _unrolled(module: LLVMModule, options: Options, level: int) -> LLVMModule:
    simplified = module.text()
    text = add_what_is_subtracted(simplified)
    if text != simplified:
        module.close()
        module = LLVMModule(text, options)
    pipeline = binding().create_new_function_pass_manager()
    pipeline.add_loop_unroll_pass()
    pipeline.add_instruction_combine_pass()
    pipeline.add_simplify_cfg_pass()
    left = 0
    for function in module.definitions():
        if not marks.is_for_other_files(function.name):
            if not left:
                builder, left = pass_builder(options, level), _MOST_RUNS
            pipeline.run(function, builder)
            left -= 1
    return module


def _short_pipeline() -> Any:
    """For functions that only other files call: a third of the work."""
    pipeline = binding().create_new_function_pass_manager()
    pipeline.add_simplify_cfg_pass()
    pipeline.add_instruction_combine_pass()
    pipeline.add_aggressive_dce_pass()
    pipeline.add_simplify_cfg_pass()
    return pipeline


def _prefer_size(module: LLVMModule) -> None:
    for function in module.definitions():
        if not marks.is_seldom_called(function.name):
            function.add_function_attribute("optsize")


def _name_of(definition: re.Match[str]) -> str:
    name = _NAME.search(definition[0])
    assert name is not None
    return name[1]


def _with_function_properties(text: str, options: Options) -> str:
    """Write what LLVM takes from each function instead of the target machine: tuning CPU, section, care for the stack."""
    attributes = f' "tune-cpu"="{options.cpu}"' if options.cpu else ""
    attributes += _STACK_PROTECTORS[options.stack_protector]
    attributes += ' "frame-pointer"="all"' if options.frame_pointer else ""
    # Of Mach-O, linkers take functions apart by their symbols.
    separator = {"windows": "$", "macos": ""}.get(options.target.system, ".") if options.function_sections else ""
    if not attributes and not separator:
        return text

    def rewrite(match: re.Match[str]) -> str:
        properties = attributes
        if separator:
            properties += f' section ".text{separator}{_name_of(match).strip(chr(34))}"'
        return match[0][: match.start("rest") - match.start()] + properties + match["rest"]

    return _DEFINITION.sub(rewrite, text)


def bitcode(text: str, options: Options) -> bytes:
    """LLVM bitcode of a module as it is."""
    with stage("bitcode", text, options):
        module = LLVMModule(text, options)
        written: bytes = module.ref.as_bitcode()
        return written
