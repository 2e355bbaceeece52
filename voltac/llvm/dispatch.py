"""Exported functions compiled for several targets → the LLVM text of one function each that picks the best version.

    define T @f(...)      loads the version chosen before; the first call asks the CPU: CPUID and XGETBV on x86,
                          on aarch64 the system (AT_HWCAP) and the length of SVE's vectors

The answer is an index into the targets, worst first; a CPU that fits none traps.
"""

from __future__ import annotations

from voltac.ir.model import Function
from voltac.ir.read import read
from voltac.llvm.host import needed
from voltac.target_info import ISAS, TargetInfo

# Instruction set -> the word of CPUID (leaf and register, as named in _WORDS) and the bit that tells of it.
_BITS: dict[str, tuple[str, int]] = {
    "sse2": ("1d", 26),
    "ssse3": ("1c", 9),
    "fma": ("1c", 12),
    "sse4_1": ("1c", 19),
    "sse4_2": ("1c", 20),
    "movbe": ("1c", 22),
    "popcnt": ("1c", 23),
    "avx": ("1c", 28),
    "f16c": ("1c", 29),
    "rdrand": ("1c", 30),
    "bmi1": ("7b", 3),
    "avx2": ("7b", 5),
    "bmi2": ("7b", 8),
    "avx512f": ("7b", 16),
    "avx512dq": ("7b", 17),
    "avx512ifma": ("7b", 21),
    "avx512cd": ("7b", 28),
    "avx512bw": ("7b", 30),
    "avx512vl": ("7b", 31),
    "avx512vbmi": ("7c", 1),
    "avx512_vbmi2": ("7c", 6),
    "gfni": ("7c", 8),
    "vaes": ("7c", 9),
    "vpclmulqdq": ("7c", 10),
    "avx512_vnni": ("7c", 11),
    "avx512_bitalg": ("7c", 12),
    "avx512_vpopcntdq": ("7c", 14),
    "avx512_fp16": ("7d", 23),
    "avx_vnni": ("71a", 4),
    "avx512_bf16": ("71a", 5),
    "sha512": ("71a", 0),
    "sm3": ("71a", 1),
    "sm4": ("71a", 2),
    "avx_ifma": ("71a", 23),
    "avx_vnni_int8": ("71d", 4),
    "avx_ne_convert": ("71d", 5),
    "avx_vnni_int16": ("71d", 10),
    "apx": ("71d", 21),
    # No bit of CPUID, but a version.
    "avx10_2": ("10", 0),
    "abm": ("x1c", 5),
}

# What the system has to save when it switches tasks, as bits of XCR0: ymm; zmm with mask registers; r16 to r31 besides.
_AVX_STATE, _AVX512_STATE, _APX_STATE = 0x06, 0xE6, 0x800E6

