"""The loops of regular accesses contain the loads, shuffles and stores they need and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from pseudo_programs import Body, compiled, foreach, loop_body, options

from voltac.llvm import early
from voltac.passes import run_with_reports
from voltac.target_info import find_target

TARGETS = ["sse4-i32x4", "avx2-i32x8", "avx512skx-x16"]
LOOP_CONTROL = ("addq", "addl", "cmpq", "cmpl", "incq", "decq", "subq", "testl", "testq", "jb", "jne", "jl", "jg", "jge", "je")
THREE_FLOATS = "{ float, float, float }"


def work(body: list[str]) -> list[str]:
    """The loop body without loop control."""
    return [line for line in body if not line.startswith(LOOP_CONTROL)]


def kinds(lines: list[str]) -> list[str]:
    """``load``, ``store``, ``load+op`` (an operation with a memory operand), ``shuffle`` or the mnemonic."""
    found: list[str] = []
    for line in lines:
        mnemonic, _, operands = line.partition("\t")
        memory = "(" in operands
        if re.match(r"v?(mov[au]p[sd]|movdq[au]\d*|movs[sd]|movq|movd)$", mnemonic) and memory:
            found.append("store" if operands.rstrip().endswith(")") else "load")
        elif re.search(r"shuf|perm|blend|unpck|insertf|insertp|movlh|movhl|pack|alignr|broadcast", mnemonic):
            found.append("load+shuffle" if memory else "shuffle")
        elif re.match(r"v?mova|v?movdqa", mnemonic):
            found.append("copy")
        else:
            found.append("load+op" if memory else mnemonic)
    return found


def increment(body: Body) -> None:
    loaded = body.gather("float", "%p", body.lanes)
    one = body.value(f"fadd <{body.width} x float> {loaded}, splat (float 1.000000e+00)")
    body.scatter("float", one, "%p", body.lanes)


def reduce(body: Body) -> None:
    body.scatter("float", body.gather("float", "%p", body.operation("sdiv", body.lanes, 2)), "%q", body.lanes)


def deinterleave(body: Body) -> None:
    even = body.operation("mul nsw", body.lanes, 2)
    body.scatter("float", body.gather("float", "%p", even), "%q", body.lanes)
    body.scatter("float", body.gather("float", "%p", body.operation("add nsw", even, 1)), "%r", body.lanes)


def read_structs(body: Body) -> None:
    x, y, z = (body.gather("float", "%p", body.lanes, THREE_FLOATS, member) for member in range(3))
    total = body.value(f"fadd <{body.width} x float> {x}, {y}")
    body.scatter("float", body.value(f"fadd <{body.width} x float> {total}, {z}"), "%q", body.lanes)


def write_structs(body: Body) -> None:
    for member, source in enumerate(["%q", "%r", "%s"]):
        body.scatter("float", body.gather("float", source, body.lanes), "%p", body.lanes, THREE_FLOATS, member)


def reverse(body: Body) -> None:
    index = body.operation("sub nsw", "splat (i32 100000)", body.lanes)
    body.scatter("float", body.gather("float", "%p", index), "%q", body.lanes)


POINTERS = "ptr noalias %p, ptr noalias %q, ptr noalias %r, ptr noalias %s, i32 %n"


def program(target: str, write: Callable[[Body], None], parameters: str = POINTERS, whole: bool = False) -> tuple[str, str]:
    return compiled(foreach(find_target(target).width, parameters, write, whole=whole), options(target))


@pytest.mark.parametrize("target", TARGETS)
def test_increment_is_one_add_with_a_memory_operand_and_one_store(target: str) -> None:
    _, assembly = program(target, increment)
    found = kinds(work(loop_body(assembly)))
    # SSE instructions demand aligned memory operands, so there the load stands alone.
    assert found == (["load", "addps", "store"] if target.startswith("sse") else ["load+op", "store"])


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
def test_the_tail_of_increment_is_a_masked_load_and_a_masked_store(target: str) -> None:
    text, _ = program(target, increment)
    tail = text[text.index("foreach_1_1.masked:") :]
    assert len(re.findall(r"call .*@llvm\.masked\.load", tail)) == 1
    assert len(re.findall(r"call .*@llvm\.masked\.store", tail)) == 1


@pytest.mark.parametrize("target", TARGETS)
def test_a_count_rounded_down_to_whole_gangs_leaves_no_tail(target: str) -> None:
    _, assembly = program(target, increment, whole=True)
    assert "mask" not in assembly
    assert not re.search(r"\{%k|movmsk", assembly)


@pytest.mark.parametrize("target", TARGETS)
def test_reduce_is_a_half_width_load_and_one_permute(target: str) -> None:
    _, assembly = program(target, reduce)
    lines = work(loop_body(assembly))
    found = [kind for kind in kinds(lines) if kind != "copy"]
    assert found in (["load", "shuffle", "store"], ["load+shuffle", "store"]), lines
    assert "gather" not in assembly


@pytest.mark.parametrize(("target", "loads", "shuffles"), [("sse4-i32x4", 3, 2), ("avx2-i32x8", 4, 4), ("avx512skx-x16", 3, 2)])
def test_deinterleave_is_two_loads_and_shuffles(target: str, loads: int, shuffles: int) -> None:
    """With AVX2 by halves, each loaded into its place (:mod:`voltac.passes.arithmetic.pairs_in_halves`)."""
    _, assembly = program(target, deinterleave)
    found = kinds(work(loop_body(assembly)))
    assert found.count("load") + found.count("load+shuffle") <= loads, found
    assert found.count("shuffle") + found.count("load+shuffle") == shuffles, found
    assert found.count("store") == 2
    assert set(found) <= {"load", "load+shuffle", "shuffle", "store", "copy"}


@pytest.mark.parametrize("target", TARGETS)
def test_deinterleave_whose_arrays_may_overlap_has_no_gather_either(target: str) -> None:
    _, assembly = program(target, deinterleave, POINTERS.replace("noalias ", ""))
    found = kinds(work(loop_body(assembly)))
    assert set(found) <= {"load", "load+shuffle", "shuffle", "store", "copy"}, found
    assert found.count("load") + found.count("load+shuffle") == 4


@pytest.mark.parametrize(("target", "shuffles"), [("sse4-i32x4", 9), ("avx2-i32x8", 9), ("avx512skx-x16", 6)])
def test_structs_of_three_floats_share_three_loads(target: str, shuffles: int) -> None:
    _, assembly = program(target, read_structs)
    found = kinds(work(loop_body(assembly)))
    assert found.count("load") + found.count("load+shuffle") == 3, found
    assert found.count("shuffle") + found.count("load+shuffle") <= shuffles, found
    assert found.count("store") == 1


@pytest.mark.parametrize("target", TARGETS)
def test_structs_of_three_floats_are_written_by_three_full_stores(target: str) -> None:
    _, assembly = program(target, write_structs)
    found = kinds(work(loop_body(assembly)))
    assert found.count("store") == 3, found
    assert not any("scatter" in kind or "extract" in kind for kind in found)


@pytest.mark.parametrize("target", TARGETS)
def test_a_reversed_load_is_one_load_and_one_permute(target: str) -> None:
    _, assembly = program(target, reverse)
    found = [kind for kind in kinds(work(loop_body(assembly))) if kind != "copy"]
    assert found in (["load", "shuffle", "store"], ["load+shuffle", "store"]), found


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx512skx-x16"])
def test_gathers_can_be_forced_to_measure_what_they_cost(target: str) -> None:
    width = find_target(target).width
    _, assembly = compiled(foreach(width, POINTERS, reduce), options(target, resolve_accesses=False))
    assert "gather" in assembly


def test_reports_say_what_became_of_each_access() -> None:
    chosen = options("avx2-i32x8")
    _, reports = run_with_reports(early(foreach(8, POINTERS, deinterleave), chosen), chosen)
    all_on = [(each.operation, each.kind) for each in reports if each.block == "foreach_1_1.all_on"]
    assert sorted(all_on) == [("load", "shuffled"), ("load", "shuffled"), ("store", "vector"), ("store", "vector")]
    assert {each.function for each in reports} == {"f"}
