"""The pipeline: a source text goes through :data:`STAGES`, one after the other, and comes out as an object.

    preprocess ─ parse ─ check ─ lower ─ early ─ passes ─ late

or for a device, which LLVM knows nothing of, from ``passes`` on through :data:`DEVICE_STAGES`

    passes ─ simplify ─ legalize ─ select ─ assemble

Each stage takes what the one before made. A compilation may stop after any
stage, print what it made, and begin at any stage that takes text.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO, cast

from voltac import llvm
from voltac.messages.diagnostics import Diagnostics, InternalError
from voltac.messages.message import NOWHERE, Span
from voltac.options import Options
from voltac.pass_runs import Pass, PassRuns
from voltac.records import field, mutable_record, record, replace
from voltac.targets import find_device

if TYPE_CHECKING:
    from voltac.codegen.not_on_device import NotOnDevice
    from voltac.llvm import Optimized
    from voltac.passes.accesses.access import AccessReport
    from voltac.sema.tree import Program
    from voltac.sema.watched import Findings
    from voltac.syntax import Preprocessed
    from voltac.syntax.inputs import Inputs
    from voltac.target_info import TargetInfo
    from voltac.targets.device import DeviceProgram


class InputError(Exception):
    """The source cannot be read; ``str()`` is the message for the user."""


@record
class Watch:
    """What a developer wants to see of a compilation; the rows of the switches are in ``cli/option_table.py``."""

    print_stages: frozenset[str] = frozenset()
    passes: PassRuns = field(default_factory=PassRuns)
    """What is wanted of single passes; each compilation keeps count by itself."""
    time: bool = False
    output: TextIO = field(default_factory=lambda: sys.stderr)
    begins: Callable[[str], None] | None = None
    """Told the name of each step."""
    findings: Findings | None = None
    """Is to hold what stage ``check`` finds out about names and expressions."""

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Print how long the step named took."""
        if self.begins is not None:
            self.begins(name)
        start = time.perf_counter()
        yield
        if self.time:
            self.output.write(f"{name:12} {(time.perf_counter() - start) * 1000:9.2f} ms\n")


# --- the stages -------------------------------------------------------------------------------------------------
# Each imports its folder when it runs: a compilation that begins late or stops early pays only for what it uses.


@mutable_record(eq=False)
class Compilation:
    """One source on its way: what it was given, and in ``results`` what each stage has made of it."""

    file: str
    options: Options
    diagnostics: Diagnostics
    watch: Watch
    inputs: Inputs | None = None
    """What the file system answered to compilations of the same source before."""
    results: dict[str, Any] = field(default_factory=dict)
    access_reports: list[AccessReport] = field(default_factory=list)
    """What stage ``passes`` made of each access."""
    runs: PassRuns = field(default_factory=PassRuns)
    stopped: str | None = None
    """What the pass left that the compilation was to stop after."""

    @property
    def preprocessed(self) -> Preprocessed:
        """The text without directives, and the files that were read for it."""
        return cast("Preprocessed", self.results["preprocess"])

    @property
    def program(self) -> Program:
        """The typed tree."""
        return cast("Program", self.results["check"])

    @property
    def optimized(self) -> Optimized:
        """The finished module, for its object code, assembly, text and bitcode."""
        return cast("Optimized", self.results["late"])

    @property
    def device_program(self) -> DeviceProgram:
        """The finished program for a device."""
        return cast("DeviceProgram", self.results["assemble"])

    @property
    def product(self) -> Optimized | DeviceProgram:
        """What the last stage made."""
        return self.device_program if self.options.target.is_device else self.optimized

    @property
    def dependencies(self) -> tuple[str, ...]:
        """Every source file read, the main one first."""
        return tuple(self.preprocessed.dependencies) if "preprocess" in self.results else (self.file,)

    @property
    def consulted(self) -> tuple[str, ...]:
        """Files that were read besides, for excerpts in messages."""
        return tuple(self.preprocessed.inputs.contents) if "preprocess" in self.results else ()