_CPUID = "={ax},={bx},={cx},={dx},{ax},{cx}"
_QUESTIONS = """\
declare void @llvm.trap() noreturn nounwind

define internal {{ i32, i32, i32, i32 }} @volta.cpuid(i32 %leaf, i32 %sub) nounwind {{
  %words = call {{ i32, i32, i32, i32 }} asm sideeffect "cpuid", "{cpuid}"(i32 %leaf, i32 %sub)
  ret {{ i32, i32, i32, i32 }} %words
}}

define internal i32 @volta.saved_state(i32 %features) nounwind {{
  %bit = and i32 %features, 134217728
  %readable = icmp ne i32 %bit, 0
  br i1 %readable, label %ask, label %none
ask:
  %both = call {{ i32, i32 }} asm sideeffect "xgetbv", "={{ax}},={{dx}},{{cx}}"(i32 0)
  %low = extractvalue {{ i32, i32 }} %both, 0
  ret i32 %low
none:
  ret i32 0
}}

define internal i32 @volta.find_target() noinline nounwind {{
  %l0 = call {{ i32, i32, i32, i32 }} @volta.cpuid(i32 0, i32 0)
  %highest = extractvalue {{ i32, i32, i32, i32 }} %l0, 0
  %l1 = call {{ i32, i32, i32, i32 }} @volta.cpuid(i32 1, i32 0)
  %w1c = extractvalue {{ i32, i32, i32, i32 }} %l1, 2
  %w1d = extractvalue {{ i32, i32, i32, i32 }} %l1, 3
  %has7 = icmp uge i32 %highest, 7
  %l7 = call {{ i32, i32, i32, i32 }} @volta.cpuid(i32 7, i32 0)
  %l7a = extractvalue {{ i32, i32, i32, i32 }} %l7, 0
  %l7b = extractvalue {{ i32, i32, i32, i32 }} %l7, 1
  %l7c = extractvalue {{ i32, i32, i32, i32 }} %l7, 2
  %l7d = extractvalue {{ i32, i32, i32, i32 }} %l7, 3
  %w7b = select i1 %has7, i32 %l7b, i32 0
  %w7c = select i1 %has7, i32 %l7c, i32 0
  %w7d = select i1 %has7, i32 %l7d, i32 0
  %more = icmp uge i32 %l7a, 1
  %has71 = and i1 %has7, %more
  %l71 = call {{ i32, i32, i32, i32 }} @volta.cpuid(i32 7, i32 1)
  %l71a = extractvalue {{ i32, i32, i32, i32 }} %l71, 0
  %w71a = select i1 %has71, i32 %l71a, i32 0
  %l71d = extractvalue {{ i32, i32, i32, i32 }} %l71, 3
  %w71d = select i1 %has71, i32 %l71d, i32 0
  %avx10 = and i32 %w71d, 524288
  %has10 = icmp ne i32 %avx10, 0
  %leaf10 = select i1 %has10, i32 36, i32 0
  %l10 = call {{ i32, i32, i32, i32 }} @volta.cpuid(i32 %leaf10, i32 0)
  %l10b = extractvalue {{ i32, i32, i32, i32 }} %l10, 1
  %version10 = and i32 %l10b, 255
  %second10 = icmp uge i32 %version10, 2
  %has10_2 = and i1 %has10, %second10
  %w10 = zext i1 %has10_2 to i32
  %lx0 = call {{ i32, i32, i32, i32 }} @volta.cpuid(i32 -2147483648, i32 0)
  %highestx = extractvalue {{ i32, i32, i32, i32 }} %lx0, 0
  %hasx1 = icmp uge i32 %highestx, -2147483647
  %lx1 = call {{ i32, i32, i32, i32 }} @volta.cpuid(i32 -2147483647, i32 0)
  %lx1c = extractvalue {{ i32, i32, i32, i32 }} %lx1, 2
  %wx1c = select i1 %hasx1, i32 %lx1c, i32 0
  %state = call i32 @volta.saved_state(i32 %w1c)
{tests}
  ret i32 %best{last}
}}
"""

_QUESTIONS_OF_AARCH64 = """\
declare void @llvm.trap() noreturn nounwind
declare i64 @getauxval(i64) nounwind
declare i64 @llvm.vscale.i64()

define internal i64 @volta.sve_bits() noinline nounwind "target-features"="+sve" {{
  %units = call i64 @llvm.vscale.i64()
  %bits = mul i64 %units, 128
  ret i64 %bits
}}

define internal i32 @volta.find_target() noinline nounwind {{
  %known = call i64 @getauxval(i64 16)
  %sve = and i64 %known, 4194304
  %has = icmp ne i64 %sve, 0
  br i1 %has, label %long, label %choose
long:
  %length = call i64 @volta.sve_bits()
  br label %choose
choose:
  %bits = phi i64 [ 0, %0 ], [ %length, %long ]
{tests}
  ret i32 %best{last}
}}
"""
"""``AT_HWCAP`` is 16, ``HWCAP_SVE`` bit 22."""

_BEST = """\
define internal i32 @volta.best_target() noinline nounwind {
  %best = call i32 @volta.find_target()
  %none = icmp slt i32 %best, 0
  br i1 %none, label %stop, label %found
stop:
  call void @llvm.trap()
  unreachable
found:
  ret i32 %best
}
"""

