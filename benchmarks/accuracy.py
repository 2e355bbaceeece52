"""Largest errors of the library's elementary functions, measured; writes docs/accuracy.md.

    python benchmarks/accuracy.py [--only NAME ...] [--types float ...] [--libraries default ...]
        [--target TARGET] [--stride N] [--samples N] [--again] [--no-write]

float and float16 functions of one argument run over all inputs (float: every N-th with --stride N), the others over
--samples inputs: bit patterns of every magnitude, the range where the function is interesting, and known hard cases. The
reference and what counts as a unit is said in peers/reference.c; the worst input of each row is checked again by mpmath.
Targets without fused multiply-add (--target avx1-i32x8) have rows of their own. Finished rows are kept in
docs/accuracy.json, so an interrupted run goes on where it stopped; rows of a function whose text has changed since, or
with fewer inputs than asked for, are measured anew.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mpmath
import numpy as np

import voltac
from voltac.llvm.host import host_target
from voltac.sema.library.index import index, overlays_of
from voltac.target_info import TargetInfo, find_target

HERE = Path(__file__).resolve().parent
STORE = HERE.parent / "docs" / "accuracy.json"
PAGE = HERE.parent / "docs" / "accuracy.md"
CHUNK = 1 << 17

Array = np.ndarray[Any, np.dtype[Any]]
DTYPES: dict[str, Any] = {"float": np.float32, "double": np.float64, "float16": np.float16}
PATTERNS: dict[str, Any] = {"float": np.uint32, "double": np.uint64, "float16": np.uint16}
FORMATS = {"float": (23, -126, 128), "double": (52, -1022, 1024), "float16": (10, -14, 16)}

# name -> (ranges that are interesting, mpmath's function)
ONE: dict[str, tuple[tuple[tuple[float, float], ...], Callable[..., Any]]] = {
    "sqrt": (((0, 4),), mpmath.sqrt),
    "rsqrt": (((0, 4),), lambda x: 1 / mpmath.sqrt(x)),
    "rcp": (((-4, 4),), lambda x: 1 / x),
    "exp": (((-1, 1), (-746, 711), (-105, 90)), mpmath.exp),
    "exp2": (((-1, 1), (-1076, 1025), (-151, 129)), lambda x: mpmath.power(2, x)),
    "expm1": (((-1, 1), (-50, 711), (-25, 90)), mpmath.expm1),
    "log": (((0.5, 2), (0, 100)), mpmath.log),
    "log2": (((0.5, 2), (0, 100)), lambda x: mpmath.log(x) / mpmath.log(2)),
    "log1p": (((-1, 1), (-1, 100)), mpmath.log1p),
    "sin": (((-4, 4), (-1e5, 1e5), (-1e9, 1e9)), mpmath.sin),
    "cos": (((-4, 4), (-1e5, 1e5), (-1e9, 1e9)), mpmath.cos),
    "tan": (((-4, 4), (-1e5, 1e5), (-1e9, 1e9)), mpmath.tan),
    "asin": (((-1, 1),), mpmath.asin),
    "acos": (((-1, 1),), mpmath.acos),
    "atan": (((-1, 1), (-10, 10)), mpmath.atan),
    "sinh": (((-1, 1), (-711, 711), (-90, 90)), mpmath.sinh),
    "cosh": (((-1, 1), (-711, 711), (-90, 90)), mpmath.cosh),
    "tanh": (((-1, 1), (-20, 20)), mpmath.tanh),
    "cbrt": (((-8, 8),), lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x))),
    "erf": (((-1, 1), (-6, 6)), mpmath.erf),
    "erfc": (((-1, 1), (-6, 28)), mpmath.erfc),
}
TWO: dict[str, tuple[tuple[tuple[tuple[float, float], tuple[float, float]], ...], Callable[..., Any]]] = {
    "atan2": ((((-4, 4), (-4, 4)), ((-1, 1), (-1e3, 1e3)), ((-1e3, 1e3), (-1, 1))), mpmath.atan2),
    "pow": ((((0, 10), (-20, 20)), ((0.5, 2), (-100, 100)), ((0.99, 1.01), (-1e4, 1e4)), ((0, 1e6), (-4, 4))), mpmath.power),
    "fmod": ((((-1e6, 1e6), (-1e3, 1e3)),), lambda x, y: mpmath.sign(x) * mpmath.fmod(abs(x), abs(y))),
}
FAST_RANGES: dict[str, dict[str, tuple[tuple[float, float], ...]]] = {
    "float": {
        "exp": ((-80, 80),), "exp2": ((-80, 80),), "log": ((1e-6, 1e6),), "log2": ((1e-6, 1e6),),
        "sin": ((-31.4, 31.4),), "cos": ((-31.4, 31.4),), "tan": ((-1.5, 1.5),), "asin": ((-1, 1),), "acos": ((-1, 1),),
        "sinh": ((-89.4, 89.4),), "cosh": ((-89.4, 89.4),), "tanh": ((-10, 10),), "atan": ((-1e30, 1e30),),
        "erf": ((-1e30, 1e30),), "pow": ((0.01, 10), (-5, 5)), "atan2": ((-1e30, 1e30), (-1e30, 1e30)),
    },
    "double": {
        "exp": ((-1e300, 1e300),), "exp2": ((-1e300, 1e300),), "expm1": ((-1e300, 709),), "log": ((1e-300, 1e300),),
        "log2": ((1e-300, 1e300),), "log1p": ((-0.999, 1e300),), "sin": ((-31.4, 31.4),), "cos": ((-31.4, 31.4),),
        "tan": ((-31.4, 31.4),), "atan": ((-1e300, 1e300),), "atan2": ((-1e300, 1e300), (-1e300, 1e300)),
        "sinh": ((-710.4, 710.4),), "cosh": ((-710.4, 710.4),), "tanh": ((-1e300, 1e300),),
    },
}  # fmt: skip
"""What --math-lib=fast promises; other functions, and elsewhere, are the default library's."""
UNFUSED = " unfused"
"""Ends the key of a row for targets without fused multiply-add."""
ABSENT = {("cbrt", "float16")}
"""What the reference does not list."""
SPECIAL = [0.0, 1.0, 0.5, 2.0, 3.0, 1.5, 4097.0, 1e-7, 1e-40, 1e-300, 1e-320, 89.0, 104.0, 710.0, 746.0, 1e9, 1e22,
           3.4028234663852886e38, 1.7976931348623157e308, np.inf, np.nan,
           1.1754943508222875e-38, 2.2250738585072014e-308]  # fmt: skip


