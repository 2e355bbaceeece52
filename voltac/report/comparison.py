"""The report of ``voltac compare``: the all-on and the masked path of each statement, as text and JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from voltac.ir.marks import gangs_of
from voltac.report import assembly, device_assembly
from voltac.report.assembly import KINDS, AssemblyBlock
from voltac.report.measure import Ratio
from voltac.report.repeats import Repeat


@dataclass(frozen=True, slots=True)
class Path:
    """One compiled form of a statement: its innermost blocks."""

    name: str
    blocks: tuple[AssemblyBlock, ...]
    places: Mapping[str, str] = field(default_factory=dict)
    """Labels of the whole function -> what stands there, for branches that leave the path."""
    device: str = ""
    """Whose instructions these are, empty for LLVM's targets."""

    @property
    def assembly(self) -> tuple[str, ...]:
        """The instructions, without labels."""
        return tuple(instruction for block in self.blocks for instruction in block.instructions)

    @property
    def counts(self) -> dict[str, int]:
        """Kind of instruction -> how many there are."""
        if self.device:
            return dict(Counter(kind for line in self.assembly for kind in device_assembly.kinds_of(line, self.device)))
        return dict(assembly.counts(list(self.assembly)))

    @property
    def gangs(self) -> int:
        """How many a turn does (``passes/gangs/gang_pairs.py``)."""
        return max((gangs_of(block.name) for block in self.blocks), default=1)

    def kind_of(self, instruction: str) -> str:
        """One of :data:`voltac.report.assembly.KINDS`."""
        return device_assembly.kind_of(instruction, self.device) if self.device else assembly.kind_of(instruction)

    def branch_target(self, instruction: str) -> str:
        """The label of the function that an instruction may go to, or an empty text."""
        labels = [re.split(r"[\s,]+", each)[-1] for each in device_assembly.halves(instruction)]
        return next((label for label in labels if label in self.places), "")

    @property
    def targets(self) -> set[str]:
        """The labels that its branches go to."""
        return {self.branch_target(instruction) for instruction in self.assembly} - {""}

    @property
    def lines(self) -> list[str]:
        """As text: labels that something goes to, and behind a branch out of the path where it goes."""
        shown, own, targets = [], {block.label for block in self.blocks}, self.targets
        for block in self.blocks:
            if block.label in targets:
                shown.append(f"{block.label}:")
            for instruction in block.instructions:
                target = self.branch_target(instruction)
                outside = f"  # to {self.places[target]}" if target and target not in own else ""
                shown.append(instruction + outside)
        return shown


