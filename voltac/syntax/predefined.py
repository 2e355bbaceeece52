"""The macros that are defined before the first line of a file is read (language 3.1)."""

from __future__ import annotations

from voltac.options import Options

LANGUAGE_LEVEL = (1, 32)
LLVM_VERSION = (22, 1)
"""Of the LLVM in llvmlite; a constant, so that preprocessing does not load LLVM. A test compares."""

# On targets of 8 or 16 bit elements 128 and 32768 are unsigned literals, and so are their negatives.
_IF_UNDEFINED: tuple[tuple[str, str], ...] = (
    ("INT8_MIN", "(-127 - 1)"),
    ("INT16_MIN", "(-32767 - 1)"),
    ("INT32_MIN", "(-2147483647L - 1)"),
    ("INT64_MIN", "(-9223372036854775807LL - 1LL)"),
    ("INT8_MAX", "127"),
    ("INT16_MAX", "32767"),
    ("INT32_MAX", "2147483647L"),
    ("INT64_MAX", "9223372036854775807LL"),
    ("UINT8_MAX", "255U"),
    ("UINT16_MAX", "65535U"),
    ("UINT32_MAX", "4294967295UL"),
    ("UINT64_MAX", "18446744073709551615ULL"),
    ("F16_MIN", "6.103515625e-05f16"),
    ("F16_MAX", "65504.0f16"),
    ("FLT_MIN", "1.17549435e-38F"),
    ("FLT_MAX", "3.40282347e+38F"),
    ("DBL_MIN", "2.2250738585072014e-308D"),
    ("DBL_MAX", "1.7976931348623157e+308D"),
    ("PREFETCH_DATASIZE_DEFAULT", "4"),
)


def predefined(options: Options) -> dict[str, str]:
    """Macro head (``name`` or ``name(parameters)``) -> replacement, command line macros last."""
    target = options.target
    rows: dict[str, str] = {
        "ISPC": "1",
        "VOLTA": "1",
        "ISPC_MAJOR_VERSION": str(LANGUAGE_LEVEL[0]),
        "ISPC_MINOR_VERSION": str(LANGUAGE_LEVEL[1]),
        "LLVM_VERSION_MAJOR": str(LLVM_VERSION[0]),
        "LLVM_VERSION_MINOR": str(LLVM_VERSION[1]),
        "ISPC_POINTER_SIZE": str(target.pointer_bits),
        "TARGET_WIDTH": str(target.width),
        "TARGET_ELEMENT_WIDTH": str(target.element_bits // 8),
        "ISPC_MASK_BITS": str(target.mask_bits),
        f"ISPC_TARGET_{target.isa_macro}": "1",
        "PI": "3.1415926535",
        "ISPC_UINT_IS_DEFINED": "1",
        "ISPC_ATTRIBUTE_SUPPORTED": "1",
    }
    optional = (
        ("ISPC_TARGET_HAS_FP64_SUPPORT", target.has_double),
        ("ISPC_FP64_SUPPORTED", target.has_double),
        ("ISPC_TARGET_HAS_FP16_SUPPORT", target.has_native_half),
        ("ISPC_FP16_SUPPORTED", target.has_native_half),
        ("ISPC_TARGET_HAS_HALF", target.has_half_conversion),
        ("ISPC_TARGET_HAS_RAND", target.has_rand),
        ("ISPC_LLVM_INTRINSICS_ENABLED", options.llvm_intrinsics),
        ("ISPC_ASSERTS_DISABLED", options.disable_assertions),
    )
    rows.update((name, "1") for name, present in optional if present)
    rows["assert(x)"] = "" if options.disable_assertions else "__assert(#x, x)"
    rows["alloca(x)"] = "__alloca(x)"
    rows.update(_IF_UNDEFINED)
    if target.device is not None:
        rows.update(target.device.words)
    rows.update(options.defines)
    return rows
