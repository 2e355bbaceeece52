"""Legal IR compiled and run on the simulator does what the IR interpreter says it does."""

from __future__ import annotations

import re

import numpy as np
import pytest
from legal_ir import Compiled, instructions_of_loop
from random_legal_ir import random_function

from voltac.codegen.not_on_device import NotOnDevice
from voltac.codegen.selection import CannotSelect
from voltac.targets.naplespu.select import reach

V = "<16 x i32>"


def kernel(body: str, parameters: str = "ptr %in, ptr %out", head: str = "") -> str:
    return f"{head}\ndefine i32 @k({parameters}) {{\nentry:\n{body}\n}}\n"


def numbers(seed: int, count: int = 128) -> np.ndarray:
    return np.random.default_rng(seed).integers(-(2**31), 2**31, count).astype(np.int32)


def check_random(seed: int, operations: int, pressure: int) -> None:
    random = np.random.default_rng(seed)
    a, b = (int(number) for number in random.integers(-1000, 1000, 2))
    Compiled(random_function(seed, operations, pressure)).check("k", numbers(seed), np.zeros(2048, np.int32), a, b)


@pytest.mark.parametrize("seed", range(6))
def test_random_functions_agree_with_the_interpreter(seed: int) -> None:
    check_random(seed, 40, 12)


@pytest.mark.parametrize("seed", range(1000, 1002))
def test_random_functions_with_more_live_values_than_registers_agree(seed: int) -> None:
    check_random(seed, 100, 300)


@pytest.mark.long
@pytest.mark.parametrize("shard", range(10))
def test_many_random_functions_agree_with_the_interpreter(shard: int) -> None:
    for seed in range(2000 + 30 * shard, 2030 + 30 * shard):
        check_random(seed, 40 + seed % 7 * 20, (4, 12, 40, 300)[seed % 4])


# --- registers ---


def many_vectors(count: int, masked: bool) -> str:
    """All loaded before any is used."""
    loads = []
    for number in range(count):
        loads.append(f"  %p{number} = getelementptr i8, ptr %in, i32 {64 * (number % 8)}")
        loads.append(f"  %l{number} = load {V}, ptr %p{number}, align 64")
        loads.append(f"  %x{number} = mul {V} %l{number}, splat (i32 {number * 7 + 1})")
    code = [*loads, f"  %m = icmp slt {V} %x0, %x1"]
    total = "%x0"
    for number in reversed(range(count)):
        code.append(f"  %s{number} = xor {V} {total}, %x{number}")
        total = f"%s{number}"
        if masked:
            code.append(f"  %t{number} = select <16 x i1> %m, {V} %x{number}, {V} {total}")
            total = f"%t{number}"
    code += [f"  store {V} {total}, ptr %out, align 64", "  ret i32 0"]
    return kernel("\n".join(code))


@pytest.mark.parametrize("count", [60, 63, 64, 90])
@pytest.mark.parametrize("masked", [False, True])
def test_more_vectors_than_registers_survive_also_under_partial_masks(count: int, masked: bool) -> None:
    compiled = Compiled(many_vectors(count, masked))
    compiled.check("k", numbers(count), np.zeros(16, np.int32))
    assert not re.search(r"\bv(59|63)\b", compiled.assembly)


@pytest.mark.parametrize("count", [50, 58, 59, 120])
def test_more_scalars_than_registers_survive(count: int) -> None:
    code = []
    for number in range(count):
        code.append(f"  %p{number} = getelementptr i8, ptr %in, i32 {4 * number}")
        code.append(f"  %x{number} = load i32, ptr %p{number}, align 4")
    for number in range(count):
        # Each needs its neighbour and the one opposite.
        code.append(f"  %a{number} = mul i32 %x{number}, %x{(number * 7 + 3) % count}")
    total = "0"
    for number in range(count):
        code.append(f"  %s{number} = xor i32 {total}, %a{(number * 11 + 5) % count}")
        code.append(f"  %t{number} = add i32 %s{number}, %x{count - 1 - number}")
        total = f"%t{number}"
    compiled = Compiled(kernel("\n".join([*code, f"  ret i32 {total}"])))
    compiled.check("k", numbers(count), np.zeros(1, np.int32))


