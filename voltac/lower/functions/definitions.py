"""Functions -> definitions: signatures, parameters, the result, the body, and which versions are inlined."""

from __future__ import annotations

import re

from voltac.lower.analyses.aliasing import memory_effects
from voltac.lower.analyses.uniform_counters import with_uniform_counters
from voltac.lower.analyses.varying_counters import with_varying_counters
from voltac.lower.builtins.device_builtins import writes_mask
from voltac.lower.checks.bounds import hidden_parameters, set_parameter_bounds
from voltac.lower.control_flow import masks
from voltac.lower.control_flow.failure_exits import LAUNCH_RECORD, can_fail
from voltac.lower.control_flow.nested_labels import plain_switches
from voltac.lower.control_flow.probes import begin_probes
from voltac.lower.function_context import FunctionContext
from voltac.lower.functions.c_convention import array_element, is_function, passing
from voltac.lower.functions.float_state import load_float_state, set_float_state
from voltac.lower.functions.threads import begin_kernel
from voltac.lower.memory.address import Address
from voltac.lower.memory.memory_access import copy_bytes, load, store_everywhere
from voltac.lower.memory.places import new_object
from voltac.lower.memory.variables import declare, forget, is_plain_value, set_value
from voltac.lower.module_context import ALL_ON, C_CONVENTION, MASKED, SOME_ON, TASK, ModuleContext, Version, has_shared_version
from voltac.lower.text.ir_values import IR, NOTHING, zero
from voltac.options import Options
from voltac.records import replace
from voltac.sema import tree
from voltac.sema.types import VARYING, FunctionType, Pointer, Qual, Scalar, Struct
from voltac.system.lazy_patterns import lazy_pattern

_SMALL_BODY_LINES = 300
_SINGLE_USE_LINES = 3000
"""Lines of LLVM text, up to which any function is inlined, and one that is called once. Chosen, not measured: a call keeps
what the caller knows of the mask from the callee, and long functions slow down LLVM's passes."""

_CALL_LINES = 10
"""About what a call takes. Chosen, not measured: what only other files call (``shared_versions.py``) is to be short."""

_COPIED_LINES = 20_000
"""Of all copies together of a function that is said to be inline. Where such functions call each other several times, copies
of copies are made: code would grow exponentially with the depth. 1000 lines take a third of a second to compile."""

_UNIFORM_COPIED_LINES = 2_000
"""Of all copies together of a function from uniform numbers to one: lanes and addresses that the caller knows are nothing
to it. A function with 24 calls of sin of uniform double, 200 lines each, takes 0.66 of the time to compile."""

_LANES_OF_INTEGERS = lazy_pattern(r"<\d+ x i\d+> ")
_NO_TAIL_CALLS = ' "disable-tail-calls"="true"'
"""LLVM 22 makes a loop of a recursion whose result is the lesser or greater of two, and asserts that it is a single integer: an
assertion in ``ConstantExpr::getIntrinsicIdentity`` ends the process."""


def passed_type(c: ModuleContext, qual: Qual) -> str:
    """Type of a parameter or result between volta functions: varying bools as masks, structs by address."""
    if qual.rate is VARYING and isinstance(qual.type, Scalar) and qual.type.kind == "bool":
        return c.types.mask_storage
    return c.types.register(qual)


def to_passed(c: FunctionContext, value: IR, qual: Qual) -> IR:
    """The form in which a value crosses a call: of varying bools the storage form of masks."""
    return masks.to_storage(c, value) if value.type == c.types.mask and isinstance(qual.type, Scalar) else value


def from_passed(c: FunctionContext, value: IR, qual: Qual) -> IR:
    """The inverse of :func:`to_passed`."""
    if qual.rate is VARYING and isinstance(qual.type, Scalar) and qual.type.kind == "bool":
        return masks.from_storage(c, value)
    return value


def takes_address(qual: Qual) -> bool:
    """A uniform pointer to data, which LLVM's attributes of parameters are for."""
    return (
        isinstance(qual.type, Pointer)
        and qual.rate is not VARYING
        and not is_function(qual.type.to)
        and (qual.type.to.rate.kind != "soa")
    )


def signature_types(module: ModuleContext, type: FunctionType, masked: bool) -> tuple[str, list[str]]:
    """Result type and parameter types between volta functions; a struct result is a leading address."""
    parameters = [passed_type(module, qual) for qual in type.parameters]
    result = passed_type(module, type.result)
    if isinstance(type.result.type, Struct):
        result = "void"
        parameters.insert(0, "ptr")
    if masked:
        parameters.append(module.types.mask_storage)
    return result, parameters


