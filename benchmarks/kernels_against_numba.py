"""Newton's method, Black-Scholes, stencil and noise against numba's ``@njit(fastmath=True)``, results compared first.

python benchmarks/kernels_against_numba.py [--rounds N]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

import voltac
from voltac.cli import demo
from voltac.cli.demo import peers as demo_peers
from voltac.report.measure import interleaved, machine, ratio, seconds_of

KERNELS = Path(__file__).resolve().parent / "kernels"
DEMO = Path(demo.__file__).resolve().parent
F = np.float32


def cases() -> dict[str, tuple[Callable[[], object], Callable[[], object], Callable[[], float]]]:
    """Name -> (voltac's call, numba's call, largest difference of their results after both ran)."""
    from peers import numba_kernels as peer

    random = np.random.default_rng(1)
    found: dict[str, tuple[Callable[[], object], Callable[[], object], Callable[[], float]]] = {}

    width, height = 768, 512
    mine, theirs = np.zeros(width * height, np.int32), np.zeros(width * height, np.int32)
    view = (F(-0.4), F(0), F(3 / width), width, height, 3, 64)
    newton, scalar = voltac.load(DEMO / "newton.ispc").newton, demo_peers.numba_kernels()
    assert scalar is not None
    # Starts at the border of two basins may take another number of steps with other rounding.
    found["newton"] = (
        lambda: newton(*view, mine),
        lambda: scalar["newton"](*view, theirs),
        lambda: float(np.mean(mine != theirs)),
    )

    n = 1 << 16
    spot, strike = random.uniform(5, 30, n).astype(F), random.uniform(1, 100, n).astype(F)
    years = random.uniform(0.25, 10, n).astype(F)
    price, price_peer = np.zeros(n, F), np.zeros(n, F)
    black_scholes = voltac.load(KERNELS / "black_scholes.ispc").black_scholes
    found["black-scholes"] = (
        lambda: black_scholes(spot, strike, years, 0.02, 0.3, price, n),
        lambda: peer.black_scholes(spot, strike, years, F(0.02), F(0.3), price_peer, n),
        lambda: float(np.max(np.abs(price - price_peer))),
    )

    side = 512
    grid, to, to_peer = random.random(side * side).astype(F), np.zeros(side * side, F), np.zeros(side * side, F)
    stencil = voltac.load(KERNELS / "stencil.ispc").stencil
    found["stencil"] = (
        lambda: stencil(grid, to, side, side),
        lambda: peer.stencil(grid, to_peer, side, side),
        lambda: float(np.max(np.abs(to - to_peer))),
    )

    out, out_peer = np.zeros(side * side, F), np.zeros(side * side, F)
    turbulence = voltac.load(KERNELS / "noise.ispc").turbulence
    found["noise"] = (
        lambda: turbulence(out, side, side, 0.021, 8),
        lambda: peer.turbulence(out_peer, side, side, F(0.021), 8),
        lambda: float(np.mean(np.abs(out - out_peer) > 1e-3)),
    )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=31)
    options = parser.parse_args()
    try:
        import numba
    except ImportError:
        sys.exit("kernels_against_numba.py: numba is not installed; pip install 'voltac[benchmark]'")
    print(f"{machine()}, numba {numba.__version__}; numba's time divided by voltac's: median (10th..90th percentile)")
    for name, (mine, theirs, difference) in cases().items():
        times = interleaved({"voltac": seconds_of(mine), "numba": seconds_of(theirs)}, options.rounds)
        worst = difference()
        if worst > 2e-2:
            sys.exit(f"{name}: the results differ ({worst}); a ratio would mean nothing")
        print(f"{name:14} {ratio(times['voltac'], times['numba'])}", flush=True)


if __name__ == "__main__":
    main()
