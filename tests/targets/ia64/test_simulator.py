"""The machine: the reference's loops with the groups it counted, state tables, frames, speculation, what a group may not do."""

from __future__ import annotations

import numpy as np
import pytest
from ia64_rows import CODE, DATA, machine

from voltac.codegen.simulator import Trap
from voltac.messages.diagnostics import Diagnostics
from voltac.targets.ia64.assembly.program import assemble_program
from voltac.targets.ia64.simulator import float_formats as formats
from voltac.targets.ia64.simulator.machine import Itanium, MachineReport

NOPS = {"m": "nop.m 0", "i": "nop.i 0", "f": "nop.f 0", "b": "nop.b 0"}
UNIT = {"mov.i": "i", "mov": "i", "br.ret.sptk.many": "b", "br.call.sptk.many": "b", "clrrrb": "b", "setf.sig": "m"}


def one(text: str, unit: str = "m") -> str:
    """A group of one instruction."""
    template = {"m": "mii", "i": "mii", "f": "mfi", "b": "mib", "x": "mlx"}[unit]
    lines = [text if letter == unit else NOPS[letter] for letter in template.replace("lx", "x")]
    if template == "mii" and unit == "i":
        lines[2] = NOPS["i"]
    return f"{{ .{template}\n" + "\n".join(lines) + " ;; }\n"


def prepared(text: str) -> Itanium:
    here = machine()
    code = bytes(assemble_program(text, "t.s", Diagnostics()).sections[".text"].content)
    here.memory.bytes[CODE : CODE + len(code)] = code
    return here


def started(text: str, **registers: int) -> tuple[Itanium, MachineReport]:
    here = prepared(text)
    for name, value in registers.items():
        here.R[int(name[1:])] = value
    return here, here.run(CODE)


SETUP = (
    "alloc r30=ar.pfs,0,96,0,96",
    "clrrrb b",
    "mov.i ar.ec={stages} i",
    "mov pr.rot=0x10000 i",
    "mov.i ar.lc=r20 i",
)


def pipelined(kernel: str, stages: int) -> str:
    """A loop of the reference behind its set-up; ``r20`` is the number of passes minus one."""
    lines = [line.format(stages=stages) for line in SETUP]
    text = "".join(one(line.rsplit(" ", 1)[0], line[-1]) if line[-2] == " " else one(line) for line in lines)
    return text + kernel + one("br.ret.sptk.many b0", "b")


FIXED = len(SETUP) + 1
"""Groups besides the loop's."""

COPY = """\
L: { .mmb
 (p16) ld8 r32=[r14],8
 (p17) st8 [r15]=r33,8
       br.ctop.sptk.few L ;; }
"""


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_the_copy_of_one_bundle(n: int) -> None:
    here = prepared(pipelined(COPY, 2))
    source = np.arange(1, n + 1, dtype=np.uint64) ** 3
    here.memory.bytes[DATA : DATA + 8 * n] = source.tobytes()
    here.R[14], here.R[15], here.R[20] = DATA, DATA + 0x800, n - 1
    report = here.run(CODE)
    copied = np.frombuffer(here.memory.bytes[DATA + 0x800 : DATA + 0x800 + 8 * n], np.uint64)
    assert np.array_equal(copied, source)
    assert here.memory.load(8, DATA + 0x800 + 8 * n) == 0
    assert report.groups == n + 1 + FIXED
    assert report.cycles <= n + 2 + 3 * FIXED


SCALE = """\
L: { .mmf
 (p16) ldfp8 f32,f41=[r14],16
 (p26) stf8  [r15]=f68,16
 (p22) fpma.s0 f64=f38,f6,f0 }
   { .mfb
 (p26) stf8  [r16]=f84,16
 (p22) fpma.s0 f80=f47,f6,f0
       br.ctop.sptk.few L ;; }
"""