def tail_of_pi(dtype: Any, count: int, seed: int) -> Array:
    """Numbers next to multiples of pi/2, where sin, cos or tan is nearly zero."""
    random = np.random.default_rng(seed)
    whole = np.floor(np.exp(random.uniform(0, 40 if dtype == np.float64 else 20, count)))
    # The product in 80 bits is right to the last bit of the double next to it.
    exact = whole.astype(np.longdouble) * (np.longdouble(1.5707963267948966) + np.longdouble(6.123233995736766e-17))
    return np.asarray(exact.astype(dtype) * random.choice([-1, 1], count).astype(dtype))


HARD: dict[str, list[float]] = {
    "sin": [6381956970095103 * 2.0**797, 16367173 * 2.0**72, 1e22, 1e9, 3.4028234663852886e38, 1.7976931348623157e308],
    "exp": [709.782712893384, -745.1332191019411, -708.3964185322641, 88.72283905206835, -103.97207708399179],
    "log": [float(np.nextafter(1, 0)), float(np.nextafter(1, 2)), 5e-324, 1.401298464324817e-45],
}
HARD_NEAR_ZEROS = ("sin", "cos", "tan")
HARD["cos"] = HARD["tan"] = HARD["sin"]


def kernel(name: str, type: str, library: str, target: str) -> Callable[..., None]:
    """``f(x, y, out, n)`` of a function in a foreach."""
    call = f"{name}(x[i]{', y[i]' if name in TWO else ''})"
    arrays = f"uniform {type} x[], uniform {type} y[], uniform {type} out[]"
    source = f"export void f({arrays}, uniform int n) {{ foreach (i = 0 ... n) out[i] = {call}; }}\n"
    made: Callable[..., None] = voltac.compile(source, target=target, math_library=library, cache=False).f
    return made