@dataclass(frozen=True, slots=True)
class Construct:
    """A foreach or coherent statement with both of its paths."""

    kind: str
    line: int
    column: int
    source: str
    all_on: Path
    masked: Path
    repeats: tuple[Repeat, ...] = ()
    """Of a device: what does the all-on path where addresses and banks allow it."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Nanoseconds an element, median and 10th..90th percentile of interleaved rounds; or cycles of a simulator."""

    median: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Of a difference: whether both bounds are on one side of zero."""
        return not self.low <= 0 <= self.high


@dataclass(frozen=True, slots=True)
class FunctionComparison:
    """One function on one target; timings are None where this CPU cannot run the target.

    ``tails[r]`` are whole calls with r elements beyond a multiple of W, in nanoseconds; ``tail_costs[r]`` is by how much
    each takes longer than the one with none, round by round: the median with its confidence interval.
    """

    function: str
    signature: str
    target: str
    width: int
    constructs: tuple[Construct, ...]
    elements: int
    all_on: Timing | None
    masked: Timing | None
    tails: tuple[Timing, ...]
    arguments: str
    note: str = ""
    ratio: Ratio | None = None
    """How many times as long the masked path takes, round by round: the median with its confidence interval."""
    tail_costs: tuple[Timing, ...] = ()
    unit: str = "ns"
    """``ns`` or ``cycles``."""


def to_json(comparisons: list[FunctionComparison]) -> str:
    """One JSON array, an object a function; every path carries its counts."""
    rows = []
    for comparison in comparisons:
        row = asdict(comparison)
        for construct, made in zip(row["constructs"], comparison.constructs):
            construct["all_on"], construct["masked"] = _path_row(made.all_on), _path_row(made.masked)
            construct["repeats"] = [
                {"function": one.function, "iterations": one.iterations, "interval": one.interval, "bundles": one.bundles}
                for one in made.repeats
            ]
        rows.append(row)
    return json.dumps(rows, indent=1)


def _path_row(path: Path) -> dict[str, Any]:
    blocks = [{"label": block.label, "name": block.name, "instructions": len(block.instructions)} for block in path.blocks]
    return {
        "name": path.name,
        "assembly": path.assembly,
        "blocks": blocks,
        "device": path.device,
        "counts": path.counts,
        "gangs": path.gangs,
    }


def to_text(comparisons: list[FunctionComparison], columns: int) -> str:
    """Both paths side by side in ``columns`` characters, counts below, times last."""
    out: list[str] = []
    for comparison in comparisons:
        out.append(f"{comparison.signature}   [{comparison.target}]")
        if comparison.note:
            out.append(f"  note: {comparison.note}")
        half = max(24, (columns - 5) // 2)
        for construct in comparison.constructs:
            out += ["", f"  {construct.kind} at {construct.line}:{construct.column}   {construct.source.strip()}"]
            out.append(f"  {'all on':<{half}} | masked")
            left, right = construct.all_on.lines, construct.masked.lines
            for number in range(max(len(left), len(right))):
                a = left[number] if number < len(left) else ""
                b = right[number] if number < len(right) else ""
                out.append(f"  {_cut(a, half):<{half}} | {_cut(b, half)}".rstrip())
            out += ["", *("  " + line for line in _count_table(construct))]
            for repeat in construct.repeats:
                out += ["", f"  repeat {repeat.function}: {repeat.told()}", *(f"    {line}" for line in repeat.bundles)]
        out += ["", *("  " + line for line in _time_lines(comparison)), ""]
    return "\n".join(out)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "~"


def _count_table(construct: Construct) -> list[str]:
    on, masked = construct.all_on.counts, construct.masked.counts
    rows = [f"{'instructions':18} {'all on':>7} {'masked':>7}"]
    rows += [f"{kind:18} {on.get(kind, 0):7} {masked.get(kind, 0):7}" for kind in KINDS if kind in on or kind in masked]
    rows.append(f"{'total':18} {sum(on.values()):7} {sum(masked.values()):7}")
    if construct.all_on.gangs > 1:
        rows.append(f"{'gangs a turn':18} {construct.all_on.gangs:7} {construct.masked.gangs:7}")
    return rows


def _time_lines(comparison: FunctionComparison) -> list[str]:
    on, masked = comparison.all_on, comparison.masked
    if on is None or masked is None:
        return []
    unit = comparison.unit
    times = f"all on {shown_timing(on, unit)} an element, masked {shown_timing(masked, unit)}"
    lines = [f"measured on {comparison.arguments}:", f"  {times}: {verdict(comparison)}"]
    if len(comparison.tail_costs) > 1:
        shown = " ".join(f"{cost.median:+.0f}" if cost.is_clear else "~" for cost in comparison.tail_costs[1:])
        whole = comparison.tails[0].median
        noise = "; ~ is no clear difference" if "~" in shown else ""
        lines.append(
            f"  a tail of 1..{comparison.width - 1} elements adds to a call of {whole:.0f} {unit}: {shown} {unit}{noise}"
        )
    return lines


def verdict(comparison: FunctionComparison) -> str:
    """How the paths' times compare, and between what bounds; if these are on both sides of 1 there is no difference to tell."""
    ratio = comparison.ratio
    if ratio is None:
        return ""
    if ratio.low == ratio.high:
        return f"{ratio.median:.2f} times as long"
    spread = f"{ratio.median:.2f} times as long ({ratio.low:.2f}..{ratio.high:.2f})"
    return spread if not ratio.low <= 1 <= ratio.high else f"no clear difference, {spread}"


def shown_timing(timing: Timing, unit: str) -> str:
    """The median, and the spread if there is one."""
    spread = f" ({timing.low:.3f}..{timing.high:.3f})" if timing.low != timing.high else ""
    return f"{timing.median:.3f} {unit}{spread}"