def test_reserved_registers_are_never_given_to_values() -> None:
    function = Compiled(many_vectors(90, True)).assembly.partition("\nk:\n")[2]
    assert not re.search(r"\bv(59|63)\b", function)
    for line in function.splitlines():
        written = re.match(r"\t(?!store|write|b|j|flush)\w[\w.]*\t(tr|rm|fp|sp|ra|pc),", line)
        assert written is None or written.group(1) in ("rm", "sp", "tr", "fp")


def test_phis_that_swap_and_rotate_keep_their_values() -> None:
    body = f"""\
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %n, %loop ]
  %a = phi i32 [ 1, %entry ], [ %b, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %c = phi i32 [ 3, %entry ], [ %d, %loop ]
  %d = phi i32 [ 4, %entry ], [ %e, %loop ]
  %e = phi i32 [ 5, %entry ], [ %c, %loop ]
  %v = phi {V} [ zeroinitializer, %entry ], [ %w, %loop ]
  %w = phi {V} [ splat (i32 7), %entry ], [ %v, %loop ]
  %old = phi i32 [ 0, %entry ], [ %i, %loop ]
  %n = add i32 %i, 1
  %go = icmp slt i32 %n, %count
  br i1 %go, label %loop, label %end
end:
  %1 = mul i32 %a, 3
  %2 = xor i32 %1, %b
  %3 = mul i32 %2, 5
  %4 = xor i32 %3, %c
  %5 = mul i32 %4, 7
  %6 = xor i32 %5, %d
  %7 = mul i32 %6, 9
  %8 = xor i32 %7, %e
  %9 = mul i32 %8, 11
  %10 = add i32 %9, %old
  store {V} %v, ptr %out, align 64
  ret i32 %10"""
    compiled = Compiled(kernel(body, "ptr %out, i32 %count"))
    for count in range(1, 8):
        compiled.check("k", np.zeros(16, np.int32), count)


# --- masks ---


def select_kernel(second_mask: str = "%m") -> str:
    return kernel(f"""\
  %x = load {V}, ptr %in, align 64
  %q = getelementptr i8, ptr %in, i32 64
  %y = load {V}, ptr %q, align 64
  %m = icmp slt {V} %x, %y
  %m2 = icmp ult {V} %x, %y
  %s = add {V} %x, %y
  %a = select <16 x i1> %m, {V} %s, {V} %x
  %t = sub {V} %y, splat (i32 9)
  %b = select <16 x i1> {second_mask}, {V} %t, {V} %y
  %r = xor {V} %a, %b
  store {V} %r, ptr %out, align 64
  ret i32 0""")


def test_selects_of_one_mask_share_one_write_of_it() -> None:
    compiled = Compiled(select_kernel())
    compiled.check("k", numbers(1), np.zeros(16, np.int32))
    function = compiled.assembly.partition("\nk:\n")[2]
    assert function.count("rm,") == 2  # the mask, and all lanes again
    assert "add_i32.m" in function and "subi.m" in function  # under the mask directly


def test_selects_of_different_masks_are_right() -> None:
    Compiled(select_kernel("%m2")).check("k", numbers(2), np.zeros(16, np.int32))


@pytest.mark.parametrize("moved", [1, 15])
def test_what_a_masked_shuffle_reads_is_made_in_all_lanes(moved: int) -> None:
    """One between masked instructions of the same mask: it needs no full mask but for what other lanes read of it."""
    order = ", ".join(f"i32 {(lane + moved) % 16}" for lane in range(16))
    most = f"<{', '.join(f'i1 {str(0 < lane < 15).lower()}' for lane in range(16))}>"
    Compiled(
        kernel(
            f"""\
  %x = load {V}, ptr %in, align 64
  %q = getelementptr i8, ptr %in, i32 64
  %y = load {V}, ptr %q, align 64
  %a = mul {V} %x, %y
  %b = select <16 x i1> {most}, {V} %a, {V} %y
  %c = add {V} %b, %x
  %d = call {V} @npu.shuffle({V} %c, {V} <{order}>)
  %e = select <16 x i1> {most}, {V} %d, {V} %x
  store {V} %e, ptr %out, align 64
  ret i32 0""",
            head=f"declare {V} @npu.shuffle({V}, {V})",
        )
    ).check("k", numbers(8), np.zeros(16, np.int32))