def reference_library() -> ctypes.CDLL:
    folder = tempfile.mkdtemp(prefix="voltac-accuracy-")
    made = Path(folder) / "reference.so"
    command = ["gcc", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-shared"]
    subprocess.run([*command, "-o", made, HERE / "peers" / "reference.c", "-lmvec", "-lm"], check=True)
    return ctypes.CDLL(str(made))


def all_inputs(type: str, stride: int) -> tuple[int, Iterator[tuple[Array, ...]]]:
    """Every pattern of the type, or every ``stride``-th with another phase in each chunk."""
    bits = 16 if type == "float16" else 32
    total = (1 << bits) // stride

    def chunks() -> Iterator[tuple[Array, ...]]:
        for start in range(0, total, CHUNK):
            count = min(CHUNK, total - start)
            patterns = np.arange(start, start + count, dtype=np.uint64) * np.uint64(stride)
            if stride > 1:
                patterns += np.random.default_rng(start).integers(0, stride, count, dtype=np.uint64)
            yield (patterns.astype(PATTERNS[type]).view(DTYPES[type]),)

    return total, chunks()


def sampled_inputs(name: str, type: str, samples: int) -> tuple[int, Iterator[tuple[Array, ...]]]:
    """Strata in turn: bit patterns of all magnitudes, each interesting range, hard cases."""
    dtype, pattern = DTYPES[type], PATTERNS[type]
    limit = np.iinfo(pattern).max

    def patterns(random: np.random.Generator, count: int) -> Array:
        return random.integers(0, limit, count, dtype=pattern, endpoint=True).view(dtype)

    def ranged(random: np.random.Generator, count: int, low: float, high: float) -> Array:
        with np.errstate(over="ignore"):
            return random.uniform(low, high, count).astype(dtype)

    def chunks() -> Iterator[tuple[Array, ...]]:
        for number, start in enumerate(range(0, samples, CHUNK)):
            count = min(CHUNK, samples - start)
            random = np.random.default_rng((number, zlib.crc32(name.encode())))
            if name in TWO:
                ranges = TWO[name][0]
                turn = number % (len(ranges) + 1)
                if turn < len(ranges):
                    yield tuple(ranged(random, count, *one) for one in ranges[turn])
                else:
                    yield patterns(random, count), patterns(random, count)
                continue
            ranges_of_one = ONE[name][0]
            stratum = number % (len(ranges_of_one) + 1 + (name in HARD_NEAR_ZEROS))
            if stratum == 0:
                values = patterns(random, count)
            elif stratum <= len(ranges_of_one):
                values = ranged(random, count, *ranges_of_one[stratum - 1])
            else:
                values = tail_of_pi(dtype, count, number)
            hard = np.array(HARD.get(name, []), np.float64)
            with np.errstate(over="ignore"):
                values[: len(hard)] = hard[: len(values)].astype(dtype)
            yield (values,)

    return samples, chunks()


def within(arguments: tuple[Array, ...], ranges: tuple[tuple[float, float], ...]) -> tuple[Array, ...]:
    """The arguments with what lies outside of its range, or is zero for all, brought into it."""
    inside = np.ones(len(arguments[0]), bool)
    for values, (low, high) in zip(arguments, ranges, strict=True):
        inside &= (values >= low) & (values <= high)
    inside &= np.any([values != 0 for values in arguments], axis=0)
    return tuple(np.where(inside, values, values.dtype.type(1)) for values in arguments)


def exact_error(name: str, type: str, arguments: tuple[float, ...], got: float) -> float:
    """The error in units, by mpmath."""
    bits, low, high = FORMATS[type]
    with mpmath.workprec(1400 if name in ("sin", "cos", "tan", "fmod") else 240):
        function = TWO[name][1] if name in TWO else ONE[name][1]
        try:
            exact = function(*(mpmath.mpf(argument) for argument in arguments))
        except (ValueError, ZeroDivisionError, OverflowError, mpmath.libmp.NoConvergence):
            return 0.0
        if not mpmath.isfinite(exact) or isinstance(exact, mpmath.mpc):
            return 0.0
        end = mpmath.mpf(2) ** high
        r = mpmath.sign(exact) * min(abs(exact), end)
        g = mpmath.mpf(got) if np.isfinite(got) else mpmath.sign(got) * end
        exponent = max(low, min(high - 1, mpmath.frexp(r)[1] - 1 if r else low))
        return float(abs(g - r) * mpmath.mpf(2) ** (bits - exponent))


def special_values(name: str, type: str, function: Callable[..., None]) -> list[str]:
    """Inputs where zeros, infinities or NaN come out or should, against C (Annex F): those that differ, signs of zeros too."""
    dtype = DTYPES[type]
    with np.errstate(all="ignore"):
        values = np.unique(np.array([*SPECIAL, *(-one for one in SPECIAL)]).astype(dtype).view(PATTERNS[type])).view(dtype)
        arguments = [values, values]
        if name in TWO:
            arguments = [side.ravel().copy() for side in np.meshgrid(values, values)]
        wide = [one.astype(np.longdouble) for one in arguments[: 2 if name in TWO else 1]]
        exact = C_FUNCTIONS[name](*wide)
        want = np.asarray(exact).astype(dtype)
    got = np.empty_like(want)
    function(*arguments, got, len(got))
    plain = np.isfinite(want) & (want != 0)
    # What is at the very edge of overflow or underflow is a matter of rounding, checked above.
    edge = ~plain & np.isfinite(np.asarray(exact, np.longdouble)) & (np.asarray(exact) != 0)
    same = (got == want) & (np.signbit(got) == np.signbit(want)) | (np.isnan(got) & np.isnan(want)) | edge
    same |= plain & np.isfinite(got)
    return [str(tuple(float(one[at]) for one in arguments[: len(wide)])) for at in np.flatnonzero(~same)]


def _of_doubles(name: str) -> Callable[..., Array]:
    from scipy import special

    return lambda x: np.asarray(getattr(special, name)(x.astype(np.float64)), np.longdouble)


C_FUNCTIONS: dict[str, Callable[..., Array]] = {
    "rsqrt": lambda x: 1 / np.sqrt(x), "rcp": lambda x: 1 / x, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "atan2": np.arctan2, "pow": np.power, "erf": _of_doubles("erf"), "erfc": _of_doubles("erfc"),
    **{name: getattr(np, name) for name in ("sqrt", "exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tan",
                                            "sinh", "cosh", "tanh", "cbrt", "fmod")},
}  # fmt: skip


def measure(name: str, type: str, library: str, options: argparse.Namespace, reference: ctypes.CDLL) -> dict[str, Any]:
    function = kernel(name, type, library, options.target)
    oracle = getattr(reference, f"worst_{type}_{name}")
    oracle.restype = ctypes.c_double
    everything = name in ONE and (type == "float16" or type == "float")
    total, chunks = (
        all_inputs(type, options.stride if type == "float" else 1)
        if everything
        else (sampled_inputs(name, type, options.samples))
    )
    where = ctypes.c_long()
    worst, at, result, done, shown = -1.0, (0.0,), 0.0, 0, time.monotonic()
    promised = FAST_RANGES.get(type, {}).get(name, ()) if library == "fast" else ()
    for arguments in chunks:
        if promised:
            arguments = within(arguments, promised)
        x, y = np.ascontiguousarray(arguments[0]), np.ascontiguousarray(arguments[-1])
        got = np.empty_like(x)
        function(x, y, got, len(x))
        pointers = (ctypes.c_void_p(one.ctypes.data) for one in (x, y, got))
        here = oracle(*pointers, ctypes.c_long(len(x)), ctypes.byref(where))
        if here > worst:
            place = where.value
            worst, result = here, float(got[place])
            at = tuple(float(one[place]) for one in (x, y)[: len(arguments)])
        done += len(x)
        if time.monotonic() - shown > 10:
            shown = time.monotonic()
            state = f"\r{name} {type} {library}: {100 * done / total:.0f} %, {worst:.3f} ulp"
            print(state, end="", file=sys.stderr, flush=True)
    confirmed = exact_error(name, type, at, result)
    return {
        "ulp": round(confirmed if worst < 1e29 else worst, 4), "screened": worst, "at": [one.hex() for one in at],
        "value": [repr(DTYPES[type](one).item()) for one in at], "got": repr(result), "inputs": total,
        "all": everything and total in (1 << 32, 1 << 16),
        "special": [] if promised else special_values(name, type, function),
        "library": checksum(name, type, library, target_of(options)),
    }  # fmt: skip


def target_of(options: argparse.Namespace) -> TargetInfo:
    return host_target() if options.target == "host" else find_target(options.target)


def checksum(name: str, type: str, library: str, target: TargetInfo) -> int:
    """Of what the library says about a function of a type, its parts included."""
    known = index()
    overlays = overlays_of(target, library)
    chunks = [chunk for chunk in known.chunks(name, overlays) if type in chunk.texts[:2]]
    if any(chunk.texts.count(name) > 1 for chunk in chunks):
        # By way of another type.
        chunks = known.chunks(name, overlays)
    seen, texts = {name}, set()
    while chunks:
        chunk = chunks.pop()
        texts.add(" ".join(chunk.texts))
        for word in set(chunk.texts) - seen:
            seen.add(word)
            chunks += known.chunks(word, overlays)
    return zlib.crc32("\n".join(sorted(texts)).encode())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[*ONE, *TWO])
    parser.add_argument("--types", nargs="*", default=list(DTYPES))
    parser.add_argument("--libraries", nargs="*", default=["default", "fast", "system"])
    parser.add_argument("--target", default="host")
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--samples", type=int, default=100_000_000)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--no-write", action="store_true")
    options = parser.parse_args()
    reference = reference_library()
    rows = stored()
    for library in options.libraries:
        for type in options.types:
            for name in options.only:
                if (name, type) in ABSENT:
                    continue
                target = target_of(options)
                if not target.has_fma and (type == "float16" or library == "system"):
                    # float16 functions are rounded ones of float, those of the C library its own.
                    continue
                key = f"{name} {type} {library}" + UNFUSED * (not target.has_fma)
                asked = (1 << 32) // options.stride if type == "float" else options.samples
                known = rows.get(key, {})
                current = known.get("library") == checksum(name, type, library, target) and (
                    known["all"] or known["inputs"] >= asked
                )
                if current and not options.again:
                    continue
                row = measure(name, type, library, options, reference)
                special = f"; WRONG SPECIAL VALUES {row['special'][:6]}" if row["special"] else ""
                print(f"\r{key}: {row['ulp']} ulp at {', '.join(row['value'])}, {row['inputs']} inputs{special}", flush=True)
                if not options.no_write:
                    # Read again: another process may measure other rows meanwhile.
                    rows = stored() | {key: row}
                    STORE.parent.mkdir(exist_ok=True)
                    STORE.write_text(json.dumps(rows, indent=1, sort_keys=True) + "\n")
                    PAGE.write_text(page(rows))
    return 0