@pytest.mark.parametrize("n", [1, 7, 20])
def test_scale_fills_all_slots_of_a_cycle(n: int) -> None:
    here = prepared(pipelined(SCALE, 11))
    rng = np.random.default_rng(n)
    source = rng.normal(size=4 * n).astype(np.float32)
    here.memory.bytes[DATA : DATA + 16 * n] = source.tobytes()
    pair = np.array([1.7, 1.7], np.float32)
    here.F[6] = formats.of_significand(int.from_bytes(pair.tobytes(), "little"))
    here.R[14], here.R[15], here.R[16], here.R[20] = DATA, DATA + 0x800, DATA + 0x808, n - 1
    report = here.run(CODE)
    made = np.frombuffer(here.memory.bytes[DATA + 0x800 : DATA + 0x800 + 16 * n], np.float32)
    assert np.array_equal(made, source * np.float32(1.7))
    assert report.groups == n + 10 + FIXED
    # Nothing in the loop waits: a pass a cycle.
    assert report.cycles <= n + 11 + 3 * FIXED


DOT = """\
L: { .mmf
 (p16) ldfp8 f32,f39=[r14],16
 (p16) ldfp8 f46,f53=[r15],16
 (p22) fpma.s1 f64=f38,f52,f68 }
   { .mfb
       nop.m 0
 (p22) fpma.s1 f80=f45,f59,f84
       br.ctop.sptk.few L ;; }
"""


def test_dot_products_in_rotating_partial_sums() -> None:
    n = 24
    here = prepared(pipelined(DOT, 7))
    a, b = np.random.default_rng(3).integers(-9, 9, (2, 4 * n)).astype(np.float32)
    here.memory.bytes[DATA : DATA + 16 * n] = a.tobytes()
    here.memory.bytes[DATA + 0x800 : DATA + 0x800 + 16 * n] = b.tobytes()
    here.R[14], here.R[15], here.R[20] = DATA, DATA + 0x800, n - 1
    here.F[32:] = [formats.of_significand(0)] * 96
    report = here.run(CODE)
    # The sums are called f65 to f68 and f81 to f84 behind the loop.
    names = [*range(65, 69), *range(81, 85)]
    pairs = [formats.significand(here.F[here.FN[name]]).to_bytes(8, "little") for name in names]
    assert np.frombuffer(b"".join(pairs), np.float32).sum() == (a * b).sum()
    assert report.groups == n + 6 + FIXED


STRLEN = one("alloc r30=ar.pfs,0,96,0,96") + one("clrrrb", "b") + one("mov.i ar.ec=1", "i") + one("adds r33=1,r0") + one(
    "mov pr.rot=0x40000", "i"
) + one("adds r8=-2,r0") + """\
L: { .mmi
       ld1.s r32=[r14],1
 (p18) adds r8=1,r8
 (p18) cmp.ne.unc p17,p0=r33,r0 ;; }
   { .mib
       nop.m 0
       nop.i 0
 (p17) br.wtop.sptk.few L ;; }
""".replace("cmp.ne.unc p17,p0=r33,r0", "cmp.eq.unc p0,p17=r33,r0") + one("br.ret.sptk.many b0", "b")  # fmt: skip


@pytest.mark.parametrize("length", [0, 1, 2, 17])
def test_a_loop_that_runs_ahead_of_its_test(length: int) -> None:
    here = prepared(STRLEN)
    # The text ends where memory does: loads go beyond it.
    start = DATA + 0x1000 - length - 1
    here.memory.bytes[start : start + length + 1] = bytes(range(1, length + 1)) + b"\0"
    here.R[14] = start
    here.has_speculation = True
    here.run(CODE)
    assert here.R[8] == length


# IA-64 9: LC, EC -> LC, EC, whether it rotates, the new p16, whether it is taken.
CTOP = {
    (3, 2): (2, 2, True, 1, True),
    (0, 3): (0, 2, True, 0, True),
    (0, 1): (0, 0, True, 0, False),
    (0, 0): (0, 0, False, 1, False),
}


@pytest.mark.parametrize("before", CTOP)
def test_the_states_of_counted_loops(before: tuple[int, int]) -> None:
    here = machine()
    here.frame = (96, 96, 8)
    here.lc, here.ec = before
    here.P[16] = 1
    taken = here.ctop()
    lc, ec, rotates, first, goes_on = CTOP[before]
    assert (here.lc, here.ec, here.bases[2] == 47, here.P[here.PN[16]], taken) == (lc, ec, rotates, first, goes_on)