def test_code_without_selects_never_writes_the_mask() -> None:
    body = f"  %x = load {V}, ptr %in, align 64\n  %y = mul {V} %x, %x\n  store {V} %y, ptr %out, align 64\n  ret i32 0"
    compiled = Compiled(kernel(body))
    compiled.check("k", numbers(3), np.zeros(16, np.int32))
    assert "rm" not in compiled.assembly.partition("\nk:\n")[2]


def test_a_masked_store_to_the_scratchpad_leaves_the_other_lanes() -> None:
    where = "ptr addrspace(68) align 4 @buffer"
    body = f"""\
  %x = load {V}, ptr %in, align 64
  store {V} splat (i32 -1), ptr addrspace(68) @buffer, align 64
  %m = icmp slt {V} %x, zeroinitializer
  call void @llvm.masked.store.v16i32.p68({V} %x, {where}, <16 x i1> %m)
  %y = load {V}, ptr addrspace(68) @buffer, align 64
  store {V} %y, ptr %out, align 64
  ret i32 0"""
    head = '@buffer = internal addrspace(68) global [16 x i32] zeroinitializer, section "scratchpad", align 64'
    Compiled(kernel(body, head=head)).check("k", numbers(4), np.zeros(16, np.int32))


# --- calls and frames ---


def test_recursion_two_hundred_deep_is_right() -> None:
    text = """\
define internal i32 @down(i32 %n) noinline {
  %stop = icmp eq i32 %n, 0
  br i1 %stop, label %out, label %in
in:
  %less = sub i32 %n, 1
  %r = call i32 @down(i32 %less)
  %s = mul i32 %r, 3
  %t = xor i32 %s, %n
  ret i32 %t
out:
  ret i32 17
}
define i32 @k(i32 %n) {
  %r = call i32 @down(i32 %n)
  ret i32 %r
}
"""
    # A frame of 64 bytes each in a stack of 14 KiB.
    Compiled(text).check("k", 200)


def test_calls_by_address_come_back() -> None:
    text = """\
define internal i32 @twice(i32 %n) {
  %r = mul i32 %n, 2
  ret i32 %r
}
define internal i32 @thrice(i32 %n) {
  %r = mul i32 %n, 3
  ret i32 %r
}
define i32 @k(i32 %n) {
  %odd = trunc i32 %n to i1
  %f = select i1 %odd, ptr @thrice, ptr @twice
  %x = call i32 %f(i32 %n)
  %y = call i32 @twice(i32 %x)
  %z = add i32 %x, %y
  ret i32 %z
}
"""
    compiled = Compiled(text)
    for number in range(3):
        assert compiled.simulated("k", [number])[0] == number * (3 if number % 2 else 2) * 3


def test_a_function_is_called_by_an_address_that_branches_choose() -> None:
    functions = "".join(
        f"define internal i32 @{name}(i32 %n) {{\n  %r = mul i32 %n, {factor}\n  ret i32 %r\n}}\n"
        for name, factor in (("twice", 2), ("thrice", 3))
    )
    body = """\
  %odd = trunc i32 %n to i1
  br i1 %odd, label %left, label %right
left:
  br label %both
right:
  br label %both
both:
  %f = phi ptr [ @thrice, %left ], [ @twice, %right ]
  %x = call i32 %f(i32 %n)
  ret i32 %x"""
    compiled = Compiled(kernel(body, "i32 %n", functions))
    assert [compiled.simulated("k", [number])[0] for number in range(4)] == [0, 3, 4, 9]


