"""The floating-point environment of functions that others call (language 12.2): MXCSR on x86, FPCR on aarch64."""

from __future__ import annotations

from voltac.lower.function_context import FunctionContext
from voltac.lower.text.ir_values import IR

_FLUSH_BITS = 0x8040
"""Flush to zero (bit 15) and denormals are zero (bit 6) of MXCSR."""
_FLUSH_BIT_AARCH64 = 1 << 24
"""FZ of FPCR."""


def set_float_state(c: FunctionContext) -> IR | None:
    """``--opt=reset-ftz-daz``: flush denormals on entry; gives where the old state is kept."""
    if not c.options.reset_ftz_daz:
        return None
    if c.target.architecture == "aarch64":
        get = c.module.intrinsic("llvm.aarch64.get.fpcr", "i64")
        saved = c.build.alloca("i64", 8, "float.state")
        before = c.build.value("i64", f"call i64 {get}()")
        c.build.store(before, saved, 8)
        _set_control_register(c, c.build.binary("or", before, IR("i64", str(_FLUSH_BIT_AARCH64))))
        return saved
    saved = c.build.alloca("i32", 4, "float.state")
    changed = c.build.alloca("i32", 4, "float.state.here")
    get = c.module.intrinsic("llvm.x86.sse.stmxcsr", "void", "ptr")
    c.build.emit(f"call void {get}({saved})")
    bits = c.build.binary("or", c.build.load("i32", saved, 4), IR("i32", str(_FLUSH_BITS)))
    c.build.store(bits, changed, 4)
    load_float_state(c, changed)
    return saved


def _set_control_register(c: FunctionContext, value: IR) -> None:
    put = c.module.intrinsic("llvm.aarch64.set.fpcr", "void", "i64")
    c.build.emit(f"call void {put}({value})")


def load_float_state(c: FunctionContext, address: IR) -> None:
    """As it was kept at an address."""
    if c.target.architecture == "aarch64":
        _set_control_register(c, c.build.load("i64", address, 8))
        return
    put = c.module.intrinsic("llvm.x86.sse.ldmxcsr", "void", "ptr")
    c.build.emit(f"call void {put}({address})")
