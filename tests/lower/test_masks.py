"""Masks: none where all lanes are on, whole lanes in loops, no select where nobody can see the difference."""

import re

from lowering import AVX2, assembly, block, function_body, text_after

HENON = """
// Turns of Henon's map until a start has left the square |x|, |y| < 3.
static inline int turns_inside(float x, float y, uniform int most) {
    int turns = 0;
    do {
        if (max(abs(x), abs(y)) >= 3.0f) break;
        float fold = 1.0f + y - 1.4f * x * x;
        y = 0.3f * x;
        x = fold;
    } while (++turns < most);
    return turns;
}
export void henon(uniform float x[], uniform float y[], uniform int out[], uniform int n) {
    foreach (i = 0 ... n) out[i] = turns_inside(x[i], y[i], 256);
}
"""


def loops_of(listing: str) -> list[str]:
    """The innermost loops of an assembly text: from a label to a jump back to it."""
    lines = listing.split("\n")
    found = []
    for end, line in enumerate(lines):
        jump = re.match(r"\s+j\w+\s+(\.LBB\d+_\d+)$", line)
        if jump is None:
            continue
        start = next((k for k in range(end, -1, -1) if lines[k].startswith(jump[1] + ":")), None)
        if start is not None and not any(lines[k].startswith(".LBB") for k in range(start + 1, end)):
            found.append("\n".join(lines[start:end]))
    return found


def test_a_divergent_loop_keeps_its_mask_in_whole_lanes() -> None:
    hot = [loop for loop in loops_of(assembly(HENON, AVX2)) if "vmulps" in loop]
    assert hot
    for loop in hot:
        assert not re.search(r"vpack|vpmovsx|vpmovzx|vextract|vinsert", loop), loop


def test_variables_that_die_with_the_loop_are_not_blended() -> None:
    hot = [loop for loop in loops_of(assembly(HENON, AVX2)) if "vmulps" in loop]
    assert not [loop for loop in hot if "blendv" in loop]


def test_all_on_code_has_no_select() -> None:
    source = """
    export void f(uniform float a[]) {
        float x = a[programIndex];
        x = x + 1;
        x *= 2;
        uniform int k = 0;
        while (k < 10) { x += k; k++; }
        a[programIndex] = x;
    }"""
    assert "select" not in function_body(text_after("lower", source), "f")


def test_after_a_varying_if_without_escapes_all_lanes_are_statically_on_again() -> None:
    source = """
    float g(float x) { return x + 1; }
    export void f(uniform float a[]) {
        float x = a[programIndex];
        if (x > 0) { x = g(x); }
        a[programIndex] = g(x);
    }"""
    text = function_body(text_after("lower", source), "f")
    assert text.count("call <8 x float> @g___vyf.all_on(") == 1
    assert text.count("call <8 x float> @g___vyf(") == 1


def test_cheap_branches_run_without_a_jump() -> None:
    source = """
    export void f(uniform float a[]) {
        float x = a[programIndex];
        if (x > 0) x = x + 1; else x = x - 1;
        a[programIndex] = x;
    }"""
    assert " br i1" not in function_body(text_after("lower", source), "f")


def test_branches_with_calls_or_uniform_stores_are_skipped_by_a_jump() -> None:
    source = """
    export void f(uniform float a[], uniform int count[]) {
        float x = a[programIndex];
        if (x > 0) count[0] += 1;
        a[programIndex] = x;
    }"""
    assert " br i1" in function_body(text_after("lower", source), "f")


def test_a_coherent_if_has_a_body_without_masks() -> None:
    source = """
    export void f(uniform float a[]) {
        float x = a[programIndex];
        cif (x > 0) { x = x * 2; a[programIndex + 8] = x; } else { x = x * 3; }
        a[programIndex] = x;
    }"""
    text = function_body(text_after("lower", source), "f")
    all_on = block(text, "cif_4_9.all_on")
    assert "select" not in all_on and "splat (i1 true)" in all_on
    mixed = text[text.index("cif_4_9.mixed:") :]
    assert "select" in mixed


def test_a_function_called_with_all_lanes_on_has_no_mask_parameter() -> None:
    text = text_after("lower", HENON)
    signatures = re.findall(r"define internal <8 x i32> @(\S+?)\((.*)\) ", text)
    by_name = dict(signatures)
    assert "%mask" in by_name["turns_inside___vyfvyfuni"]
    assert "%mask" not in by_name["turns_inside___vyfvyfuni.all_on"]