def test_many_arguments_and_results_of_both_classes_arrive() -> None:
    parameters = ", ".join([f"i32 %s{n}, {V} %v{n}" for n in range(11)])
    types = "{ " + ", ".join(["i32", V] * 8) + " }"
    body = []
    previous = "poison"
    for number in range(8):
        body.append(f"  %a{number} = xor i32 %s{number}, %s{10 - number}")
        body.append(f"  %b{number} = add {V} %v{number}, %v{10 - number}")
        body.append(f"  %c{number} = insertvalue {types} {previous}, i32 %a{number}, {2 * number}")
        body.append(f"  %d{number} = insertvalue {types} %c{number}, {V} %b{number}, {2 * number + 1}")
        previous = f"%d{number}"
    callee = f"define internal {types} @f({parameters}) noinline {{\n" + "\n".join(body) + f"\n  ret {types} {previous}\n}}\n"
    code = [f"  %x = load {V}, ptr %in, align 64"]
    arguments = []
    for number in range(11):
        code.append(f"  %n{number} = mul {V} %x, splat (i32 {number + 1})")
        arguments.append(f"i32 {number * number + 3}, {V} %n{number}")
    code.append(f"  %r = call {types} @f({', '.join(arguments)})")
    for number in range(8):
        code.append(f"  %e{number} = extractvalue {types} %r, {2 * number}")
        code.append(f"  %g{number} = extractvalue {types} %r, {2 * number + 1}")
    vector, scalar = "%g0", "%e0"
    for number in range(1, 8):
        code.append(f"  %h{number} = mul {V} {vector}, splat (i32 5)")
        code.append(f"  %i{number} = xor {V} %h{number}, %g{number}")
        code.append(f"  %j{number} = mul i32 {scalar}, 5")
        code.append(f"  %o{number} = xor i32 %j{number}, %e{number}")
        vector, scalar = f"%i{number}", f"%o{number}"
    code += [f"  store {V} {vector}, ptr %out, align 64", f"  ret i32 {scalar}"]
    Compiled(kernel("\n".join(code), head=callee)).check("k", numbers(5), np.zeros(16, np.int32))


def test_kernels_with_many_parameters_find_them_in_the_block() -> None:
    parameters = ", ".join(f"i32 %p{number}" for number in range(80))
    code = ["  %s0 = add i32 %p0, 1"]
    for number in range(1, 80):
        code.append(f"  %m{number} = mul i32 %s{number - 1}, 3")
        code.append(f"  %s{number} = xor i32 %m{number}, %p{number}")
    Compiled(kernel("\n".join([*code, "  ret i32 %s79"]), parameters)).check("k", *range(7, 87))


def test_large_frames_and_switches_are_right() -> None:
    cases = "\n".join(f"    i32 {case * 37 - 300}, label %c{case}" for case in range(20))
    blocks = "\n".join(f"c{case}:\n  br label %out" for case in range(20))
    ways = ", ".join(f"[ {case * 3 + 1}, %c{case} ]" for case in range(20))
    body = f"""\
  %frame = alloca [1200 x i32], align 64
  %far = getelementptr i8, ptr %frame, i32 4000
  store i32 %n, ptr %far, align 4
  switch i32 %n, label %out [
{cases}
  ]
{blocks}
out:
  %r = phi i32 [ -1, %entry ], {ways}
  %m = load i32, ptr %far, align 4
  %s = add i32 %r, %m
  ret i32 %s"""
    compiled = Compiled(kernel(body, "i32 %n"))
    for number in (-301, -300, -263, 0, 403, 404):
        compiled.check("k", number)


@pytest.mark.parametrize("seed", range(3))
def test_branches_out_of_reach_go_through_a_register(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach.extend_branches, "__defaults__", (64,))
    text = random_function(seed, 40)
    compiled = Compiled(text)
    assert ".near" in compiled.assembly
    compiled.check("k", numbers(seed), np.zeros(2048, np.int32), 3, 4)


# --- start-up ---


def counting(threads: str) -> str:
    """Each thread notes itself."""
    head = "declare i32 @npu.read_control(i32)"
    body = """\
  %core = call i32 @npu.read_control(i32 0)
  %thread = call i32 @npu.read_control(i32 2)
  %c = shl i32 %core, 3
  %g = or i32 %c, %thread
  %o = shl i32 %g, 6
  %p = getelementptr i8, ptr %out, i32 %o
  store i32 1, ptr %p, align 4
  ret i32 0"""
    return kernel(body, "ptr %out", head).replace("ptr %out) {", f'ptr %out) "voltac-threads"="{threads}" {{')


