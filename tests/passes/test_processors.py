"""What a processor's row decides: which accesses become gathers; and that they read the same, and nothing else."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from guard_pages import FencedCalls
from kernels import InterpretedModule, compile_kernels
from some_pairs import some_pairs

from voltac.driver import compile_source
from voltac.ir.interp import IRInterpreter
from voltac.ir.read import read
from voltac.llvm import host as host_module
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.target_info import find_target
from voltac.target_info.cpus import CPUS, find_cpu
from voltac.target_info.processors import PROCESSORS, processor_of

LOOKUPS = """
export void from_memory(uniform T to[n], const uniform T table[], const uniform int index[n], uniform int n) {
    foreach (i = 0 ... n)
        to[i] = table[index[i] & 63];
}
export void computed(uniform T to[n], const uniform T table[], const uniform int index[n], uniform int n) {
    foreach (i = 0 ... n)
        to[i] = table[(i * i) % 61];
}
export void masked(uniform T to[n], const uniform T table[], const uniform int index[n], uniform int n) {
    foreach (i = 0 ... n)
        if (index[i] % 3 != 0)
            to[i] = table[index[i]];
}
"""
RINGS = """
export void read_ring(uniform T to[n], const uniform T table[], const uniform int index[n], uniform int n) {
    foreach (i = 0 ... n)
        to[i] = table[i & 31];
}
export void write_ring(uniform T to[n], uniform T table[], const uniform int index[n], uniform int n) {
    foreach (i = 0 ... n) {
        table[i % 48u] += 3;
        to[i] = table[i & 28];
    }
}
"""


def settings(target: str, cpu: str) -> Options:
    return Options(target=find_target(target), level=3, cpu=find_cpu(cpu).llvm_name if cpu else "")


def gathers(function: str, cpu: str, target: str = "avx2-i32x8") -> bool:
    """Whether lanes that are all on gather."""
    text = compile_source(LOOKUPS.replace("T ", "float "), "f.ispc", settings(target, cpu), Diagnostics(), end="passes").results
    blocks = read(text["passes"]).function(function).blocks
    return any("masked.gather" in each.text for block in blocks if ".all_on" in block.name for each in block.instructions)


@pytest.mark.parametrize(
    ("cpu", "from_memory", "computed"),
    [("", False, False), ("haswell", False, False), ("znver3", False, False), ("skylake", False, False),
     ("broadwell", False, True), ("alderlake", True, True), ("sapphirerapids", True, True)],
)  # fmt: skip
def test_a_cpu_decides_between_gathers_and_loads(cpu: str, from_memory: bool, computed: bool) -> None:
    assert (gathers("from_memory", cpu), gathers("computed", cpu)) == (from_memory, computed)


def test_avx512_by_its_cpu() -> None:
    assert [gathers("from_memory", cpu, "avx512icl-x16") for cpu in ("", "icelake-server", "znver4", "spr")] == [
        False, False, False, True,
    ]  # fmt: skip
    assert [gathers("computed", cpu, "avx512icl-x16") for cpu in ("", "icelake-server", "znver4", "spr")] == [
        True, False, True, True,
    ]  # fmt: skip


def test_each_cpu_with_gathers_has_a_row() -> None:
    with_gathers = {cpu.llvm_name for cpu in CPUS if find_target(cpu.target).is_x86 and find_target(cpu.target).has_gather}
    assert with_gathers == {cpu for row in PROCESSORS for cpu in row.cpus if cpu != "haswell"}
    assert processor_of("x86-64") == ""


@pytest.mark.parametrize(
    ("vendor", "family", "model", "more", "waits", "row"),
    [
        ("GenuineIntel", 6, 0x3F, "", "Not affected", "haswell"),
        ("GenuineIntel", 6, 0x55, "", "Mitigation: Microcode", "skylake"),
        ("GenuineIntel", 6, 0x6A, "", "Vulnerable", "skylake without waits"),
        ("GenuineIntel", 6, 0xA7, "avx_vnni", "Not affected", "alderlake"),
        ("AuthenticAMD", 0x17, 0x31, "", "Not affected", "zen"),
        ("AuthenticAMD", 0x19, 0x21, "", "Not affected", "zen3"),
        ("AuthenticAMD", 0x19, 0x61, "", "Not affected", "zen4"),
        ("HygonGenuine", 0x18, 0x00, "", "Not affected", ""),
    ],
)
def test_the_host_is_known_by_its_family(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object, vendor: str, family: int, model: int, more: str, waits: str, row: str
) -> None:
    state = f"{tmp_path}/state"
    with open(state, "w") as file:
        file.write(waits + "\n")
    description = {"vendor_id": vendor, "cpu family": str(family), "model": str(model)}
    monkeypatch.setattr(host_module, "_GATHERS", state)
    monkeypatch.setattr(host_module, "pretended_cpu", lambda: None)
    monkeypatch.setattr(host_module, "cpu_description", lambda: description)
    monkeypatch.setattr(host_module, "instruction_sets", lambda: frozenset(("avx2", *more.split())))
    assert host_module.host_processor.__wrapped__() == row


TYPES = {
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "float": np.float32, "double": np.float64, "int64": np.int64,
}  # fmt: skip


def expected(name: str, table: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the kernels above leave in ``to``, of sevens before, and in the table; element by element."""
    table, to = table.copy(), np.full(len(index), 7, table.dtype)
    for i in range(len(index)):
        if name == "from_memory":
            to[i] = table[index[i] & 63]
        elif name == "computed":
            to[i] = table[i * i % 61]
        elif name == "masked" and index[i] % 3 != 0:
            to[i] = table[index[i]]
        elif name == "read_ring":
            to[i] = table[i & 31]
    return to, table


