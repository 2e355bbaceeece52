"""``print`` and ``assert`` -> C's ``printf``, through helper functions that are added to the module when used.

A statement's text is put together in a buffer on the stack, at most 8 kB with at
most 1 kB an argument (language 13.12), and written at once.
"""

from __future__ import annotations

from voltac.lower.control_flow import masks
from voltac.lower.control_flow.failure_exits import ASSERTION, fail_if
from voltac.lower.function_context import FunctionContext, lowers_statement
from voltac.lower.text.ir_values import IR, integer, zero
from voltac.lower.values.arithmetic import element_scalar
from voltac.lower.values.conversions import convert_scalar
from voltac.messages.visible import bytes_of
from voltac.sema import tree
from voltac.sema.types import DOUBLE, INT64, VARYING, Enum, Pointer, Qual, Scalar

_TEXT_BYTES = 8191
_ARGUMENT_BYTES = 1023
"""Of the text of a statement, which lies on the stack, and of one of its arguments; the interpreter cuts off at the same
places."""
_STATE = f"{{ i64, [{_TEXT_BYTES + 1} x i8] }}"

_APPEND = f"""\
define internal void @volta_print_text(ptr %state, ptr %piece) noinline nounwind {{
  %length = load i64, ptr %state
  %text = getelementptr i8, ptr %state, i64 8
  %at = getelementptr i8, ptr %text, i64 %length
  %room = sub i64 {_TEXT_BYTES}, %length
  %size = add i64 %room, 1
  %wanted = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %at, i64 %size, ptr FORMAT, ptr %piece)
  %n = zext i32 %wanted to i64
  %fits = icmp ult i64 %n, %room
  %used = select i1 %fits, i64 %n, i64 %room
  %end = add i64 %length, %used
  store i64 %end, ptr %state
  ret void
}}
"""

_VALUES = f"""\
define internal void @volta_print_TYPE(ptr %state, ptr %values, i64 %mask, i32 %count, ptr %on, ptr %off) noinline nounwind {{
entry:
  %start = load i64, ptr %state
  %text = getelementptr i8, ptr %state, i64 8
  %wish = add i64 %start, {_ARGUMENT_BYTES}
  %less = icmp ult i64 %wish, {_TEXT_BYTES}
  %end = select i1 %less, i64 %wish, i64 {_TEXT_BYTES}
  br label %lane
lane:
  %l = phi i64 [ 0, %entry ], [ %next, %lane ]
  %length = phi i64 [ %start, %entry ], [ %longer, %lane ]
  %bit = lshr i64 %mask, %l
  %active = trunc i64 %bit to i1
  %format = select i1 %active, ptr %on, ptr %off
  %first = icmp eq i64 %l, 0
  %comma = zext i1 %first to i64
  %pattern = getelementptr i8, ptr %format, i64 %comma
  %place = getelementptr TYPE, ptr %values, i64 %l
  %value = load TYPE, ptr %place
  %at = getelementptr i8, ptr %text, i64 %length
  %room = sub i64 %end, %length
  %size = add i64 %room, 1
  %wanted = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %at, i64 %size, ptr %pattern, TYPE %value)
  %n = zext i32 %wanted to i64
  %fits = icmp ult i64 %n, %room
  %used = select i1 %fits, i64 %n, i64 %room
  %longer = add i64 %length, %used
  %next = add i64 %l, 1
  %lanes = zext i32 %count to i64
  %more = icmp ult i64 %next, %lanes
  br i1 %more, label %lane, label %done
done:
  store i64 %longer, ptr %state
  ret void
}}
"""

_FAIL = """\
define internal void @volta_fail(ptr %message) noinline nounwind noreturn cold {
  %written = call i32 (ptr, ...) @printf(ptr FORMAT, ptr %message)
  %flushed = call i32 @fflush(ptr null)
  call void @abort()
  unreachable
}
"""


def _with_short_sizes(text: str) -> str:
    """``size_t`` in the calls of ``snprintf`` where it has 32 bits."""
    call = "call i32 (ptr, i64, ptr, ...) @snprintf(ptr %at, i64 %size,"
    short = "call i32 (ptr, i32, ptr, ...) @snprintf(ptr %at, i32 %size.short,"
    return text.replace(f"  %wanted = {call}", f"  %size.short = trunc i64 %size to i32\n  %wanted = {short}")


def _helper(c: FunctionContext, name: str, text: str) -> str:
    """Adds a helper function once; gives ``@name``."""
    module = c.module
    if name not in module.helpers:
        module.helpers.add(name)
        for function, signature in (
            ("snprintf", f"i32 @snprintf(ptr, {module.types.word}, ptr, ...)"),
            ("printf", "i32 @printf(ptr, ...)"),
        ):
            if f"@{function}(" in text:
                module.text.declarations.setdefault(function, f"declare {signature} nounwind")
        if module.types.word == "i32":
            text = _with_short_sizes(text)
        if "FORMAT" in text:
            text = text.replace("FORMAT", module.text.text_constant(b"%s").name)
        module.text.definitions.append(text)
    return f"@{name}"


