"""What the elementary functions become: the instructions an expert would use, and no call in a loop but a rare one."""

from __future__ import annotations

import re

import pytest

from voltac.driver import compile_source
from voltac.python import make_options

# Functions whose rare arguments are handled by a function of their own; on AVX2 exp, too.
WITH_RARE_CALL = {"sin", "cos", "tan", "pow"}
TWO = ("atan2", "pow")


def loop_of(name: str, target: str, library: str = "default", type: str = "float") -> str:
    """The assembly of the path of a foreach where all lanes are on."""
    call = f"{name}(x[i]{', y[i]' if name in TWO else ''})"
    source = (
        f"export void f(uniform {type} x[], uniform {type} y[], uniform {type} out[], uniform int n) "
        f"{{ foreach (i = 0 ... n) out[i] = {call}; }}\n"
    )
    options = make_options(target=target, math_library=library)
    text = compile_source(source, "f.ispc", options).optimized.assembly(comments=True)
    start = text.index("all_on")
    return text[start : text.index("finished", start)]


def instructions(text: str) -> set[str]:
    return set(re.findall(r"^\s+([a-z]\w+)", text, re.MULTILINE))


@pytest.mark.parametrize("name", ["exp", "log", "atan2", "tanh", "erf", "sin", "cos", "pow"])
@pytest.mark.parametrize("target", ["avx512skx-x16", "avx2-i32x8"])
def test_nothing_is_computed_lane_by_lane(name: str, target: str) -> None:
    found = instructions(loop_of(name, target))
    assert any(one.startswith("vfmadd") for one in found)
    assert not any(one.endswith(("ss", "sd")) and not one.startswith("vbroadcast") for one in found)
    assert "callq" not in found or name in WITH_RARE_CALL or (name, target) == ("exp", "avx2-i32x8")


@pytest.mark.parametrize("library", ["default", "fast"])
def test_exponents_are_taken_and_applied_by_instructions_of_avx512(library: str) -> None:
    assert "vscalefps" in instructions(loop_of("exp", "avx512skx-x16", library))
    assert {"vgetexpps", "vgetmantps"} <= instructions(loop_of("log", "avx512skx-x16", library))


@pytest.mark.parametrize("target", ["avx512skx-x16", "avx2-i32x8"])
def test_tables_of_pow_are_permuted(target: str) -> None:
    found = instructions(loop_of("pow", target))
    assert {"vpermps", "vpermd"} & found
    assert not any("gather" in one for one in found)


@pytest.mark.parametrize(("type", "instruction"), [("float", "vpermilps"), ("double", "vpermilpd")])
@pytest.mark.parametrize("target", ["avx512skx-x16", "avx2-i32x8"])
def test_terms_of_sines_and_cosines_are_permuted(target: str, type: str, instruction: str) -> None:
    assert instruction in instructions(loop_of("sin", target, type=type))


@pytest.mark.parametrize(
    "name", ["exp", "log", "log1p", "log2", "sin", "cos", "pow", "erf", "erfc", "sinh", "cosh", "tanh", "cbrt"]
)
def test_functions_without_division_have_none(name: str) -> None:
    assert "vdivps" not in instructions(loop_of(name, "avx512skx-x16"))


def test_cbrt_of_double_divides_nothing() -> None:
    assert "vdivpd" not in instructions(loop_of("cbrt", "avx2-i32x8", type="double"))


@pytest.mark.parametrize("name", ["exp", "exp2", "pow"])
def test_one_number_at_a_time_is_not_clamped(name: str) -> None:
    """A jump keeps the ends of the range right."""
    call = f"{name}(x[i]{', y[i]' if name in TWO else ''})"
    source = (
        "export void f(uniform float x[], uniform float y[], uniform float out[], uniform int n) "
        f"{{ for (uniform int i = 0; i < n; i++) out[i] = {call}; }}\n"
    )
    text = compile_source(source, "f.ispc", make_options(target="avx2-i32x8")).optimized.assembly()
    loop = text[text.index("\nf:") : text.index("\n.Lfunc_end", text.index("\nf:"))]
    assert "vfmadd213ss" in instructions(loop)
    assert not {"vminss", "vmaxss"} & instructions(loop)


@pytest.mark.parametrize(("target", "jumps"), [("sse4-i32x4", True), ("avx2-i32x8", True), ("avx512skx-x16", False)])
@pytest.mark.parametrize("name", ["exp", "exp2"])
def test_powers_are_clamped_only_where_one_instruction_scales(name: str, target: str, jumps: bool) -> None:
    found = instructions(loop_of(name, target))
    assert ("callq" in found) == jumps
    assert bool({"minps", "vminps", "maxps", "vmaxps"} & found) == (not jumps)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_fast_angles_have_no_rare_path(name: str) -> None:
    assert "callq" not in instructions(loop_of(name, "avx2-i32x8", "fast"))
