"""The version with a mask of an exported function is compiled once, or not at all where the one for C does the same."""

import pytest
from lowering import function_body, text_after

KERNEL = "export void k(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] += 1; }\n"
CALLER = "export void m(uniform float a[], uniform int n) { if (programIndex < n) k(a, n); }\n"
READS = "export void r(uniform float a[], uniform int n) { if (programIndex < n) a[programIndex] = 1; }\n"


@pytest.mark.parametrize("source", [KERNEL, KERNEL + CALLER], ids=["other files", "this file"])
def test_a_body_that_never_reads_the_mask_is_there_once(source: str) -> None:
    text = text_after("lower", source, whole_program=False)
    assert "call void @k(" in function_body(text, "k___un_3C_unf_3E_uni")
    assert "foreach" not in function_body(text, "k___un_3C_unf_3E_uni") and "k___un_3C_unf_3E_uni.some_on" not in text


def test_one_that_reads_it_is_left_to_two_others() -> None:
    body = function_body(text_after("lower", READS, whole_program=False), "r___un_3C_unf_3E_uni")
    assert "call void @r(" in body and "call void @r___un_3C_unf_3E_uni.some_on(" in body