def declare_version(module: ModuleContext, version: Version) -> None:
    """A function that is defined elsewhere."""
    symbol = version.symbol
    name = version.name.removeprefix("@").strip('"')
    if version.kind == C_CONVENTION:
        result = passing(module.types, symbol.type.result, result=True)
        parameters = [str(passing(module.types, qual)).replace("ptr noalias", "ptr") for qual in symbol.type.parameters]
        returned = result.type if not result.attributes or result.in_memory else f"{result.attributes} {result.type}"
        if result.in_memory:
            parameters.insert(0, str(result))
            returned = "void"
        module.text.declare(name, returned, ", ".join(parameters))
        return
    result_type, types = signature_types(module, symbol.type, version.takes_mask)
    module.text.declare(name, result_type, ", ".join(types))


def write_version(module: ModuleContext, version: Version) -> None:
    """Lower the body for one version."""
    symbol = version.symbol
    if symbol.body is None:
        declare_version(module, version)
        return
    body = symbol.body
    if module.options.level > 0 and not module.options.instrument:
        body = with_varying_counters(symbol, with_uniform_counters(symbol, body))
    body, escapes = plain_switches(body)
    c = FunctionContext(module, version, body, escapes)
    version.debug = c.debug.attribute
    if version.kind == C_CONVENTION:
        _c_parameters(c, version)
    elif version.kind == TASK:
        from voltac.lower.functions.launches import begin_task  # late: few programs launch tasks

        version.signature = begin_task(c, version.name)
    else:
        _parameters(c, version)
    if symbol.launches and not c.target.is_device:
        c.tasks.guarded = can_fail(symbol, c.options)
        record = LAUNCH_RECORD if c.tasks.guarded else "ptr"
        c.tasks.handle = c.build.alloca(record, c.types.sizes.pointer_bytes, "tasks")
        c.build.at_entry(f"store ptr null, ptr {c.tasks.handle.name}, align {c.types.sizes.pointer_bytes}")
    kernel = symbol.exported and version.kind == C_CONVENTION
    thread_attributes = begin_kernel(c) if kernel and c.target.has_threads else ""
    if c.target.is_device and writes_mask(body):
        masks.begin_written(c)
    # Tasks run on other threads, which have a state of their own.
    begins_here = version.kind == TASK or kernel
    restore_state = set_float_state(c) if begins_here else None
    begin_probes(c)
    c.statement(body)
    c.debug.at_end()
    c.exit.finish()
    c.go_on(mask=c.masks.entry)
    if symbol.launches:
        from voltac.lower.functions.launches import sync_at_return  # late: as above

        sync_at_return(c)
    if restore_state is not None:
        load_float_state(c, restore_state)
    c.build.give_back(_final_result(c, version))
    version.body = c.build.body()
    c.debug.finish()
    version.attributes = f"{_attributes(c, symbol)} {thread_attributes}".strip()
    version.reads_mask = symbol.exported and version.takes_mask and _reads_mask(c, version)


def _reads_mask(c: FunctionContext, version: Version) -> bool:
    """Whether the body does anything with the mask but to convert it to the form of registers."""
    assert c.masks.entry is not None
    names = {"%mask", c.masks.entry.name}
    mentions = sum(len(re.findall(rf"{re.escape(name)}(?![\w.])", version.body)) for name in names)
    # A conversion mentions both names.
    return mentions > 2 * (len(names) - 1)


def _parameters(c: FunctionContext, version: Version) -> None:
    """The convention between volta functions."""
    symbol = version.symbol
    masked = version.takes_mask
    texts: list[str] = []
    result = symbol.type.result
    if isinstance(result.type, Struct):
        texts.append("ptr noalias %result")
        c.result = Address(IR("ptr", "%result"), result, private=True)
    elif passed_type(c.module, result) != "void":
        c.result = new_object(c, result, "result")
        forget(c, c.result)  # of the call before, where this one is inlined
    for number, parameter in enumerate(symbol.parameters):
        type = passed_type(c.module, parameter.type)
        name = f"%p{number}"
        alone = takes_address(parameter.type) and memory_effects(symbol).may_be_noalias(parameter)
        texts.append(f"{type} noalias {name}" if alone else f"{type} {name}")
        if isinstance(parameter.type.type, Struct):
            # The caller made a copy for this call.
            _bind_struct(c, parameter, name)
        else:
            value = from_passed(c, IR(type, name), parameter.type)
            set_parameter_bounds(c, parameter, value, number, hidden=True)
            bind_parameter(c, parameter, value)
    if masked:
        texts.append(f"{c.types.mask_storage} %mask")
        c.masks.entry = masks.from_storage(c, IR(c.types.mask_storage, "%mask"))
        c.go_on(mask=c.masks.entry)
    texts += hidden_parameters(c, symbol.parameters)
    returned = "void" if isinstance(result.type, Struct) else passed_type(c.module, result)
    version.signature = f"{returned} {version.name}({', '.join(texts)})"