def by_gangs(table: np.ndarray, count: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """``write_ring``: a gang writes all its elements before it reads any."""
    table, to = table.copy(), np.full(count, 7, table.dtype)
    for first in range(0, count, width):
        lanes = range(first, min(count, first + width))
        for i in lanes:
            table[i % 48] += 3
        for i in lanes:
            to[i] = table[i & 28]
    return to, table


@pytest.mark.parametrize(
    ("element", "target"), some_pairs(TYPES, ["sse4-i32x4", "avx2-i32x8", "avx2-i32x16", "avx512skx-x16"], 4)
)
def test_lookups_and_rings(element: str, target: str) -> None:
    """With gathers wherever they can be; the table ends, or begins, at memory that must not be touched."""
    random = np.random.default_rng(1)
    source = LOOKUPS + RINGS if "x4" not in target else RINGS
    source = source.replace("T ", f"{element} ")
    cpu = "spr" if "avx" in target else ""
    interpreter = IRInterpreter(
        read(compile_source(source, "f.ispc", settings(target, cpu), Diagnostics(), end="passes").results["passes"])
    )
    kernels = compile_kernels(source, target, cpu=find_cpu(cpu).llvm_name if cpu else "")
    width = find_target(target).width
    calls = FencedCalls()
    for name, elements in (("from_memory", 64), ("computed", 61), ("masked", 64), ("read_ring", 32), ("write_ring", 48)):
        if name not in source:
            continue
        for count in (0, 1, width - 1, width, 3 * width + 5, 97):
            index = random.integers(0, 64, count).astype(np.int32)
            table = random.integers(0, 100, elements).astype(TYPES[element])
            wanted = by_gangs(table, count, width) if name == "write_ring" else expected(name, table, index)
            to, copy = np.full(max(count, 1), 7, table.dtype)[:count], table.copy()
            interpreter.call(name, [to, copy, index, count])
            assert (to.tolist(), copy.tolist()) == (wanted[0].tolist(), wanted[1].tolist()), (name, count)
            for at_end in (False, True):
                given = calls.copies(np.full_like(to, 7), table, index, at_end=at_end)
                call = partial(kernels[name], *given, count)
                calls.add((name, count, at_end), call, (given[0], wanted[0]), (given[1], wanted[1]))
    if not isinstance(kernels, InterpretedModule):
        calls.check()


def test_ring_indices_are_consecutive() -> None:
    """Gangs begin at multiples of their width, so none crosses the end of the ring."""
    text = compile_source(
        RINGS.replace("T ", "float "), "f.ispc", settings("avx2-i32x8", ""), Diagnostics(), end="passes"
    ).results["passes"]
    blocks = [block for block in read(text).function("read_ring").blocks if block.name.endswith(".all_on")]
    assert sum("load <8 x float>" in each.text for block in blocks for each in block.instructions) == 1


@pytest.mark.parametrize(
    ("cpu", "branches"), [("", True), ("znver2", True), ("znver4", True), ("haswell", False), ("spr", False)]
)
def test_masked_stores_are_avoided_where_they_are_slow(cpu: str, branches: bool) -> None:
    source = """
    export void f(uniform int a[], uniform int b[], uniform int n, uniform int m) {
        for (uniform int k = 0; k < m; k++)
            foreach (i = 0 ... n)
                if (b[i] > k)
                    a[i] = k;
    }"""
    for target, always in (("avx2-i32x8", False), ("sse4-i32x4", True)):
        text = compile_source(source, "f.ispc", settings(target, cpu), Diagnostics(), end="passes").results["passes"]
        assert ("masked.whole" in text) == (branches or always), "SSE has none"


PAIRS = """
export void pairs(uniform T to[], const uniform T table[], const uniform int index[], uniform int n) {
    foreach (i = 0 ... n) {
        int k = index[i];
        to[i] = table[k] * 3 + table[k + 1];
        if (k % 3 == 0)
            to[i] = table[k - 1] - table[k - 2];
    }
}
"""


@pytest.mark.parametrize("cpu", ["spr", "znver3"])
@pytest.mark.parametrize(
    ("element", "target"), some_pairs(["float", "int32", "double"], ["avx2-i32x8", "avx2-i32x16", "avx512skx-x16"], 3)
)
def test_two_neighbours_at_an_index(element: str, target: str, cpu: str) -> None:
    """Of 32 bits by one gather of 64 where those are fast; both ends of the table are read, and nothing beyond."""
    random = np.random.default_rng(2)
    source = PAIRS.replace("T ", f"{element} ")
    text = compile_source(source, "f.ispc", settings(target, cpu), Diagnostics(), end="passes").results["passes"]
    assert ("masked.gather.v" in text and "pairs" in text and "%halves" in text) == (cpu == "spr" and element != "double")
    kernels = compile_kernels(source, target, cpu=find_cpu(cpu).llvm_name)
    calls = FencedCalls()
    table = random.integers(0, 100, 41).astype(TYPES[element])
    for count in (1, 8, 37):
        index = random.choice([k for k in range(40) if k % 3 or k > 1], count).astype(np.int32)
        index[0], index[-1] = 1, 39
        wanted = np.where(index % 3 == 0, table[index - 1] - table[index - 2], table[index] * 3 + table[index + 1])
        interpreted = np.zeros(count, table.dtype)
        IRInterpreter(read(text)).call("pairs", [interpreted, table.copy(), index.copy(), count])
        assert interpreted.tolist() == wanted.tolist()
        for at_end in (True, False):
            to, given, indices = calls.copies(np.zeros(count, table.dtype), table, index, at_end=at_end)
            calls.add("pairs", partial(kernels.pairs, to, given, indices, count), (to, wanted))
    calls.check()