def _preprocess(text: str, job: Compilation) -> Preprocessed:
    from voltac.syntax import preprocess  # late: text of a later stage needs no parser

    made = preprocess(text, job.file, job.options, job.diagnostics, job.inputs)
    job.inputs = made.inputs
    return made


def _parse(source: Preprocessed, job: Compilation) -> Any:
    from voltac.syntax import parse  # late: text of a later stage needs no parser

    return parse(source, job.options, job.diagnostics)


def _check(unit: Any, job: Compilation) -> Program:
    from voltac.sema import check  # late: nor the checker

    return check(unit, job.options, job.diagnostics, job.file, job.watch.findings)


def _lower(program: Program, job: Compilation) -> str:
    from voltac.lower import lower  # late: a program with errors is not lowered

    return lower(program, job.options)


def _early(text: str, job: Compilation) -> str:
    try:
        return llvm.early(text, job.options, job.runs)
    except InternalError as error:
        if job.options.llvm_intrinsics and "check" in job.results:
            from voltac.report.refused_intrinsics import report_refused  # late: few programs call intrinsics

            report_refused(error, job.program, job.diagnostics)
        raise


def _passes(text: str, job: Compilation) -> str:
    from voltac.passes import run_with_reports  # late: a program with errors has no passes

    made, reports = run_with_reports(text, job.options, job.runs)
    job.access_reports = reports
    # Without optimisation next to nothing is resolved: a warning would say nothing of the program.
    if job.options.level and any(report.is_notable for report in reports):
        from voltac.report.slow_accesses import warn_about_accesses  # late: few programs are warned of

        warn_about_accesses(reports, job.results.get("check"), job.dependencies, job.options, job.diagnostics)
    return made


def _late(text: str, job: Compilation) -> Optimized:
    return llvm.late(text, job.options, job.runs)


def _simplify(text: str, job: Compilation) -> str:
    return llvm.simplify_for_device(text, job.options, job.runs)


def _legalize(text: str, job: Compilation) -> str:
    return _for_device("legalize", find_device(job.options.target).legalize, text, job)


def _select(text: str, job: Compilation) -> str:
    return _for_device("select", find_device(job.options.target).select, text, job)


def _for_device(name: str, stage: Callable[[str, Options, PassRuns], str], text: str, job: Compilation) -> str:
    from voltac.codegen.not_on_device import NotOnDevice  # late: a compilation for the host loads nothing of devices

    try:
        return stage(text, job.options, job.runs)
    except NotOnDevice as reason:
        place = _needed_place(name, reason, job)
        where = f"function '{reason.function}'" if reason.function and reason.instruction is None else "the program"
        needs = "this needs" if reason.instruction is not None and place is not NOWHERE else f"{where} needs"
        job.diagnostics.fatal("device", place, f"{needs} what {job.options.target.name} has not: {reason}")


def _needed_place(name: str, reason: NotOnDevice, job: Compilation) -> Span:
    """Where the program needs what the device has not, as far as that can be told.

    Instructions know their places with debug information only, so the way to stage ``name`` is gone once more with it.
    """
    from voltac.codegen.not_on_device import NotOnDevice  # late: for programs that fail
    from voltac.report.needed_places import place_of_function, place_of_instruction

    if "check" not in job.results:
        return NOWHERE
    if reason.instruction is not None:
        options = replace(job.options, debug_info=True)
        again = Compilation(job.file, options, Diagnostics(warnings=False), Watch())
        made: Any = job.program
        stages = stages_of(options.target)
        first, last = (next(n for n, stage in enumerate(stages) if stage.name == each) for each in ("lower", name))
        for stage in stages[first:last]:
            made = stage.run(made, again)
        device = find_device(options.target)
        try:
            (device.legalize if name == "legalize" else device.select)(made, options, again.runs)
        except NotOnDevice as located:
            place = place_of_instruction(located, made, job.program, options)
            if place is not NOWHERE:
                return place
    return place_of_function(reason, job.program)


