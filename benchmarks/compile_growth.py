"""Compile time over the length of the source, stage by stage, and over the size of shapes that compilers explode on.

    python benchmarks/compile_growth.py [--lines N ...] [--shapes [NAME ...]] [--scale F] [--picture growth.png]

Without options: the curve for 1,000 to 20,000 lines as a table. With ``--picture`` it is
drawn too (needs pillow). With ``--shapes`` the table of shapes (all of them, or those with
the names): CPU seconds at the size n and 2n, and their ratio, which has to be about 2.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from generated_source import source
from shapes import SHAPES, Shape
from stages import FRONT_END, STAGES, Costs, measure

from voltac.report.measure import machine

LINES = (1000, 2000, 5000, 10000, 20000)
COLORS = ("#c6dbef", "#9ecae1", "#6baed6", "#2171b5", "#a1d99b", "#31a354", "#fd8d3c", "#d94801")


def curve(lengths: list[int], folder: Path) -> list[tuple[int, Costs]]:
    """Print a row for each length: CPU seconds of each stage, all together, a thousand lines, memory."""
    print(f"{'lines':>7}", *(f"{name:>10}" for name in STAGES), f"{'process':>9} {'s/1000':>7} {'front end':>16} {'memory':>8}")
    rows = []
    for length in lengths:
        path = folder / "program.ispc"
        text = source(length)
        path.write_text(text)
        lines = text.count("\n")
        costs = measure(str(path))
        rows.append((lines, costs))
        stages = " ".join(f"{costs.seconds[name]:10.2f}" for name in STAGES)
        each = sum(costs.seconds.values()) / lines * 1000
        rate = f"{lines / costs.front_end:,.0f} lines/s"
        rest = f"{costs.process_seconds:9.2f} {each:7.2f} {rate:>16} {costs.megabytes:5.0f} MB"
        print(f"{lines:7} {stages} {rest}", flush=True)
    return rows


def draw(rows: list[tuple[int, Costs]], file: str) -> None:
    """CPU seconds over lines, the stages one upon the other."""
    from PIL import Image, ImageDraw, ImageFont

    width, height, left, bottom, top = 900, 560, 70, 60, 40
    image = Image.new("RGB", (width, height), "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(15)
    most_lines = max(lines for lines, _ in rows)
    most_seconds = max(sum(costs.seconds.values()) for _, costs in rows) * 1.05

    def place(lines: float, seconds: float) -> tuple[float, float]:
        x = left + lines / most_lines * (width - left - 160)
        return x, height - bottom - seconds / most_seconds * (height - bottom - top)

    points = [(0, dict.fromkeys(STAGES, 0.0)), *((lines, costs.seconds) for lines, costs in rows)]
    below = [0.0] * len(points)
    for number, stage in enumerate(STAGES):
        above = [base + seconds[stage] for base, (_, seconds) in zip(below, points, strict=True)]
        edge = [place(lines, value) for (lines, _), value in zip(points, above, strict=True)]
        base = [place(lines, value) for (lines, _), value in zip(points, below, strict=True)]
        pen.polygon([*edge, *reversed(base)], fill=COLORS[number])
        y = height - bottom - 30 * (number + 1)
        pen.rectangle((width - 140, y, width - 122, y + 18), fill=COLORS[number])
        pen.text((width - 114, y), stage, fill="black", font=font)
        below = above
    for lines, _ in rows:
        x, y = place(lines, 0)
        pen.line((x, y, x, y + 5), fill="black")
        pen.text((x, y + 8), f"{lines / 1000:.3g}k" if lines >= 1000 else str(lines), fill="black", font=font, anchor="ma")
    for tick in range(0, int(most_seconds) + 1, max(1, int(most_seconds) // 8)):
        x, y = place(0, tick)
        pen.line((x - 5, y, x, y), fill="black")
        pen.text((x - 10, y), f"{tick} s", fill="black", font=font, anchor="rm")
    pen.line((*place(0, 0), *place(most_lines, 0)), fill="black")
    pen.line((*place(0, 0), *place(0, most_seconds)), fill="black")
    title = "CPU seconds of a compilation (-O2, avx2-i32x8) over lines of source"
    pen.text((left, 12), title, fill="black", font=font)
    image.save(file)


def write_shape(shape: Shape, size: int, folder: Path) -> str:
    """The files of a shape; the path of the main one."""
    for name, text in shape.headers(size).items():
        (folder / name).write_text(text)
    path = folder / "shape.ispc"
    path.write_text(shape.source(size))
    return str(path)


def shapes(names: list[str], scale: float, folder: Path) -> None:
    """Print a row for each shape."""
    heads = f"{'shape':36} {'n':>6} {'s at n':>8} {'s at 2n':>8} {'ratio':>6} {'memory':>8}"
    print(f"{heads}  ratios of front end, early and passes, late and object")
    for name, shape in SHAPES.items():
        if names and name not in names:
            continue
        size = max(2, int(shape.size * scale))
        try:
            once, twice = (measure(write_shape(shape, n, folder), shape.targets) for n in (size, 2 * size))
        except subprocess.CalledProcessError:
            print(f"{name:36} {size:6} does not compile", flush=True)
            continue
        groups = []
        for group in (FRONT_END, ("early", "passes"), ("late", "object")):
            first, second = (sum(costs.seconds[stage] for stage in group) for costs in (once, twice))
            groups.append(f"{second / first:.1f}")
        first, second = (sum(costs.seconds.values()) for costs in (once, twice))
        row = f"{name:36} {size:6} {first:8.2f} {second:8.2f} {second / first:6.2f} {twice.megabytes:5.0f} MB"
        print(f"{row}  {', '.join(groups)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, nargs="*", default=list(LINES))
    parser.add_argument("--shapes", nargs="*", choices=list(SHAPES), metavar="NAME")
    parser.add_argument("--scale", type=float, default=1, help="for the sizes of shapes")
    parser.add_argument("--picture", metavar="FILE")
    arguments = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        if arguments.shapes is not None:
            shapes(arguments.shapes, arguments.scale, Path(folder))
            return
        rows = curve(arguments.lines, Path(folder))
        if arguments.picture:
            draw(rows, arguments.picture)
            print(f"drawn into {arguments.picture}")


if __name__ == "__main__":
    main()