def _bind_struct(c: FunctionContext, parameter: tree.VariableSymbol, name: str) -> None:
    """A struct whose address is passed."""
    address = c.variables.addresses[parameter] = Address(IR("ptr", name), parameter.type, private=True)
    if c.debug.keeps_values:
        place = c.build.alloca("ptr", c.types.sizes.pointer_bytes, parameter.name)
        c.build.store(address.pointer, place, c.types.sizes.pointer_bytes)
        c.debug.declare(parameter, replace(address, pointer=place), indirect=True)
    else:
        c.debug.declare(parameter, address)


def bind_parameter(c: FunctionContext, parameter: tree.VariableSymbol, value: IR) -> None:
    """The parameter's value, or a variable that holds it where it changes or its address is taken."""
    if is_plain_value(parameter):
        set_value(c, parameter, value)
    else:
        place = declare(c, parameter)
        if value.type == c.types.mask and c.target.mask_bits == 1:
            # As in masks.write_lanes: not the first store to the variable.
            store_everywhere(c, place, zero(value.type))
        store_everywhere(c, place, value)


def _c_parameters(c: FunctionContext, version: Version) -> None:
    symbol = version.symbol
    texts: list[str] = []
    result = symbol.type.result
    how = passing(c.types, result, result=True)
    if how.in_memory:
        texts.append(f"{how.type} noalias {how.attributes} %result")
        c.result = Address(IR("ptr", "%result"), result, private=True)
    elif how.type != "void":
        c.result = new_object(c, result, "result")
    for number, parameter in enumerate(symbol.parameters):
        way = passing(c.types, parameter.type)
        name = f"%p{number}"
        if way.in_memory:
            texts.append(f"{way} {name}")
            _bind_struct(c, parameter, name)
            if c.types.architecture == "x86" and c.types.sizes.alignment(parameter.type) > 4:
                given = Address(IR("ptr", name), parameter.type, private=True)
                copy_bytes(c, declare(c, parameter), given)
        elif way.parts:
            address = declare(c, parameter)
            texts += [f"{way.joined} {name}"] if way.joined else []
            for part_number, part in enumerate(way.parts):
                value = IR(part, f"{name}.{part_number}")
                if way.joined:
                    value = _part_of(c, IR(way.joined, name), part, part_number)
                else:
                    texts.append(str(value))
                place = c.build.gep("i8", address.pointer, IR("i64", str(way.part_bytes * part_number)))
                c.build.store(value, place, 1)
        else:
            # The host places arrays at the start of cache lines.
            aligned = " align 64" if c.target.is_device and symbol.exported and takes_address(parameter.type) else ""
            text = str(way)
            if takes_address(parameter.type) and not memory_effects(symbol).may_be_noalias(parameter):
                text = text.replace("ptr noalias", "ptr")
            texts.append(f"{text}{aligned} {name}")
            value = IR(way.type, name)
            if way.type != c.register(parameter.type):
                value = c.build.compare("icmp ne", value, IR(way.type, "zeroinitializer"))
            set_parameter_bounds(c, parameter, value, number, hidden=False)
            bind_parameter(c, parameter, value)
    returned = "void" if how.in_memory else f"{how.attributes} {how.type}".strip()
    version.signature = f"{returned} {version.name}({', '.join(texts)})"


def _part_of(c: FunctionContext, array: IR, type: str, number: int) -> IR:
    element = array_element(array.type)
    whole = c.build.value(element, f"extractvalue {array}, {number}")
    return whole if element == type else c.build.convert("trunc", whole, type)