def _assemble(text: str, job: Compilation) -> DeviceProgram:
    from voltac.targets.device import make_program  # late: a compilation for the host loads nothing of devices

    # These are kept by what the job keeps, and don't keep the job.
    legalized, source, options = job.results.get("legalize"), job.file, job.options

    def legal() -> str:
        if legalized is None:
            raise InputError(f"{source} is compiled from a later stage than its IR, which therefore cannot be written")
        return str(legalized)

    def bitcode(text: str) -> bytes:
        return llvm.bitcode(text, options)

    # What is selected here is nobody's text but ours.
    file = f"{job.file} (assembly)" if "select" in job.results else job.file
    return make_program(text, file, find_device(job.options.target), job.diagnostics, legal, bitcode)


def _no_passes(target: TargetInfo) -> tuple[Pass, ...]:
    return ()


def _early_passes(target: TargetInfo) -> tuple[Pass, ...]:
    return llvm.EARLY


def _middle_passes(target: TargetInfo) -> tuple[Pass, ...]:
    from voltac.passes import PASSES  # late: only who lists the passes asks

    return PASSES


def _late_passes(target: TargetInfo) -> tuple[Pass, ...]:
    return llvm.LATE


def _simplify_passes(target: TargetInfo) -> tuple[Pass, ...]:
    return llvm.FOR_DEVICE


@record
class Stage:
    """One step. ``show`` turns its result into text; ``takes_text`` says that a compilation may begin here."""

    name: str
    purpose: str
    run: Callable[[Any, Compilation], Any]
    show: Callable[[Any], str]
    takes_text: bool = False
    passes: Callable[[TargetInfo], tuple[Pass, ...]] = _no_passes
    """The steps it is made of, in order."""


def _show_tree(node: Any) -> str:
    from voltac.report.show_tree import show_tree  # late: only developers look at trees

    return show_tree(node)


STAGES: tuple[Stage, ...] = (
    Stage("preprocess", "source text to text without directives", _preprocess, lambda made: str(made.text), True),
    Stage("parse", "text to the tree as written", _parse, _show_tree),
    Stage("check", "tree as written to the typed tree", _check, _show_tree),
    Stage("lower", "typed tree to LLVM text with pseudo operations", _lower, str),
    Stage("early", "inlining and promotion to registers", _early, str, True, _early_passes),
    Stage("passes", "pseudo operations to loads, stores and shuffles", _passes, str, True, _middle_passes),
    Stage("late", "simplification and code generation", _late, lambda made: str(made.text()), True, _late_passes),
)

DEVICE_STAGES: tuple[Stage, ...] = (
    *STAGES[:-1],
    Stage("simplify", "inlining and simplification", _simplify, str, True, _simplify_passes),
    Stage("legalize", "IR to what the device has", _legalize, str, True, lambda target: find_device(target).legalize_passes()),
    Stage("select", "IR to assembly language", _select, str, True, lambda target: find_device(target).select_passes()),
    Stage("assemble", "assembly language to a program", _assemble, lambda made: str(made.assembly()), True),
)

EVERY_STAGE: tuple[Stage, ...] = (*STAGES, *(stage for stage in DEVICE_STAGES if stage not in STAGES))

STAGE_NAMES: tuple[str, ...] = tuple(stage.name for stage in STAGES)


def stages_of(target: TargetInfo) -> tuple[Stage, ...]:
    """What a compilation for a target goes through."""
    return DEVICE_STAGES if target.is_device else STAGES


def passes_of(target: TargetInfo) -> dict[str, Pass]:
    """Name -> row of each pass that a compilation for a target may go through, in order."""
    return {row.name: row for stage in stages_of(target) for row in stage.passes(target)}
