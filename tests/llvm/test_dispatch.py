"""Dispatching functions pick the version that the detection by /proc/cpuinfo would, and pass everything through."""

import ctypes
import itertools

import pytest
from kernels import processor_runs

from voltac.llvm import late, load_objects
from voltac.llvm.dispatch import dispatcher
from voltac.options import Options
from voltac.target_info import TARGETS, find_target

BASE = Options(target=find_target("sse2-i32x4"), level=2)
NAMES = ["avx512skx-x16", "sse2-i32x4", "avx512icl-x16", "avx1-i32x8", "avx2-i32x8", "avx512spr-x16", "sse4.2-i32x4"]


def version(isa: str, number: int) -> str:
    """A version that tells which it is, and adds up what it is given."""
    return (
        f"define double @f_{isa}(i32 %a, double %b, ptr noalias %c) {{\n"
        f"  store i32 {number}, ptr %c\n  %d = sitofp i32 %a to double\n  %e = fadd double %d, %b\n  ret double %e\n}}\n"
    )


@pytest.mark.parametrize("names", list(itertools.combinations(NAMES, 3)), ids=",".join)
def test_the_best_version_this_cpu_runs_is_called(names: tuple[str, ...]) -> None:
    targets = [find_target(name) for name in names]
    runnable = [target for target in targets if processor_runs(target)]
    if not runnable:
        pytest.skip("this CPU runs none of them")
    order = [target.isa for target in TARGETS.values()]
    best = max(runnable, key=lambda target: order.index(target.isa))
    texts = [version(target.isa, number) for number, target in enumerate(targets)]
    codes = [late(text, BASE).object_code() for text in (dispatcher(["f"], targets, texts[0]), "".join(texts))]
    loaded = load_objects(codes, ["f"])
    f = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int32, ctypes.c_double, ctypes.c_void_p)(loaded.address("f"))
    chosen = ctypes.c_int32(-1)
    for _ in range(2):
        assert f(4, 0.5, ctypes.addressof(chosen)) == 4.5
        assert targets[chosen.value] == best


def test_cpus_of_a_later_time_are_told_apart_by_version() -> None:
    """AVX10 has no bit for its second version; a CPU without it gets another version of the function."""
    targets = [find_target(name) for name in ("avx10.2nvl-x16", "sse2-i32x4", "avx10.2dmr-x8")]
    if processor_runs(targets[0]) or not processor_runs(targets[1]):
        pytest.skip("this CPU runs others of them")
    texts = [version(target.isa, number) for number, target in enumerate(targets)]
    codes = [late(text, BASE).object_code() for text in (dispatcher(["f"], targets, texts[0]), "".join(texts))]
    loaded = load_objects(codes, ["f"])
    f = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int32, ctypes.c_double, ctypes.c_void_p)(loaded.address("f"))
    chosen = ctypes.c_int32(-1)
    assert f(4, 0.5, ctypes.addressof(chosen)) == 4.5
    assert targets[chosen.value].isa == "sse2"


def test_a_dispatcher_of_no_function_is_a_module_too() -> None:
    assert late(dispatcher([], [find_target("sse4")], ""), BASE).object_code()[:4] == b"\x7fELF"


def test_structs_that_come_back_in_memory_pass_through() -> None:
    text = (
        "%struct.S = type { [5 x i64] }\n\ndefine void @f_sse2(ptr noalias sret(%struct.S) align 8 %r, i64 %a) {\n"
        "  %last = getelementptr i64, ptr %r, i64 4\n  store i64 %a, ptr %last\n  ret void\n}\n"
    )
    loaded = load_objects([late(part, BASE).object_code() for part in (dispatcher(["f"], [BASE.target], text), text)], ["f"])

    class S(ctypes.Structure):
        _fields_ = (("m", ctypes.c_int64 * 5),)

    assert ctypes.CFUNCTYPE(S, ctypes.c_int64)(loaded.address("f"))(7).m[4] == 7
