"""The report of ``voltac bench``: one table of targets, paths and sizes, as text, JSON and a page with a roofline."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from voltac.report.bench_page import bench_fragment, bench_page
from voltac.report.bench_results import BenchResults, BenchRow


@dataclass(frozen=True, slots=True)
class Bench(BenchResults):
    """What was measured of one function; prints as a table."""

    def text(self) -> str:
        """Nanoseconds an element: median, spread, and the share of what the machine allows."""
        out = [f"{self.signature}", f"{self.machine}; {self.arguments}"]
        out += [self.demand(), *self._limit_lines(), ""]
        for level in self.levels:
            elements = next(row.elements for row in self.rows if row.level == level)
            out.append(f"{level}, {elements} elements{'':8}ns an element")
            best = self.fastest(level)
            out += [self._line(row, row is best) for row in self.rows if row.level == level]
            out.append("")
        return "\n".join([*out, *(f"note: {note}" for note in self.notes)]).rstrip() + "\n"

    def _line(self, row: BenchRow, fastest: bool) -> str:
        time, share = row.time, self.share(row)
        spread = f"({time.low:.3f}..{time.high:.3f})"
        reached = "" if share is None else f"{100 * share:4.0f} % of the limit"
        return f"{'*' if fastest else ' '} {row.target:16} {row.path:7} {time.median:9.3f} {spread:20} {reached}".rstrip()

    def _limit_lines(self) -> list[str]:
        levels = ", ".join(f"{one.name} {one.bandwidth:.1f} GB/s" for one in self.limits.levels)
        peak = f"{self.limits.peak:.1f} GFLOP/s" if self.limits.peak else ""
        return [f"limits of one core, measured with {self.limits.target}: {', '.join(filter(None, (levels, peak)))}"]

    def html(self, title: str = "") -> str:
        """One page that needs nothing besides itself."""
        return bench_page(self, title or f"{self.function}: measured")

    def json(self) -> str:
        """An object with ``rows``, ``limits``, ``operations`` and ``traffic``, for tools."""
        rows = [asdict(row) | {"share": self.share(row)} for row in self.rows]
        fields = {
            name: getattr(self, name) for name in ("function", "signature", "operations", "traffic", "arguments", "machine")
        }
        return json.dumps(fields | {"limits": asdict(self.limits), "notes": self.notes, "rows": rows}, indent=1)

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return bench_fragment(self)
