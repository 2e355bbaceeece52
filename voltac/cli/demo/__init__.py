"""``voltac demo``: compiles kernels, runs them on numpy arrays, writes pictures and prints measured ratios."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.settings import number
from voltac.messages.diagnostics import CompileError
from voltac.report.measure import Ratio, interleaved, machine, ratio, seconds_of

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    what: str
    run: Callable[[Callable[..., Any]], Callable[[], object]]
    """Makes of a kernel the call that is timed."""
    results: Callable[[], Any]


def demo_command(arguments: Namespace) -> int:
    """The exit code: 0, or 1 with one error message."""
    if arguments.operands:
        raise UsageError(f"'voltac demo' takes no file ('{arguments.operands[0]}')")
    folder, rounds = Path(arguments.folder or "voltac-demo"), number(arguments.rounds or "15", "--rounds")
    try:
        import PIL  # noqa: F401 (late: it may be missing)
    except ImportError:
        print("Error: the demo writes pictures with Pillow; pip install 'voltac[demo]'", file=sys.stderr)
        return 1
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _demo(folder, rounds)
    except CompileError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"Error: cannot write the pictures to {folder}: {error.strerror or error}", file=sys.stderr)
        return 1
    return 0


def _demo(folder: Path, rounds: int) -> None:
    # late: what is missing for the demo is said before numpy and the kernels are imported
    import numpy as np

    from voltac.cli.demo import peers, pictures

    print(f"voltac demo on {machine()}")
    width, height, degree, most = 768, 512, 3, 64
    basins = np.zeros(width * height, np.int32)
    photo, origin = pictures.photograph()
    tall, wide = photo.shape[:2]
    flat, smooth = photo.reshape(-1), photo.reshape(-1).copy()
    view = [np.float32(v) for v in (-0.4, 0, 3 / width)]
    tone = [np.float32(0.08), np.float32(0.0012)]
    cases = (
        _Case(
            "newton",
            f"{width} x {height}, z^{degree} = 1",
            lambda kernel: lambda: kernel(*view, width, height, degree, most, basins),
            basins.copy,
        ),
        _Case(
            "bilateral",
            f"{wide} x {tall} RGB, 7 x 7 neighbours",
            lambda kernel: lambda: kernel(flat, smooth, wide, tall, 3, *tone),
            smooth.copy,
        ),
    )
    scalar = peers.numba_kernels()
    if scalar is None:
        print("numba is not installed: its column stays empty (pip install numba)")
    table: list[tuple[str, str, str, Ratio, Ratio | None]] = []
    for case in cases:
        print(f"compiling {case.name}.ispc and measuring ...", file=sys.stderr, flush=True)
        module = kernels(case.name)
        mine = case.run(getattr(module, case.name))
        mine()
        result = case.results()
        others: dict[str, Callable[[], object]] = {"numpy": case.run(getattr(peers, case.name))}
        if scalar is not None:
            others["numba"] = case.run(scalar[case.name])
        for name, other in others.items():
            other()
            apart = float(np.mean(np.abs(case.results().astype(np.int64) - result) > 1))
            if apart > 0.02:
                print(f"note: {name}'s {case.name} differs in {apart:.1%} of the values")
        contenders = {"voltac": seconds_of(mine)} | {name: seconds_of(other) for name, other in others.items()}
        times = interleaved(contenders, rounds)
        mine()
        milliseconds = f"{sorted(times['voltac'])[len(times['voltac']) // 2] * 1e3:.2f} ms"
        ratios = {name: ratio(times["voltac"], times[name]) for name in others}
        table.append((case.name, case.what, milliseconds, ratios["numpy"], ratios.get("numba")))
    written = {
        "newton.png": pictures.colours(basins.reshape(height, width), degree),
        "photograph.png": photo,
        "smoothed.png": smooth.reshape(photo.shape),
    }
    for name, pixels in written.items():
        pictures.save_png(pixels, folder / name)
    print(f"\n{'kernel':12} {'size':32} {'voltac':>10}   times faster than numpy   than numba  (median, 10th..90th percentile)")
    for name, what, milliseconds, to_numpy, to_numba in table:
        print(f"{name:12} {what:32} {milliseconds:>10}   {to_numpy!s:25} {to_numba or '-'}")
    print(f"\nphotograph: {origin}\npictures: {', '.join(str(folder / name) for name in written)}")


def kernels(name: str) -> Any:
    """The module of a case; what it is warned of is for those who write kernels (``voltac explain``), not for who looks on."""
    import voltac  # late, as above

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", voltac.VoltacWarning)
        return voltac.load(HERE / f"{name}.ispc")