def stored() -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = json.loads(STORE.read_text()) if STORE.exists() else {}
    return rows


def page(rows: dict[str, dict[str, Any]]) -> str:
    """docs/accuracy.md: a table for each library."""
    lines = [
        "# Accuracy of the elementary functions",
        "",
        "Made by `python benchmarks/accuracy.py`; `benchmarks/peers/reference.c` says what is compared with what. The error is",
        "the largest one found, |result - exact| in units in the last place (ULP), at the arguments named; it was confirmed",
        "by mpmath. *all*: every number of the type was tried. *special*: signed zeros, infinities, NaN and ends of the range",
        "give what C23's Annex F says.",
        "",
        "The `default` library gives the same bits in uniform and varying code, at every gang size and optimisation level, on",
        "all targets with fused multiply-add (AVX2, AVX-512, Neon), and again on all those without (SSE2, SSE4, AVX1), where",
        "other bits cost less and the same bounds hold (`tests/stdlib/test_same_results.py`). There float functions round",
        "products and sums one by one or, where that would lose too much, compute in double. On NaplesPU, which has neither,",
        "float functions round products and sums one by one: up to 1.5 ULP (`stdlib/without_double/elementary.ispc`).",
        "",
        "pow by a constant whole number up to 64, or 0.25, 0.5, 1.5 or -0.5, is a few products or a root, off by up to 2 ULP:",
        "1.91 found (`tests/stdlib/test_constant_powers.py`), 0.5 for 2, -1 and 0.5. Of a constant 2 it is exp2, of 10 off by",
        "up to 1.22 ULP (float) and 0.94 (double).",
    ]
    for library, text in LIBRARY_TEXTS.items():
        lines += ["", f"## `--math-lib={library}`", "", text]
        for unfused in ("", UNFUSED):
            table = rows_of(rows, library, unfused)
            if not table:
                continue
            if library != "system":
                lines += ["", "### Without fused multiply-add" if unfused else "### With fused multiply-add"]
            lines += ["", "| function | type | ULP | where | inputs | special |", "|---|---|---|---|---|---|", *table]
    return "\n".join(lines) + "\n"