def test_all_threads_or_only_the_first_run_a_kernel() -> None:
    for threads, wanted in (("all", 6), ("one", 1)):
        _, (after,), _ = Compiled(counting(threads)).simulated("k", [np.zeros(16 * 16, np.int32)], cores=2, threads=3)
        assert np.sum(after) == wanted


def test_stores_reach_the_host() -> None:
    body = """\
  %p = getelementptr i8, ptr %out, i32 6
  store i8 5, ptr %out, align 1
  %n = trunc i32 %a to i16
  store i16 %n, ptr %p, align 2
  ret i32 0"""
    Compiled(kernel(body, "ptr %out, i32 %a")).check("k", np.zeros(4, np.int32), 0x12345)


@pytest.mark.parametrize("name", ["v0", "s63", "sp", "ra"])
def test_kernels_and_globals_may_have_the_names_of_registers(name: str) -> None:
    text = kernel("  %x = load i32, ptr @s7, align 4\n  ret i32 %x", "", "@s7 = internal global i32 5, align 4").replace(
        "@k(", f"@{name}("
    )
    Compiled(text).check(name)


def test_a_pointer_that_stands_still_does_not_end_a_loop() -> None:
    body = """\
  %j = mul i32 %i, %width
  %q = getelementptr i8, ptr %a, i32 %j
  %y = load i32, ptr %q, align 4
  %more = add i32 %sum, %y"""
    phis = "  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]"
    compiled = Compiled(loop_kernel(body, "ptr %a, i32 %width, i32 %n", "%more", phis))
    for width in (0, 4, 8):
        compiled.check("k", numbers(9), width, 7)


def test_addresses_summed_up_from_each_other_take_no_time_to_look_through() -> None:
    sums = "\n".join(f"  %s{number} = add i32 %s{number - 1}, %s{number - 2}" for number in range(2, 80))
    body = f"""\
  %s0 = shl i32 %i, 2
  %s1 = shl i32 %i, 3
{sums}
  %o = and i32 %s79, 124
  %q = getelementptr i8, ptr %a, i32 %o
  %p = getelementptr i8, ptr %a, i32 %s79
  %far = ptrtoint ptr %p to i32
  %y = load i32, ptr %q, align 4
  %z = xor i32 %y, %far
  %more = add i32 %sum, %z"""
    phis = "  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]"
    Compiled(loop_kernel(body, "ptr %a, i32 %n", "%more", phis)).simulated("k", [numbers(9), 7])


def test_calls_that_need_more_stack_than_a_thread_has_are_refused() -> None:
    def text(words: int) -> str:
        return f"""\
define internal i32 @inner(i32 %n) noinline {{
  %a = alloca [{words} x i32], align 64
  %p = getelementptr i8, ptr %a, i32 %n
  store i32 7, ptr %p, align 4
  %x = load i32, ptr %a, align 4
  ret i32 %x
}}
define i32 @k(i32 %n) {{
  %a = alloca [2048 x i32], align 64
  %p = getelementptr i8, ptr %a, i32 %n
  store i32 5, ptr %p, align 4
  %x = call i32 @inner(i32 %n)
  %y = load i32, ptr %a, align 4
  %z = add i32 %x, %y
  ret i32 %z
}}
"""

    Compiled(text(1500)).check("k", 0)
    with pytest.raises(NotOnDevice, match="bytes of stack, of which a thread has 14592"):
        Compiled(text(2048))


# --- quality ---