WTOP = {(1, 2): (2, True, True), (0, 3): (2, True, True), (0, 1): (0, True, False), (0, 0): (0, False, False)}
"""Condition, EC -> EC, whether it rotates, whether it is taken; the new p16 is 0 wherever it rotates."""


@pytest.mark.parametrize("before", WTOP)
def test_the_states_of_loops_with_a_condition(before: tuple[int, int]) -> None:
    here = machine()
    here.ec = before[1]
    taken = here.wtop(before[0])
    ec, rotates, goes_on = WTOP[before]
    assert (here.ec, here.bases[2] == 47, taken) == (ec, rotates, goes_on)
    assert not rotates or here.P[here.PN[16]] == 0


CALL = (
    one("alloc r34=ar.pfs,0,4,2,0") + one("mov r35=b0", "i") + one("adds r36=5,r0") + one("adds r37=7,r0")
    + one("br.call.sptk.many b0=f", "b") + one("add r8=r8,r33") + one("mov b0=r35", "i") + one("mov.i ar.pfs=r34", "i")
    + one("br.ret.sptk.many b0", "b")
    + "f:\n" + one("alloc r35=ar.pfs,0,6,0,0") + one("adds r36=99,r0") + one("sub r8=r32,r33") + one("br.ret.sptk.many b0", "b")
)  # fmt: skip


def test_a_callee_has_the_callers_outputs_and_registers_of_its_own() -> None:
    here, _ = started(CALL, r32=1, r33=1000)
    assert here.R[8] == 5 - 7 + 1000
    assert here.R[32:34] == [1, 1000]


def test_loads_in_advance_are_made_again_where_a_store_met_them() -> None:
    text = one("ld8.a r15=[r14]") + one("st8 [r16]=r17") + one("ld8.c.clr r15=[r14]") + one("br.ret.sptk.many b0", "b")
    for other, wanted in ((DATA, 77), (DATA + 8, 5)):
        here = prepared(text)
        here.memory.store(8, DATA, 5)
        here.R[14], here.R[16], here.R[17] = DATA, other, 77
        here.run(CODE)
        assert here.R[15] == wanted


@pytest.mark.parametrize(("address", "branches"), [(DATA, False), (0x500, True)])
def test_checks_of_speculative_loads(address: int, branches: bool) -> None:
    text = one("ld8.s r15=[r14]") + one("add r16=r15,r15") + one("chk.s.m r16,L") + one("adds r8=1,r0")
    here = prepared(text + one("br.ret.sptk.many b0", "b") + "L:\n" + one("adds r8=2,r0") + one("br.ret.sptk.many b0", "b"))
    here.R[14] = address
    here.has_speculation = True
    here.run(CODE)
    assert here.R[8] == (2 if branches else 1)


@pytest.mark.parametrize(("address", "wanted"), [(DATA, 2), (0x500, 0)])
def test_a_float_that_is_not_there_makes_both_predicates_of_a_comparison_zero(address: int, wanted: int) -> None:
    compare = "{ .mfi\n nop.m 0\n fcmp.lt.s0 p6,p7=f32,f0\n nop.i 0 ;; }\n"
    text = one("ldfs.s f32=[r14]") + one("cmp.eq p6,p7=r0,r0") + compare
    here = prepared(text + one("(p6) adds r8=1,r0") + one("(p7) adds r8=2,r0") + one("br.ret.sptk.many b0", "b"))
    here.R[14] = address
    here.has_speculation = True
    here.run(CODE)
    assert here.R[8] == wanted


def test_a_float_that_is_not_there_is_not_stored() -> None:
    here = prepared(one("ldfd.s f32=[r14]") + one("stfd [r16]=f32") + one("br.ret.sptk.many b0", "b"))
    here.R[14], here.R[16] = 0x500, DATA
    here.has_speculation = True
    with pytest.raises(Trap, match="what is stored"):
        here.run(CODE)