def rows_of(rows: dict[str, dict[str, Any]], library: str, unfused: str) -> list[str]:
    """The lines of one table."""
    lines = []
    for name in (*ONE, *TWO):
        for type in DTYPES:
            row = rows.get(f"{name} {type} {library}{unfused}")
            if row is None or (library == "fast" and name not in FAST_RANGES.get(type, {})):
                continue
            inputs = "all" if row["all"] else f"{row['inputs']:.1e}".replace("e+0", "e").replace("e+", "e")
            special = ", ".join(row["special"]) or ("not promised" if library == "fast" else "as C")
            lines.append(f"| {name} | {type} | {row['ulp']:.3f} | {', '.join(row['value'])} | {inputs} | {special} |")
    return lines


LIBRARY_TEXTS = {
    "default": "At most 1 ULP for float functions of one argument, at most 2 for those of two and for double.",
    "fast": "Functions that differ from the default library's, in the ranges they are meant for. Of float: exp and exp2\n"
    "-80..80, log and log2 1e-6..1e6, sin and cos -10 pi..10 pi, tan -1.5..1.5, asin and acos -1..1,\n"
    "sinh and cosh below overflow, tanh -10..10, pow 0.01..10 to the -5..5, atan, atan2 and erf finite. Of double: exp,\n"
    "exp2 and tanh finite, expm1 up to 709, log, log2 and log1p of numbers from 1e-300 to 1e300, sin, cos and tan\n"
    "-10 pi..10 pi, sinh and cosh below overflow, atan and atan2 of numbers up to 1e300.\n"
    "At most 4 ULP. exp and exp2 of float are those of AVX2; with AVX-512 they are off by 2.284 and 0.859 at most.",
    "system": "The C library's functions, called once for each active lane; here those of glibc 2.36.",
}


if __name__ == "__main__":
    sys.exit(main())