@lowers_statement(tree.Print)
def lower_print(c: FunctionContext, node: tree.Print) -> None:
    """Language 13.12: the text is put together in memory and written at once."""
    arguments = [(c.value(argument), argument.type) for argument in node.arguments]
    state = c.build.alloca(_STATE, 8, "printed")
    text = c.build.gep("i8", state, integer("i64", 8))
    c.build.store(integer("i64", 0), state, 8)
    c.build.store(integer("i8", 0), text, 1)
    append = _helper(c, "volta_print_text", _APPEND)
    pending = node.pieces[0]
    for (value, qual), piece in zip(arguments, node.pieces[1:]):
        varying = qual.rate is VARYING
        _append_text(c, append, state, pending + ("[" if varying else ""))
        _append_value(c, state, value, qual, varying)
        pending = ("]" if varying else "") + piece
    _append_text(c, append, state, pending)
    if c.options.print_function:
        c.build.emit(f"call void {c.module.intrinsic(c.options.print_function, 'void', 'ptr')}({text})")
        return
    c.module.text.declarations.setdefault("printf", "declare i32 @printf(ptr, ...) nounwind")
    c.build.value("i32", f"call i32 (ptr, ...) @printf(ptr {c.module.text.text_constant(b'%s').name}, {text})")
    flush = c.module.intrinsic("fflush", "i32", "ptr")
    c.build.value("i32", f"call i32 {flush}(ptr null)")


def _append_text(c: FunctionContext, append: str, state: IR, text: str) -> None:
    if text:
        c.build.emit(f"call void {append}({state}, {c.module.text.text_constant(bytes_of(text))})")


def _append_value(c: FunctionContext, state: IR, value: IR, qual: Qual, varying: bool) -> None:
    lanes = c.width if varying else 1
    printed, on, off = _printable(c, value, qual)
    lane = "double" if "double" in printed.type else "i64"
    alignment = 8 * lanes
    values = c.build.alloca(printed.type, alignment, "values")
    c.build.store(printed, values, alignment)
    mask = integer("i64", -1)
    if varying and c.mask is not None:
        mask = masks.bits(c, c.mask)
        if mask.type != "i64":
            mask = c.build.convert("zext", mask, "i64")
    helper = _helper(c, f"volta_print_{lane}", _VALUES.replace("TYPE", lane))
    formats = ", ".join(str(c.module.text.text_constant(bytes_of(text))) for text in (on, off))
    c.build.emit(f"call void {helper}({state}, {values}, {mask}, i32 {lanes}, {formats})")


def _printable(c: FunctionContext, value: IR, qual: Qual) -> tuple[IR, str, str]:
    """The value in 64 bits a lane, and its formats for active and inactive lanes; each begins with a comma."""
    scalar = element_scalar(qual.type)
    match scalar:
        case Scalar("bool", _):
            words = [c.module.text.text_constant(text) for text in (b"true", b"false")]
            addresses = [c.build.value("i64", f"ptrtoint {word} to i64") for word in words]
            if qual.rate is VARYING:
                addresses = [c.build.splat(c.width, address) for address in addresses]
            return c.build.select(value, *addresses), ",%s", ",_________"
        case Scalar("float", _):
            return convert_scalar(c, value, scalar, DOUBLE), ",%f", ",((%f))"
        case Pointer():
            return convert_scalar(c, value, scalar, INT64), ",%p", ",((%p))"
        case Scalar(kind, bits):
            form = {("int", 64): "%lld", ("uint", 64): "%llu", ("uint", 32): "%u"}.get((kind, bits), "%d")
            return convert_scalar(c, value, scalar, INT64), f",{form}", f",(({form}))"
        case Enum():
            return convert_scalar(c, value, scalar, INT64), ",%u", ",((%u))"


@lowers_statement(tree.Assert)
def lower_assert(c: FunctionContext, node: tree.Assert) -> None:
    """Language 13.11: fails for the active lanes whose test is false; nothing with assertions off."""
    if c.options.disable_assertions:
        return
    test = c.value(node.test)
    lanes = None
    if node.test.type.rate is VARYING:
        lanes = masks.bits(c, masks.exclusion(c, c.mask, test))
        failed = c.build.compare("icmp ne", lanes, zero(lanes.type))
    else:
        failed = c.build.binary("xor", test, IR("i1", "true"))
    if c.options.catch_failures or c.target.is_device:
        fail_if(c, failed, ASSERTION, node.message, lanes)
        return
    fail, done = c.build.block("assert.failed"), c.build.block("assert.done")
    c.build.branch(failed, fail, done)
    c.build.start(fail)
    c.module.intrinsic("abort", "void")
    c.module.intrinsic("fflush", "i32", "ptr")
    helper = _helper(c, "volta_fail", _FAIL)
    c.build.emit(f"call void {helper}({c.module.text.text_constant(bytes_of(node.message))})")
    c.build.terminate("unreachable")
    c.build.start(done)
