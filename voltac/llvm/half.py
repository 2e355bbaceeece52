"""float16 conversions that a CPU has no instructions for, as LLVM text that is put into a module.

LLVM calls these functions by their names in the compiler's run-time library,
which a C compiler links but a process that loads an object need not have.
Rounding is to nearest even, done on the bits: what is left after dropping the
low bits of the mantissa, or for subnormal results an addition that puts their
last bit where the FPU rounds.
"""

from __future__ import annotations

from voltac.system.lazy_patterns import lazy_pattern

_HALF = lazy_pattern(r"half\b")

_NARROWS_DOUBLES = lazy_pattern(r" .* = fptrunc .*\bdouble\b.* to .*\bhalf\b")

_FROM_HALF = """
define weak hidden float @__extendhfsf2(half %value) nounwind {
  %bits = bitcast half %value to i16
  %wide = zext i16 %bits to i32
  %magnitude = and i32 %wide, 32767
  %shifted = shl i32 %magnitude, 13
  %exponent = and i32 %shifted, 260046848
  %rebased = add i32 %shifted, 939524096
  %endless = icmp eq i32 %exponent, 260046848
  %top = add i32 %rebased, 939524096
  %normal = select i1 %endless, i32 %top, i32 %rebased
  %tiny = icmp eq i32 %exponent, 0
  %raised = add i32 %rebased, 8388608
  %raisedf = bitcast i32 %raised to float
  %exact = fsub float %raisedf, 0x3F10000000000000
  %exactbits = bitcast float %exact to i32
  %unsigned = select i1 %tiny, i32 %exactbits, i32 %normal
  %sign = and i32 %wide, 32768
  %signbit = shl i32 %sign, 16
  %all = or i32 %unsigned, %signbit
  %result = bitcast i32 %all to float
  ret float %result
}
"""

_TO_HALF = """
define weak hidden half @{name}({type} %value) nounwind {{
  %bits = bitcast {type} %value to {int}
  %magnitude = and {int} %bits, {all_but_sign}
  %rebased = sub {int} %magnitude, {rebase}
  %last = lshr {int} %rebased, {drop}
  %odd = and {int} %last, 1
  %up = add {int} %rebased, {below_half}
  %even = add {int} %up, %odd
  %normal = lshr {int} %even, {drop}
  %positive = bitcast {int} %magnitude to {type}
  %aligned = fadd {type} %positive, {magic}
  %alignedbits = bitcast {type} %aligned to {int}
  %subnormal = sub {int} %alignedbits, {magic_bits}
  %small = icmp ult {int} %magnitude, {smallest_normal}
  %finite = select i1 %small, {int} %subnormal, {int} %normal
  %large = icmp uge {int} %magnitude, {too_large}
  %unsigned = select i1 %large, {int} 31744, {int} %finite
  %nan = icmp ugt {int} %magnitude, {infinity}
  %payload = lshr {int} %magnitude, {drop}
  %kept = and {int} %payload, 1023
  %quiet = or {int} %kept, 32256
  %value16 = select i1 %nan, {int} %quiet, {int} %unsigned
  %signbits = lshr {int} %bits, {sign_shift}
  %sign = and {int} %signbits, 32768
  %all = or {int} %value16, %sign
  %narrow = trunc {int} %all to i16
  %result = bitcast i16 %narrow to half
  ret half %result
}}
"""


def _to_half(name: str, type: str, bits: int, mantissa: int, bias: int) -> str:
    drop = mantissa - 10
    # An addition of this power of two leaves the result's last bit, 2**-24, as the last bit of the sum.
    magic_exponent = mantissa - 24
    return _TO_HALF.format(
        name=name,
        type=type,
        int=f"i{bits}",
        all_but_sign=2 ** (bits - 1) - 1,
        rebase=(bias - 15) << mantissa,
        drop=drop,
        below_half=2 ** (drop - 1) - 1,
        magic=f"{2.0**magic_exponent:e}",
        magic_bits=(bias + magic_exponent) << mantissa,
        smallest_normal=(bias - 14) << mantissa,
        too_large=(bias + 16) << mantissa,
        infinity=(2 * bias + 1) << mantissa,
        sign_shift=bits - 16,
    )


def half_conversions(text: str, floats_in_hardware: bool) -> str:
    """The functions that LLVM will call for a module on x86, empty without any.

    The instructions that CPUs have convert float16 from and to float, not from double.
    """
    if not _uses_half(text):
        return ""
    from_double = _to_half("__truncdfhf2", "double", 64, 52, 1023)
    if floats_in_hardware:
        narrows = (line for line in text.split("\n") if " = fptrunc " in line) if " = fptrunc " in text else ()
        return from_double if any(map(_NARROWS_DOUBLES.match, narrows)) else ""
    return _FROM_HALF + _to_half("__truncsfhf2", "float", 32, 23, 127) + from_double


def _uses_half(text: str) -> bool:
    """In code: the name of a function in debug information is none."""
    for found in _HALF.finditer(text):
        at = found.start()
        before = text[at - 1 : at]
        if not before.isalnum() and before != "_" and not text.startswith("!", text.rfind("\n", 0, at) + 1):
            return True
    return False
