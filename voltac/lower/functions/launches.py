"""``launch``, ``sync`` and task functions on the runtime's three C functions (language 11.1).

The argument block is a struct of the parameters in order, followed by the mask.
"""

from __future__ import annotations

from voltac.lower.control_flow import masks
from voltac.lower.control_flow.failure_exits import can_fail, close_launch, guard_task, open_launch
from voltac.lower.function_context import FunctionContext, lowers_statement, lowers_value
from voltac.lower.functions.threads import run_share, wait_for_all
from voltac.lower.memory.address import Address
from voltac.lower.memory.memory_access import copy, load, store_everywhere
from voltac.lower.memory.variables import declare
from voltac.lower.text.ir_values import IR, NOTHING, NULL, integer
from voltac.sema import tree
from voltac.sema.type_layout import Layout
from voltac.sema.types import FunctionType, Pointer, Qual, Struct

_PARAMETERS = (
    "threadIndex", "threadCount", "taskIndex", "taskCount",
    "taskIndex0", "taskIndex1", "taskIndex2", "taskCount0", "taskCount1", "taskCount2",
)  # fmt: skip


def _block_offsets(c: FunctionContext, parameters: tuple[Qual, ...]) -> tuple[list[int], int]:
    """Offset of each parameter in the argument block, and the size of the block with the mask behind them."""
    sizes: Layout = c.types.sizes
    offset, offsets = 0, []
    for qual in parameters:
        alignment = sizes.alignment(qual)
        offset = -(-offset // alignment) * alignment
        offsets.append(offset)
        offset += sizes.size(qual)
    mask_bytes = masks.storage_alignment(c)
    offset = -(-offset // mask_bytes) * mask_bytes
    return offsets, offset + mask_bytes


def _parameter_place(c: FunctionContext, block: IR, offset: int, qual: Qual) -> Address:
    pointer = c.build.gep("i8", block, integer(c.types.word, offset)) if offset else block
    return Address(pointer, qual, private=True)


def block_alignment(c: FunctionContext) -> int:
    """Enough for every parameter: the widest varying type is eight bytes a lane."""
    lanes = c.width
    return max(64, 8 * lanes)


def begin_task(c: FunctionContext, name: str) -> str:
    """Fetch the parameters from the argument block; gives the signature of the C function."""
    symbol = c.symbol
    offsets, _ = _block_offsets(c, symbol.type.parameters)
    data = IR("ptr", "%data")
    for parameter, offset in zip(symbol.parameters, offsets):
        source = _parameter_place(c, data, offset, parameter.type)
        address = declare(c, parameter)
        if isinstance(parameter.type.type, Struct):
            copy(c, address, source, everywhere=True)
        else:
            store_everywhere(c, address, load(c, source))
    for parameter_name in _PARAMETERS:
        c.tasks.values[parameter_name] = IR("i32", f"%{parameter_name}")
    return f"void {name}(ptr noalias %data, {', '.join(f'i32 %{name}' for name in _PARAMETERS)})"


@lowers_value(tree.Launch)
def lower_launch(c: FunctionContext, node: tree.Launch) -> IR:
    """Stores the arguments in a block of the runtime's; on devices this thread runs its share of the tasks at once."""
    if isinstance(node.function, tree.FunctionSymbol):
        version = c.module.called_version(node.function, True)
        version.address_taken = True
        function, type = IR("ptr", version.name), node.function.type
    else:
        function = c.value(node.function)
        assert isinstance(node.function.type.type, Pointer) and isinstance(node.function.type.type.to.type, FunctionType)
        type = node.function.type.type.to.type
    counts = [c.value(count) for count in node.counts]
    arguments = [c.value(argument) for argument in node.arguments]
    offsets, size = _block_offsets(c, type.parameters)
    if c.target.is_device:
        block = c.build.alloca(f"[{size} x i8]", block_alignment(c), "arguments")
        _store_arguments(c, block, arguments, type, offsets, size)
        run_share(c, function, block, counts)
        return NOTHING
    assert c.tasks.handle is not None
    allocate = c.module.intrinsic("ISPCAlloc", "ptr", "ptr", "i64", "i32")
    guarded = c.tasks.guarded and (not isinstance(node.function, tree.FunctionSymbol) or can_fail(node.function, c.options))
    guard = open_launch(c, c.tasks.handle) if c.tasks.guarded else NULL
    # What the function that guards tasks has to know stands before the arguments.
    head = block_alignment(c) if guarded else 0
    block = c.build.value("ptr", f"call ptr {allocate}(ptr {c.tasks.handle.name}, i64 {head + size}, i32 {block_alignment(c)})")
    data = block
    if guarded:
        function, data = guard_task(c, function, guard, block, head)
    _store_arguments(c, data, arguments, type, offsets, size)
    launch = c.module.intrinsic("ISPCLaunch", "void", "ptr", "ptr", "ptr", "i32", "i32", "i32")
    c.build.emit(f"call void {launch}(ptr {c.tasks.handle.name}, {function}, {block}, {', '.join(map(str, counts))})")
    return NOTHING


def _store_arguments(
    c: FunctionContext, block: IR, arguments: list[IR], type: FunctionType, offsets: list[int], size: int
) -> None:
    for argument, qual, offset in zip(arguments, type.parameters, offsets):
        store_everywhere(c, _parameter_place(c, block, offset, qual), argument)
    mask_place = c.build.gep("i8", block, integer(c.types.word, size - masks.storage_alignment(c)))
    c.build.store(masks.to_storage(c, c.mask), mask_place, masks.storage_alignment(c))


def sync_at_return(c: FunctionContext) -> None:
    """Wait for the tasks of this call, if it launched any."""
    if c.target.is_device:
        wait_for_all(c)
        return
    assert c.tasks.handle is not None
    bytes_ = c.types.sizes.pointer_bytes
    handle = c.build.load("ptr", c.tasks.handle, bytes_)
    wait, done = c.build.block("sync"), c.build.block("sync.done")
    c.build.branch(c.build.compare("icmp ne", handle, NULL), wait, done)
    c.build.start(wait)
    sync = c.module.intrinsic("ISPCSync", "void", "ptr")
    c.build.emit(f"call void {sync}({handle})")
    c.build.store(NULL, c.tasks.handle, bytes_)
    if c.tasks.guarded:
        close_launch(c, c.tasks.handle)
    c.build.start(done)


@lowers_statement(tree.Sync)
def lower_sync(c: FunctionContext, node: tree.Sync) -> None:
    """Waits for the tasks that this call has launched; nothing where the function launches none."""
    if c.symbol.launches:
        sync_at_return(c)
