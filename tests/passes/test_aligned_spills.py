"""Functions that may spill wide vectors keep a frame pointer, and LLVM spills at whole vectors then, never across lines."""

import re

import pytest

from voltac.driver import compile_source
from voltac.ir.read import read
from voltac.ir.verify import verify
from voltac.options import Options
from voltac.passes.lanes.aligned_spills import align_spills, spills_unaligned
from voltac.target_info import find_target

KEPT = '"frame-pointer"="all"'
TWENTY = 20
SPILLING = """
export void f(uniform float a[], const uniform float b[], uniform int n) {{
    foreach (i = 0 ... n) {{
        {loads}
        {products}
        a[i] = ({sums}) * ({reversed});
    }}
}}
"""


def _source(values: int) -> str:
    """Every value is needed again when all of them have been."""
    numbers = range(values)
    return SPILLING.format(
        loads=" ".join(f"float x{k} = b[i + {k}];" for k in numbers),
        products=" ".join(f"float y{k} = x{k} * x{(k + 1) % values};" for k in numbers),
        sums=" + ".join(f"y{k}" for k in numbers),
        reversed=" - ".join(f"y{k}" for k in reversed(numbers)),
    )


def _assembly(values: int, target: str) -> str:
    made = compile_source(_source(values), "f.ispc", Options(find_target(target), whole_program=True))
    return str(made.results["late"].assembly())


@pytest.mark.parametrize("target", ["avx2-i32x8", "avx2-i32x16", "avx2-i64x4"])
def test_what_is_spilled_is_aligned(target: str) -> None:
    lines = _assembly(TWENTY, target).splitlines()
    spills = [line for line in lines if re.search(r"vmov[au]p[sd]\s+%ymm\d+, -?\d*\(%rsp\)", line)]
    assert spills and not [line for line in spills if "vmovu" in line]
    assert any(re.search(r"andq\s+\$-32, %rsp", line) for line in lines)


@pytest.mark.parametrize("target", ["avx2-i32x8", "sse4-i32x8"])
def test_functions_that_spill_no_wide_vectors_stay_as_they_are(target: str) -> None:
    assert "%rbp" not in _assembly(2, target)


def _module(values: int, call: str = "") -> str:
    """All values are loaded before the first is used."""
    loads = [f"  %x{k} = load <8 x float>, ptr %a, align 4" for k in range(values)]
    stores = [f"  store <8 x float> %x{k}, ptr %a, align 4" for k in range(values)]
    lines = "\n".join([*loads, *stores])
    return (
        f"declare void @g()\ndefine void @f(ptr %a) local_unnamed_addr #0 {{\n{lines}\n{call}  ret void\n}}\n"
        "attributes #0 = { nounwind }\n"
    )


def test_values_one_after_the_other_take_one_register() -> None:
    lines = "".join(
        f"  %x{k} = load <8 x float>, ptr %a, align 4\n  store <8 x float> %x{k}, ptr %a, align 4\n" for k in range(TWENTY)
    )
    text = f"define void @f(ptr %a) #0 {{\n{lines}  ret void\n}}\nattributes #0 = {{ nounwind }}\n"
    assert align_spills(text, find_target("avx2-i32x8")) == text


@pytest.mark.parametrize(
    ("values", "call", "target", "kept"),
    [
        (16, "", "avx2-i32x8", False),
        (17, "", "avx2-i32x8", True),
        (17, "", "avx512skx-x16", False),
        (1, "  call void @g()\n", "avx2-i32x8", True),
        (0, "  call void @g()\n", "avx2-i32x8", False),
    ],
)
def test_more_vectors_than_registers_or_a_call_may_spill(values: int, call: str, target: str, kept: bool) -> None:
    made = align_spills(_module(values, call), find_target(target))
    verify(read(made))
    assert (f"@f(ptr %a) local_unnamed_addr #0 {KEPT} {{" in made) == kept
    assert kept or made == _module(values, call)


def test_names_in_quotes_are_read_over() -> None:
    text = _module(TWENTY).replace("%x3", '%"a b"')
    made = align_spills(text, find_target("avx2-i32x8"))
    verify(read(made))
    assert KEPT in made


def test_registers_no_wider_than_the_stack_is_aligned_need_nothing() -> None:
    assert spills_unaligned(find_target("avx2-i32x8"))
    assert not spills_unaligned(find_target("sse4-i32x8"))
    assert not spills_unaligned(find_target("neon-i32x4"))
