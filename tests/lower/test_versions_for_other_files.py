"""The version with a mask of an exported function is compiled once, or not at all where the one for C does the same."""

import ctypes

import numpy as np
import pytest
from lowering import AVX2, function_body, object_code, text_after

from voltac.llvm import can_run, load_objects
from voltac.records import replace
from voltac.target_info import SYSTEMS, TargetInfo, find_target

KERNEL = "export void k(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] += 1; }\n"
CALLER = "export void m(uniform float a[], uniform int n) { if (programIndex < n) k(a, n); }\n"
READS = "export void r(uniform float a[], uniform int n) { if (programIndex < n) a[programIndex] = 1; }\n"


NAME = "k___un_3C_unf_3E_uni"


def test_a_body_that_never_reads_the_mask_is_there_once() -> None:
    text = text_after("lower", KERNEL + CALLER, whole_program=False)
    assert "call void @k(" in function_body(text, NAME)
    assert "foreach" not in function_body(text, NAME) and f"{NAME}.some_on" not in text


def test_where_nobody_here_calls_it_it_is_another_name() -> None:
    text = text_after("lower", KERNEL, whole_program=False)
    assert f"@{NAME} = alias void (ptr, i32, <8 x i32>), ptr @k" in text and text.count("\ndefine ") == 1


def on_system(name: str) -> TargetInfo:
    return replace(AVX2, triple=f"x86_64-{SYSTEMS[name]}")


@pytest.mark.parametrize("system", ["macos", "windows"])
def test_it_is_a_function_that_calls_it_where_objects_are_not_elf(system: str) -> None:
    text = text_after("lower", KERNEL, on_system(system), whole_program=False)
    assert "call void @k(" in function_body(text, NAME)


WITHOUT_MASK = """uniform float s = a[0]; if (s > 1) s += 2; for (uniform int t = 0; t < 2; t++) a[t] = s;
    foreach (i = 0 ... n) { if (i > 1) a[i] += s; }"""
WITH_MASK = {
    "a lane's variable": "int x = programIndex; if (x < n) a[x] = 1;",
    "a call": "uniform float s = reduce_add(a[programIndex]); foreach (i = 0 ... n) a[i] = s;",
    "a lane's store": "a[programIndex] = 1;",
    "a coherent test": "cif (n > 1) a[0] = 1;",
    "lanes of a sum": "a[0] = n + programCount; a[programIndex] += 1;",
    "a return": "if (n > 1) return; a[0] = 1;",
}


def named_twice(body: str) -> bool:
    source = f"export void k(uniform float a[], uniform int n) {{ {body} }}\n"
    return f"@{NAME} = alias" in text_after("lower", source, whole_program=False)


def test_only_uniform_statements_around_foreach_are_named_twice() -> None:
    assert named_twice(WITHOUT_MASK)
    assert [what for what, body in WITH_MASK.items() if named_twice(body)] == []


TARGETS = ["avx2-i32x8", "avx2-i32x16", "sse4-i32x4", "avx512skx-x16"]
PARAMETERS = ", ".join(
    [*(f"uniform float a{n}[]" for n in range(5)), *(f"uniform int n{n}" for n in range(4)), "uniform double d"]
)
MANY = f"export void many({PARAMETERS}) {{ foreach (i = 0 ... n0) a0[i] = a4[i] + n1 * 100 + n2 * 10 + n3 + d; }}\n"
CALLS = (
    f"extern void many({PARAMETERS});\nexport void go(uniform float a[], uniform int n) "
    "{ if (programIndex < n) many(a, a, a, a, a, 6, 1, 2, 3, 0.5d); }\n"
)


@pytest.mark.parametrize("target", TARGETS)
def test_another_file_calls_it_with_some_lanes_off_and_parameters_on_the_stack(target: str) -> None:
    found = find_target(target)
    if not can_run(found):
        pytest.skip("this CPU lacks the instructions")
    objects = [object_code(source, found, whole_program=False) for source in (MANY, CALLS)]
    loaded = load_objects(objects, ["go"])
    a = np.arange(8, dtype=np.float32)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)(loaded.address("go"))(a.ctypes.data, 2)
    assert a.tolist() == [123.5, 124.5, 125.5, 126.5, 127.5, 128.5, 6, 7]


def test_one_that_reads_it_is_left_to_two_others() -> None:
    body = function_body(text_after("lower", READS, whole_program=False), "r___un_3C_unf_3E_uni")
    assert "call void @r(" in body and "call void @r___un_3C_unf_3E_uni.some_on(" in body