FAULTS = {
    one("ld8 r15=[r14]"): "is not a multiple of 8",
    one("ld4 r15=[r16]"): "uses unmapped memory",
    one("break.m 7"): "break 0x7",
    "{ .mii\n add r15=r14,r14\n add r16=r15,r14\n nop.i 0 ;; }": "'add' reads r15, which 'add' of the same group writes",
    "{ .mii\n add r15=r14,r14\n adds r15=1,r14\n nop.i 0 ;; }": "'adds' writes r15, as 'add' of the same group does",
    "{ .mii\n cmp.eq p6,p7=r14,r14\n (p6) adds r15=1,r14\n nop.i 0 ;; }": "'adds' reads p6, which",
    "{ .mfb\n nop.m 0\n fcmp.eq.s0 p6,p7=f2,f3\n (p6) br.cond.sptk.few L ;; }\nL:": "'br.cond.sptk.few' reads p6",
    "{ .mib\n nop.m 0\n mov.i ar.lc=r14\n br.cloop.sptk.few L ;; }\nL:": "reads ar.lc, which 'mov.i' of the same group writes",
    "{ .mii\n cmp.eq p6,p7=r14,r14\n nop.i 0\n mov pr=r14,0x40 ;; }": "'mov' writes p6, as 'cmp.eq' of the same group does",
    "{ .mmi\n adds r15=1,r0\n alloc r16=ar.pfs,0,8,0,0\n nop.i 0 ;; }": "'alloc' is not the first of its group",
    "{ .bbb\n clrrrb\n nop.b 0\n nop.b 0 ;; }": "'clrrrb' is not the last of its group",
}


@pytest.mark.parametrize("text", FAULTS, ids=range(len(FAULTS)))
def test_what_may_not_be_done_stops_the_machine(text: str) -> None:
    with pytest.raises(Trap) as raised:
        started(text + one("br.ret.sptk.many b0", "b"), r14=DATA + 1, r16=0x800)
    assert FAULTS[text] in str(raised.value)


LEGAL = (
    "{ .mib\n nop.m 0\n cmp.eq p6,p7=r14,r14\n (p6) br.cond.sptk.few L ;; }\nL:",
    "{ .mii\n cmp.eq.or p6,p7=r14,r14\n cmp.eq.or p6,p7=r14,r15\n cmp.ne.or p6,p7=r14,r15 ;; }",
    "{ .mii\n add r15=r14,r14\n adds r14=1,r0\n nop.i 0 ;; }",
    "{ .mii\n (p6) adds r15=1,r14\n (p7) adds r15=2,r14\n nop.i 0 ;; }",
    "{ .mii\n cmp.eq p6,p7=r14,r14\n nop.i 0\n mov pr=r14,-0x10000 ;; }",
    "{ .mmi\n st8 [r16]=r14\n ld8 r15=[r16]\n nop.i 0 ;; }",
)


@pytest.mark.parametrize("text", LEGAL, ids=range(len(LEGAL)))
def test_what_a_group_may_do(text: str) -> None:
    here, _ = started(text + one("br.ret.sptk.many b0", "b"), r14=3, r16=DATA)
    assert here.cycle > 0


def test_a_program_that_never_ends_is_stopped() -> None:
    here = prepared("L: { .mib\n nop.m 0\n nop.i 0\n br.cond.sptk.few L ;; }")
    here.limit = 1000
    with pytest.raises(Trap, match="more than 1000 cycles"):
        here.run(CODE)


def test_waiting_for_results_takes_their_latencies() -> None:
    """IA-64 10: a float load of 6, a sum of 4, a move to a general register of 5, its use."""
    chain = one("ldfd f32=[r14]") + one("fma.d.s0 f33=f32,f1,f32", "f") + one("getf.d r15=f33") + one("add r16=r15,r15")
    _, report = started(chain + one("br.ret.sptk.many b0", "b"), r14=DATA)
    assert report.cycles == 1 + 6 + 4 + 5 + 1
    assert report.groups == 5
