"""Patterns over values: what they find in written functions is what one reads there."""

from __future__ import annotations

import pytest

from voltac.ir import match as m
from voltac.ir.match import Pattern
from voltac.ir.model import Instruction
from voltac.ir.read import read

FUNCTION = """define <8 x i32> @f(i32 %n, i32 %k, <8 x i32> %v, <8 x i1> %mask, <8 x i8> %bytes) {
  %rest = and i32 %n, 7
  %whole = sub i32 %n, %rest
  %other = sub i32 %k, %rest
  %first = insertelement <8 x i32> poison, i32 %n, i64 0
  %all = shufflevector <8 x i32> %first, <8 x i32> poison, <8 x i32> zeroinitializer
  %third = insertelement <8 x i32> zeroinitializer, i32 %n, i64 3
  %not.all = shufflevector <8 x i32> %third, <8 x i32> poison, <8 x i32> zeroinitializer
  %turned = shufflevector <8 x i32> %first, <8 x i32> poison, <8 x i32> <i32 1, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0>
  %some = insertelement <8 x i32> %v, i32 %k, i64 0
  %spread = shufflevector <8 x i32> %some, <8 x i32> poison, <8 x i32> zeroinitializer
  %sum = add nsw <8 x i32> splat (i32 4), %v
  %wrapping = add <8 x i32> %v, %all
  %twice = add <8 x i32> %v, %v
  %less = icmp slt <8 x i32> %v, zeroinitializer
  %none = xor <8 x i1> %mask, splat (i1 true)
  %flipped = xor <8 x i32> %v, splat (i32 -1)
  %almost = xor <8 x i32> %v, <i32 -1, i32 poison, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1, i32 -1>
  %wide = sext <8 x i8> %bytes to <8 x i32>
  %frozen = freeze <8 x i32> %wide
  %size = call <8 x i32> @llvm.abs.v8i32(<8 x i32> %frozen, i1 false)
  %either = select <8 x i1> %mask, <8 x i32> %sum, <8 x i32> zeroinitializer
  ret <8 x i32> %either
}
"""
DEFINITIONS: dict[str, Instruction] = read(FUNCTION).function("f").definitions()


def names(pattern: Pattern, name: str) -> dict[str, str] | None:
    found = pattern.find(name, DEFINITIONS)
    return None if found is None else {key: " ".join(operand).strip() for key, operand in found.items()}


REST = m.op("sub", m.value("n"), m.op(("and", "urem"), m.value("n"), m.constant("k")))


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        # A name that stands twice is one value.
        (REST, "%whole", {"n": "i32 %n", "k": "i32 7"}),
        (REST, "%other", None),
        (REST, "%rest", None),
        (REST, "%n", None),
        (m.op("add", m.value("x"), m.value("x")), "%twice", {"x": "<8 x i32> %v"}),
        # Operands in either order (what the one that did not fit had bound is forgotten), and as written.
        (m.add(m.value("x"), m.constant("k")), "%sum", {"x": "<8 x i32> %v", "k": "<8 x i32> splat (i32 4)"}),
        (m.op("add", m.value("x"), m.constant("k")), "%sum", None),
        (m.add(m.value("x"), m.constant("k")), "%wrapping", None),
        (m.add(m.splat(m.value("x")), m.value("y")), "%wrapping", {"x": "i32 %n", "y": "<8 x i32> %v"}),
        (m.add(m.value("x"), m.value(), flag="nsw"), "%sum", {"x": "<8 x i32> splat (i32 4)"}),
        (m.add(m.value("x"), m.value(), flag="nsw"), "%wrapping", None),
        # The scalar in every lane.
        (m.splat(m.value("s")), "%all", {"s": "i32 %n"}),
        (m.splat(m.value("s")), "%spread", {"s": "i32 %k"}),
        (m.splat(m.value("s")), "%not.all", None),
        (m.splat(m.value("s")), "%turned", None),
        (m.splat(m.value("s")), "%first", None),
        # Numbers.
        (m.op("icmp", m.value("x"), m.number(0), predicate="slt"), "%less", {"x": "<8 x i32> %v"}),
        (m.op("icmp", m.value("x"), m.number(0), predicate="sgt"), "%less", None),
        (m.op("xor", m.value("x"), m.all_ones()), "%none", {"x": "<8 x i1> %mask"}),
        (m.op("xor", m.value("x"), m.all_ones()), "%flipped", {"x": "<8 x i32> %v"}),
        (m.op("xor", m.value("x"), m.all_ones()), "%almost", None),
        (m.op("xor", m.mask("x"), m.value()), "%none", {"x": "<8 x i1> %mask"}),
        (m.op("xor", m.mask("x"), m.value()), "%flipped", None),
        # Through other operations.
        (m.behind(("freeze", "sext"), m.value("x")), "%frozen", {"x": "<8 x i8> %bytes"}),
        (m.behind(("sext",), m.op("freeze", named="it")), "%frozen", {"it": "<8 x i32> %frozen"}),
        (m.call("@llvm.abs.", m.op("freeze", m.value("x"))), "%size", {"x": "<8 x i32> %wide"}),
        (m.call("@llvm.smax.", m.value("x")), "%size", None),
        (
            m.one_of(m.op("and", m.value("a")), m.op("select", m.value("b"), m.value("c"), m.number(0))),
            "%either",
            {"b": "<8 x i1> %mask", "c": "<8 x i32> %sum"},
        ),
    ],
)
def test_a_pattern_finds_what_one_reads(pattern: Pattern, name: str, expected: dict[str, str] | None) -> None:
    assert names(pattern, name) == expected
    assert pattern.matches(name, DEFINITIONS) is (expected is not None)


def test_what_is_known_already_has_to_be_found_again() -> None:
    v, n = DEFINITIONS["%sum"].operands[1], DEFINITIONS["%rest"].operands[0]
    pattern = m.add(m.splat(m.value("s")), m.value("x"))
    assert pattern.matches("%wrapping", DEFINITIONS, x=v, s=n)
    assert not pattern.matches("%wrapping", DEFINITIONS, x=n)


def test_a_scalar_that_was_put_into_lane_3_is_not_in_every_lane() -> None:
    scalars = {name: m.scalar_of_splat(name, DEFINITIONS) for name in ("%all", "%spread", "%not.all", "%v")}
    assert {name: scalar and scalar.value for name, scalar in scalars.items()} == {
        "%all": "%n", "%spread": "%k", "%not.all": None, "%v": None,
    }  # fmt: skip


def test_the_source_of_a_value_is_behind_what_changes_its_form() -> None:
    assert m.source("%frozen", ("freeze", "sext"), DEFINITIONS) == "%bytes"
    assert m.source("%frozen", ("sext",), DEFINITIONS) == "%frozen"
    assert m.source("%n", ("sext",), DEFINITIONS) == "%n"