def _final_result(c: FunctionContext, version: Version) -> IR:
    result = version.symbol.type.result
    if c.result is None or c.result.pointer.name == "%result":
        return NOTHING
    if version.kind == C_CONVENTION and isinstance(result.type, Struct):
        return c.build.load(passing(c.types, result, result=True).type, c.result.pointer, 1)
    value = load(c, c.result)
    if version.kind == C_CONVENTION:
        if result.rate is VARYING and value.type == c.types.mask:
            return c.build.convert("zext", value, c.memory(result))
        return value
    return to_passed(c, value, result)


def _attributes(c: FunctionContext, symbol: tree.FunctionSymbol) -> str:
    words = []
    if not c.escapes.endless:
        words.append("mustprogress")
    structs = any(isinstance(qual.type, Struct) for qual in (symbol.type.result, *symbol.type.parameters))
    if not structs:
        effects = [text for text in symbol.attributes if text.startswith("memory(")]
        # A failed check has an effect, and so has a probe.
        words += [] if c.probe else [text for text in effects if not c.checks.accesses or text == "memory(none)"]
    return " ".join(words)


# --- which versions are inlined


def text_of(module: ModuleContext, version: Version, base_attributes: str) -> str:
    """The definition of a version that has been written."""
    attributes = f"{base_attributes} {version.attributes}".strip()
    if version.symbol.no_inline or (version.kind == SOME_ON and version.symbol.exported):
        attributes += " noinline"
    elif _inlined(module, version):
        attributes += " alwaysinline"
    if _LANES_OF_INTEGERS.match(version.signature) and (module.takes_addresses or _is_recursive(version)):
        attributes += _NO_TAIL_CALLS
    group = module.text.attribute_group(attributes)
    linkage = f"{version.linkage} " if version.linkage else ""
    return f"define {linkage}{version.signature} {group}{version.debug} {{\n{version.body}\n}}\n"


def _inlined(module: ModuleContext, version: Version) -> bool:
    if version.symbol.no_inline or version.kind in (C_CONVENTION, TASK) or _is_recursive(version):
        return False
    if version.kind == SOME_ON:
        return (version.symbol.inline and version.symbol.library) or _lines(module, version) <= _CALL_LINES
    if version.symbol.inline:
        return version.symbol.library or version.uses * _lines(module, version) <= _COPIED_LINES
    if version.linkage != "internal" or module.options.level == 0:
        return False
    lines = _lines(module, version)
    if version.uses * lines > _UNIFORM_COPIED_LINES and version.uses > 1 and _takes_uniform_numbers(version.symbol.type):
        return False
    return lines <= _SMALL_BODY_LINES or (version.uses == 1 and not version.address_taken and lines <= _SINGLE_USE_LINES)


def _takes_uniform_numbers(type: FunctionType) -> bool:
    """And gives one."""
    return all(qual.rate is not VARYING and isinstance(qual.type, Scalar) for qual in (type.result, *type.parameters))


def _lines(module: ModuleContext, version: Version) -> int:
    """Lines of the body once everything that is inlined stands in it."""
    if not version.lines:
        version.lines = version.body.count("\n") + 1 - version.body.count("\n    #dbg_")
        version.lines += sum(
            count * _lines(module, callee) for callee, count in version.calls.items() if _inlined(module, callee)
        )
    return version.lines


def _is_recursive(version: Version) -> bool:
    if version.recursive is None:
        seen: set[Version] = set()
        waiting = list(version.calls)
        while waiting and version not in seen:
            here = waiting.pop()
            if here not in seen:
                seen.add(here)
                waiting += here.calls
        version.recursive = version in seen
    return version.recursive


def roots(program: tree.Program, options: Options, shared: list[tree.FunctionSymbol]) -> list[tuple[tree.FunctionSymbol, str]]:
    """The versions that other files may refer to, but those for other files of the language of the ``shared`` functions."""
    found = []
    apart = set(map(id, shared))
    for symbol in program.functions:
        if symbol.body is None or symbol.library:
            continue
        if symbol.exported or symbol.c_linkage:
            found.append((symbol, C_CONVENTION))
            if symbol.exported and has_shared_version(symbol, options) and id(symbol) not in apart:
                found.append((symbol, ALL_ON if symbol.unmasked else MASKED))
        elif symbol.task:
            if not symbol.static:
                found.append((symbol, TASK))
        elif not (symbol.static or symbol.inline):
            found.append((symbol, ALL_ON if symbol.unmasked else MASKED))
    return found