def test_the_inner_step_of_a_matrix_product_is_three_instructions() -> None:
    body = f"""\
  %x = load {V}, ptr %in, align 64
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi {V} [ zeroinitializer, %entry ], [ %more, %loop ]
  %s = extractelement {V} %x, i32 %k
  %one = insertelement {V} poison, i32 %s, i64 0
  %all = shufflevector {V} %one, {V} poison, {V} zeroinitializer
  %product = mul {V} %x, %all
  %more = add {V} %sum, %product
  %next = add i32 %k, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  store {V} %more, ptr %out, align 64
  ret i32 0"""
    compiled = Compiled(kernel(body, "ptr %in, ptr %out, i32 %n"))
    compiled.check("k", numbers(6), np.zeros(16, np.int32), 16)
    # getlane, mull, add; the counter, its comparison, the branch.
    assert instructions_of_loop(compiled.assembly, "k.loop") == 6


def test_what_cannot_be_selected_is_named() -> None:
    with pytest.raises(CannotSelect, match=r"no rule for 'udiv.s'.*%x = udiv"):
        Compiled(kernel("  %x = udiv i32 %a, %b\n  ret i32 %x", "i32 %a, i32 %b"))


def loop_kernel(body: str, parameters: str, result: str = "0", phis: str = "") -> str:
    return kernel(
        f"""\
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
{phis}
{body}
  %next = add i32 %i, 1
  %again = icmp ne i32 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret i32 {result}""",
        parameters,
    )


def test_a_dot_product_of_a_row_and_a_column_steps_pointers_that_end_the_loop() -> None:
    body = """\
  %o = shl i32 %i, 2
  %p = getelementptr i8, ptr %a, i32 %o
  %x = load i32, ptr %p, align 4
  %j = mul i32 %i, %width
  %k = shl i32 %j, 2
  %q = getelementptr i8, ptr %b, i32 %k
  %y = load i32, ptr %q, align 4
  %m = mul i32 %x, %y
  %more = add i32 %sum, %m"""
    phis = "  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]"
    compiled = Compiled(loop_kernel(body, "ptr %a, ptr %b, i32 %width, i32 %n", "%more", phis))
    compiled.check("k", numbers(7), numbers(8), 3, 40)
    # Two loads, the product, the sum, two steps, the comparison, the branch.
    assert instructions_of_loop(compiled.assembly, "k.loop") == 8


def test_counting_lanes_happens_under_their_mask() -> None:
    body = f"""\
  %all = insertelement {V} poison, i32 %i, i32 0
  %turn = shufflevector {V} %all, {V} poison, {V} zeroinitializer
  %on = icmp slt {V} %turn, %limit
  %one = zext <16 x i1> %on to {V}
  %more = add {V} %count, %one"""
    phis = f"  %count = phi {V} [ zeroinitializer, %entry ], [ %more, %loop ]"
    text = loop_kernel(body, "ptr %in, ptr %out, i32 %n", "0", phis)
    text = text.replace("  br label %loop", f"  %limit = load {V}, ptr %in, align 64\n  br label %loop", 1)
    text = text.replace("end:\n", f"end:\n  store {V} %more, ptr %out, align 64\n")
    compiled = Compiled(text)
    compiled.check("k", np.arange(16, dtype=np.int32), np.zeros(16, np.int32), 9)
    # The comparison, the mask, the addition under it, all lanes again; counter, comparison, branch.
    assert instructions_of_loop(compiled.assembly, "k.loop") == 7


def test_what_does_not_change_in_a_loop_is_made_before_it() -> None:
    body = """\
  %u = mul i32 %a, %b
  %v = xor i32 %u, %a
  %w = mul i32 %v, %i
  %more = add i32 %sum, %w"""
    phis = "  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]"
    compiled = Compiled(loop_kernel(body, "i32 %a, i32 %b, i32 %n", "%more", phis))
    compiled.check("k", 5, 7, 9)
    assert instructions_of_loop(compiled.assembly, "k.loop") == 5


def test_neighbouring_stores_share_a_flush() -> None:
    stores = "\n".join(
        f"  %p{lane} = getelementptr i8, ptr %out, i32 {4 * lane}\n  store i32 {lane}, ptr %p{lane}, align 4"
        for lane in range(16)
    )
    compiled = Compiled(kernel(f"{stores}\n  ret i32 0", "ptr %out"))
    compiled.check("k", np.zeros(16, np.int32))
    assert compiled.assembly.partition("\nk:\n")[2].count("flush") == 2  # wherever the line begins