_DISPATCHER = """\
@{name}.versions = internal constant [{count} x ptr] [{versions}]
@{name}.chosen = internal global ptr null, align 8

define {result} @{name}({parameters}) nounwind {{
  %before = load atomic ptr, ptr @{name}.chosen monotonic, align 8
  %first = icmp eq ptr %before, null
  br i1 %first, label %choose, label %go
choose:
  %best = call i32 @volta.best_target()
  %place = getelementptr ptr, ptr @{name}.versions, i32 %best
  %found = load ptr, ptr %place
  store atomic ptr %found, ptr @{name}.chosen monotonic, align 8
  br label %go
go:
  %version = phi ptr [ %before, %0 ], [ %found, %choose ]
  {assign}musttail call {result} %version({parameters})
  ret {returned}
}}
"""


def dispatcher(names: list[str], targets: list[TargetInfo], text: str) -> str:
    """The module of the functions ``names``; ``text`` is the LLVM text of the first target, for their signatures."""
    ordered = worst_first(targets)
    module = read(text)
    # Results in memory name the type of their struct.
    parts = [_questions(ordered), _BEST, *(f"{name} = type {body}" for name, body in module.named_types().items())]
    for name in names:
        function = module.function(f"{name}_{targets[0].isa}")
        types = _parameters(function, named=False)
        parts += [f"declare {_result(function)} @{name}_{target.isa}({types})" for target in ordered]
        parts.append(_dispatching_function(name, function, ordered))
    return "\n".join(parts)


def asking_function(name: str, targets: list[TargetInfo]) -> str:
    """The module of a function that gives the place of the best target that the CPU runs, worst first, or -1."""
    asked = f"define i32 @{name}() {{\n  %best = call i32 @volta.find_target()\n  ret i32 %best\n}}\n"
    return f"{_questions(worst_first(targets))}\n{asked}"


def worst_first(targets: list[TargetInfo]) -> list[TargetInfo]:
    """In the order in which CPUs came to have them."""
    return sorted(targets, key=lambda target: ISAS.index(target.isa))


def _questions(targets: list[TargetInfo]) -> str:
    """``%bestN`` is the index of the best of the first N targets that the CPU can run, or -1."""
    lines = ["  %best0 = add i32 -1, 0"]
    if targets[0].architecture == "aarch64":
        for index, target in enumerate(targets):
            lines.append(f"  %ok{index} = icmp uge i64 %bits, {target.vector_bits if target.has_sve else 0}")
            lines.append(f"  %best{index + 1} = select i1 %ok{index}, i32 {index}, i32 %best{index}")
        return _QUESTIONS_OF_AARCH64.format(tests="\n".join(lines), last=len(targets))
    for index, target in enumerate(targets):
        masks: dict[str, int] = {}
        for name in needed(target):
            word, bit = _BITS[name]
            masks[word] = masks.get(word, 0) | 1 << bit
        state = _AVX512_STATE if target.has_avx512 else _AVX_STATE if target.isa.startswith("avx") else 0
        state = _APX_STATE if "apx" in needed(target) else state
        checks = [(f"w{word}", mask) for word, mask in masks.items()] + ([("state", state)] if state else [])
        lines.append(f"  %ok{index}_0 = icmp eq i32 0, 0")
        for step, (word, mask) in enumerate(checks):
            here = f"{index}_{step}"
            lines += [
                f"  %and{here} = and i32 %{word}, {mask}",
                f"  %has{here} = icmp eq i32 %and{here}, {mask}",
                f"  %ok{index}_{step + 1} = and i1 %ok{here}, %has{here}",
            ]
        lines.append(f"  %best{index + 1} = select i1 %ok{index}_{len(checks)}, i32 {index}, i32 %best{index}")
    return _QUESTIONS.format(tests="\n".join(lines), last=len(targets), cpuid=_CPUID)


def _dispatching_function(name: str, function: Function, targets: list[TargetInfo]) -> str:
    void = function.return_type == "void"
    return _DISPATCHER.format(
        name=name,
        count=len(targets),
        versions=", ".join(f"ptr @{name}_{target.isa}" for target in targets),
        result=_result(function),
        parameters=_parameters(function, named=True),
        assign="" if void else "%result = ",
        returned="void" if void else f"{function.return_type} %result",
    )


def _result(function: Function) -> str:
    """The result's type with its attributes."""
    return function.header.partition("@")[0].removeprefix("define ").strip()


def _parameters(function: Function, *, named: bool) -> str:
    return ", ".join(
        " ".join(part for part in (parameter.type, parameter.attributes, parameter.name if named else "") if part)
        for parameter in function.parameters
    )
