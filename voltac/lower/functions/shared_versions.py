"""The version of an exported function that other files of the language may call, with some lanes off (language 10.1).

Nobody in its own file calls it, so what it does is left to versions that are there anyway::

    define void @scale___...(ptr %p0, i32 %p1, <8 x i32> %mask)
        all lanes are on     ->  call @scale(ptr %p0, i32 %p1), the version for C
        some may be off      ->  call @scale___....some_on(ptr %p0, i32 %p1, <8 x i32> %mask)

Most exported functions are uniform code around a foreach, which turns all lanes on: their two versions do the same, and
only the first call is left. Where the typed tree shows it there is no function for that, but another name of the version for C,
which does not look at the mask behind its parameters::

    @scale___... = alias void (ptr, i32, <8 x i32>), ptr @scale

For others, and for what they call with a mask, ``some_on`` versions are compiled at less
expense (:func:`voltac.ir.marks.is_seldom_called`): large programs took 1.05 to 1.17 times as long to compile without them.
"""

from __future__ import annotations

from voltac.lower.analyses.mask_reads import never_reads_mask
from voltac.lower.functions.c_convention import passing
from voltac.lower.functions.definitions import passed_type, signature_types
from voltac.lower.module_context import C_CONVENTION, MASKED, ModuleContext, Version, has_shared_version
from voltac.lower.text.function_builder import FunctionBuilder
from voltac.lower.text.ir_values import IR, NOTHING, zero
from voltac.sema import tree

_ELF = ("linux", "android", "freebsd")
"""Systems whose objects and conventions were looked at; WebAssembly, of no system, knows functions by their parameters."""


def shared_functions(module: ModuleContext, program: tree.Program) -> list[tree.FunctionSymbol]:
    """The exported functions whose version for other files can call that for C."""
    return [
        symbol for symbol in program.functions if has_shared_version(symbol, module.options) and can_forward(module, symbol)
    ]


def can_forward(module: ModuleContext, symbol: tree.FunctionSymbol) -> bool:
    """Whether the version with a mask of a function can call that for C: both take and give the same types.

    Checked programs pass bounds as well; on a device with threads the version for C is shared by all of them, and who calls
    the other one is one of them.
    """
    is_kernel = symbol.exported and symbol.body is not None and not (symbol.library or symbol.unmasked)
    apart = module.options.target.has_threads or module.options.checked
    return is_kernel and not apart and _passes_the_same(module, symbol)


def _passes_the_same(module: ModuleContext, symbol: tree.FunctionSymbol) -> bool:
    ways = [passing(module.types, qual) for qual in symbol.type.parameters]
    types = [passed_type(module, qual) for qual in symbol.type.parameters]
    result = passing(module.types, symbol.type.result, result=True)
    same = all(not way.in_memory and not way.parts and way.type == type for way, type in zip(ways, types))
    return same and not result.in_memory and result.type == passed_type(module, symbol.type.result)


def write_shared_version(module: ModuleContext, some_on: Version) -> Version:
    """The version with the mask that has been asked for, which calls ``some_on`` where its body reads the mask."""
    symbol = some_on.symbol
    shared = module.version(symbol, MASKED)
    module.waiting.remove(shared)
    shared.signature = some_on.signature.replace(some_on.name, shared.name, 1)
    shared.attributes = some_on.attributes
    build = FunctionBuilder()
    if some_on.reads_mask:
        mask = IR(module.types.mask_storage, "%mask")
        lanes = mask if module.options.target.mask_bits == 1 else build.compare("icmp slt", mask, zero(mask.type))
        bits = build.convert("bitcast", lanes, f"i{module.options.target.width}")
        every, some = build.block("every_lane"), build.block("some_lanes")
        build.branch(build.compare("icmp eq", bits, IR(bits.type, "-1")), every, some)
        build.start(some)
        build.give_back(_call(module, build, some_on, [str(mask)]))
        build.start(every)
    _forward(module, build, shared)
    return shared


def can_be_alias(module: ModuleContext, symbol: tree.FunctionSymbol) -> bool:
    """Whether one address serves callers that pass a mask and those that pass none.

    The conventions of ELF's systems find all other parameters without the last one, whose place on the stack, if it has one, is
    the caller's.
    """
    return module.options.target.system in _ELF and not module.options.instrument and never_reads_mask(symbol)


def write_alias(module: ModuleContext, symbol: tree.FunctionSymbol) -> None:
    """The version with the mask of a function for which :func:`can_be_alias` holds."""
    shared = module.version(symbol, MASKED)
    module.waiting.remove(shared)
    result, types = signature_types(module, symbol.type, masked=True)
    same = module.version(symbol, C_CONVENTION)
    module.text.globals[shared.name] = f"alias {result} ({', '.join(types)}), ptr {same.name}"


def forward(module: ModuleContext, version: Version) -> None:
    """A body for a version with a mask, whose own never reads it: that for C does the same."""
    version.debug = ""
    _forward(module, FunctionBuilder(), version)


def _forward(module: ModuleContext, build: FunctionBuilder, version: Version) -> None:
    build.give_back(_call(module, build, module.version(version.symbol, C_CONVENTION), []))
    version.body = build.body()


def _call(module: ModuleContext, build: FunctionBuilder, callee: Version, mask: list[str]) -> IR:
    """With the parameters that the caller was given."""
    type = callee.symbol.type
    result, types = signature_types(module, type, masked=False)
    given = result
    if callee.kind == C_CONVENTION:
        types = [str(passing(module.types, qual)).replace("ptr noalias", "ptr") for qual in type.parameters]
        given = f"{passing(module.types, type.result, result=True).attributes} {result}".strip()
    arguments = ", ".join([*(f"{type} %p{number}" for number, type in enumerate(types)), *mask])
    text = f"tail call {given} {callee.name}({arguments}) noinline"
    if result == "void":
        build.emit(text)
        return NOTHING
    return build.value(result, text)
