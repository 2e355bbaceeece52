"""Vertices written by hand (vertices/*.S) on the simulated tile: results from numpy, slots counted by hand (IPU 2.3, 5.3)."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from voltac.targets.ipu.assembly.program import TileProgram, assemble_vertices
from voltac.targets.ipu.simulator.faults import WorkerTrap
from voltac.targets.ipu.simulator.memory import SLACK
from voltac.targets.ipu.simulator.tile import Tile
from voltac.targets.ipu.simulator.vertex import PlacedArray, run_vertex

VERTICES = Path(__file__).parent / "vertices"


@cache
def program(name: str, generation: str = "mk2") -> TileProgram:
    path = VERTICES / name
    return assemble_vertices(path.read_text(), generation, str(path))


def floats(count: int, dtype: type = np.float32) -> Any:
    return np.random.default_rng(count).standard_normal(count).astype(dtype)


@pytest.mark.parametrize("generation", ["mk1", "mk2"])
@pytest.mark.parametrize("count", [*range(28), 36, 37, 100, 1023, 1024])
def test_a_scalar_is_added_in_place(count: int, generation: str) -> None:
    x = floats(count)
    before = x.copy()
    run_vertex(program("add_scalar.S", generation), [x, count, 1.5])
    assert np.array_equal(x, before + np.float32(1.5))


def test_slots_of_the_addition() -> None:
    x = floats(1024)
    report = run_vertex(program("add_scalar.S"), [x, 1024, 1.5]).report
    # 512 words for six workers: 86, 86, then 85 each. For W words 30 issues up to the rpt, 2 * ((W - 2) >> 1) in its body; then
    # 'and', 'brnz'; the drain of 2 bundles and 'bri', or of 3 that run into the tail; the tail of 3 and 'exitz'.
    assert [worker.slots for worker in report.workers] == [30 + 84 + 2 + 3 + 4] * 2 + [30 + 82 + 2 + 3 + 4] * 4
    assert [worker.repeat_slots for worker in report.workers] == [84] * 2 + [82] * 4
    assert report.cycles == 6 * 123
    # Both pipes: in every bundle of the body, the two that fill, three of the setup, one that drains (two for odd W).
    assert [worker.both for worker in report.workers] == [84 + 2 + 3 + 1] * 2 + [82 + 2 + 3 + 2] * 4
    assert report.conflicts == 0


@pytest.mark.parametrize("type", ["float", "half"])
@pytest.mark.parametrize("units", [0, 1, 5, 6, 7, 150])
def test_dot_products(type: str, units: int) -> None:
    dtype, per_unit = (np.float32, 2) if type == "float" else (np.float16, 4)
    x, y = floats(units * per_unit, dtype), floats(units * per_unit + 1, dtype)[:-1]
    partial = np.full(6, np.nan, np.float32)
    report = run_vertex(program("dot.S"), [x, y, units, partial], f"Dot__{type}").report
    exact = np.dot(x.astype(np.float64), y.astype(np.float64))
    assert abs(partial.sum() - exact) <= 1e-5 * np.abs(x.astype(np.float64) * y.astype(np.float64)).sum() + 1e-30
    # One bundle a unit in the body (IPU 5.5).
    assert [worker.repeat_slots for worker in report.workers] == [units // 6 + (w < units % 6) for w in range(6)]


@pytest.mark.parametrize("generation", ["mk1", "mk2"])
@pytest.mark.parametrize(("type", "dtype"), [("float", np.float32), ("half", np.float16)])
@pytest.mark.parametrize("count", [*range(14), 24, 27, 1001])
def test_scaled_additions(count: int, type: str, dtype: type, generation: str) -> None:
    a, b = floats(count, dtype), floats(count + 1, dtype)[:-1]
    exact = a + b * dtype(0.5)
    run_vertex(program("scaled_add.S", generation), [a, b, count, 0.5], f"popops__ScaledAdd___{type}_{type}_true")
    assert np.array_equal(a, exact)


def test_a_table_made_by_macros() -> None:
    made = program("scaled_add.S")
    content = bytes(made.code.sections[".rodata.table"].content)
    # An address, index, 1.0 and -2.5 as halves, four bytes.
    halves = np.array([1.0, -2.5], np.float16).tobytes()
    assert content[4:14] == bytes(2) + halves + b"a\n\1\xff"
    assert content[18:28] == b"\1\0" + halves + b"a\n\3\xfe"
    assert made.sizes["table"] == 28


def test_a_sum_of_whole_numbers() -> None:
    x, sum = np.arange(64, dtype=np.float32), np.zeros(1, np.float32)
    run_vertex(program("scaled_add.S"), [x, 64, sum], "Sum")
    assert sum[0] == 64 * 63 / 2


@pytest.mark.parametrize("fours", [0, 1, 2, 3, 50])
def test_conversion_to_half(fours: int) -> None:
    x = floats(4 * fours) * 1000
    y = np.zeros(4 * fours, np.float16)
    report = run_vertex(program("to_half.S"), [x, y, fours], workers=1).report
    assert np.array_equal(y, x.astype(np.float16))
    # Two bundles for four elements (IPU 5.5); the last four are converted behind the repeat.
    assert report.workers[0].repeat_slots == 2 * max(0, fours - 1)


@pytest.mark.parametrize("pairs", [0, 1, 5, 6, 7, 12, 40, 100])
def test_a_supervisor_starts_six_workers(pairs: int) -> None:
    x = floats(2 * pairs)
    before = x.copy()
    report = run_vertex(program("supervisor.S"), [x, pairs, np.array([2.5], np.float32)], supervisor=True).report
    assert np.array_equal(x, before * np.float32(2.5))
    assert [worker.worker for worker in report.workers] == list(range(6))
    # 13 instructions of the supervisor, six cycles each; it waits while the workers run.
    assert report.cycles == 6 * 13 + max(worker.cycles for worker in report.workers)


OPERATIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


@pytest.mark.parametrize("type", ["float", "half"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_that_a_macro_makes(operation: str, type: str) -> None:
    dtype = np.float32 if type == "float" else np.float16
    for count in (0, 1, 2, 3, 4, 5, 23, 48, 50, 51):
        x, y, z = floats(count, dtype), floats(count + 1, dtype)[:-1], np.full(count + 2, 7, dtype)
        run_vertex(program("elementwise.S"), [x, y, z, count], f"{operation}__{type}")
        assert np.array_equal(z[:count], OPERATIONS[operation](x, y))
        assert (z[count:] == 7).all()


@pytest.mark.parametrize("offset", range(4))
def test_bytes_are_filled_at_any_address(offset: int) -> None:
    for count in (*range(10), 31):
        x = np.arange(48, dtype=np.uint8)
        expected = x.copy()
        expected[offset : offset + count] = 0xAB
        tile = Tile()
        tile.load(program("fill.S").image())
        base = tile.memory.map.interleaved
        tile.memory.write(base, x.tobytes())
        tile.declare(base, 48)
        state = base + 0x8000
        tile.memory.write(state, b"".join(word.to_bytes(4, "little") for word in (base + offset, count, 0xAB)))
        tile.declare(state, 12)
        tile.run_workers(tile.symbols["__runCodelet_Fill"], [state] * 6)
        assert np.array_equal(np.frombuffer(tile.memory.read(base, 48), np.uint8), expected)


def test_sizes_and_stacks_are_known() -> None:
    fill = program("fill.S")
    assert fill.stacks == {"__runCodelet_Fill": 8}
    assert fill.sizes["__runCodelet_Fill"] == sum(section.size for section in fill.code.sections.values())
    assert program("supervisor.S").stacks == {"__runCodelet_Scale": 16}


def test_arrays_in_region_0_conflict_with_themselves() -> None:
    x = floats(64)
    with pytest.raises(WorkerTrap, match="bank conflict") as caught:
        run_vertex(program("add_scalar.S"), [PlacedArray(x, region=0), 64, 1.5])
    assert caught.value.code == 6
    assert "ldst64pace" in str(caught.value)
    assert caught.value.in_repeat


def test_conflicts_can_be_counted_instead() -> None:
    x = floats(64)
    before = x.copy()
    tile = Tile(conflicts="count")
    run = run_vertex(program("add_scalar.S"), [PlacedArray(x, region=0), 64, 1.5], workers=1, tile=tile)
    assert np.array_equal(x[:10], before[:10] + np.float32(1.5))
    # Five or six words for each worker, and this is one of them: 6 words, four of them in the repeat.
    assert run.report.conflicts == 4


def test_loads_behind_an_array_are_counted() -> None:
    x, y = floats(12), np.zeros(12, np.float32)
    partial = np.zeros(6, np.float32)
    report = run_vertex(program("dot.S"), [x, y, 6, partial], "Dot__float").report
    # The last worker loads one word behind each array.
    assert report.over_reads == 2
    assert SLACK == 32


@pytest.mark.parametrize("count", [0, 1, 2, 11, 12, 13, 100, 1001])
def test_six_workers_sum_up(count: int) -> None:
    x, parts = np.arange(count + 1, dtype=np.float32), np.full(6, np.nan, np.float32)
    run_vertex(program("reduce.S"), [x, count, parts])
    assert parts.sum() == count * (count - 1) / 2


@pytest.mark.parametrize("count", [1, 2, 37])
def test_a_maximum_exponentials_and_their_sum(count: int) -> None:
    x = floats(count)
    out, total = np.zeros(count, np.float32), np.zeros(1, np.float32)
    run_vertex(program("softmax.S"), [x, out, total, count])
    expected = np.exp(x.astype(np.float64) - x.max())
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    np.testing.assert_allclose(total[0], expected.sum(), rtol=1e-6)


@pytest.mark.parametrize(("name", "degree"), [("Linear", 1), ("Quadratic", 2), ("Cubic", 3), ("CubicByHand", 3)])
def test_polynomials_that_the_other_macros_make(name: str, degree: int) -> None:
    coefficients = np.arange(1, degree + 2, dtype=np.float32)
    for pairs in (0, 1, 5, 6, 7, 40):
        x, y = floats(2 * pairs), np.zeros(2 * pairs, np.float32)
        run_vertex(program("polynomial.S"), [x, y, coefficients, pairs], name)
        expected = np.full(2 * pairs, coefficients[degree])
        for coefficient in coefficients[:degree][::-1]:
            expected = expected * x + coefficient
        assert np.array_equal(y, expected)


def test_names_and_numbers_in_the_data_of_the_other_macros() -> None:
    # Each text ends with a zero, the place behind it in the section, and the degree.
    expected = b"Linear\0\x07\x01" + b"Quadratic\0\x13\x02" + b"Cubic\0\x1b\x03"
    assert bytes(program("polynomial.S").code.sections[".rodata.names"].content) == expected
