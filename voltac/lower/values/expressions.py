"""Values -> code: constants, assignments, increments, selection, short-circuit operators.

Calls are in ``calls.py``, operators in ``arithmetic.py``, places in ``places.py``.
"""

from __future__ import annotations

from voltac.lower.control_flow import masks
from voltac.lower.control_flow.failure_exits import may_fail
from voltac.lower.control_state import Region
from voltac.lower.function_context import FunctionContext, lowers_value
from voltac.lower.memory.address import Address
from voltac.lower.memory.constant_data import scalar_constant
from voltac.lower.memory.memory_access import broadcast, copy, join_elements, load, split_elements, store
from voltac.lower.memory.places import address_integer, new_object, null_slice, offset_pointer
from voltac.lower.text.ir_values import IR, NOTHING, element_type, splat_constant, zero
from voltac.lower.values.arithmetic import binary, each_element, one
from voltac.sema import tree
from voltac.sema.types import VARYING, Pointer, Qual, Struct, Vector


@lowers_value(tree.Constant)
def lower_constant(c: FunctionContext, node: tree.Constant) -> IR:
    """At its own rate; of short vectors the same in each element."""
    if c.types.is_slice(node.type):
        return null_slice(c) if node.type.rate is not VARYING else zero(c.register(node.type))
    if isinstance(node.type.type, Vector):
        scalar = scalar_constant(c.module, node.type.type.element, node.value)
        if node.type.rate is VARYING:
            return join_elements(c, [splat_constant(c.width, scalar)] * node.type.type.count)
        return splat_constant(node.type.type.count, scalar)
    constant = scalar_constant(c.module, node.type.type, node.value)
    return splat_constant(c.width, constant) if node.type.rate is VARYING else constant


@lowers_value(tree.ProgramIndex)
def lower_program_index(c: FunctionContext, node: tree.ProgramIndex) -> IR:
    """0 to W-1."""
    return c.lanes("i32")


@lowers_value(tree.ActiveMask)
def lower_active_mask(c: FunctionContext, node: tree.ActiveMask) -> IR:
    """As a bool, or as an integer that is -1 where the lane is on."""
    wanted = c.register(node.type)
    mask = masks.explicit(c, c.mask)
    if element_type(wanted) == "i1":
        return mask
    return c.build.convert("sext", mask, wanted)


@lowers_value(tree.TaskVariable)
def lower_task_variable(c: FunctionContext, node: tree.TaskVariable) -> IR:
    """A parameter of the task's function."""
    return c.tasks.values[node.name]


@lowers_value(tree.FunctionAddress)
def lower_function_address(c: FunctionContext, node: tree.FunctionAddress) -> IR:
    """That of the version with a mask, which is wanted by this."""
    return IR("ptr", c.module.address_of_function(node.function))


@lowers_value(tree.Comma)
def lower_comma(c: FunctionContext, node: tree.Comma) -> IR:
    """The first for its effects."""
    c.value(node.first)
    return c.value(node.second)


# --- assignment


@lowers_value(tree.Assign)
def lower_assign(c: FunctionContext, node: tree.Assign) -> IR:
    """The value is found before the place; lanes that are off keep what they have."""
    if isinstance(node.place.storage.type, Struct):
        return _assign_struct(c, node)
    value = c.value(node.value)
    address = c.place(node.place)
    c.debug.span = node.place.span
    store(c, address, value)
    return value


def _assign_struct(c: FunctionContext, node: tree.Assign) -> IR:
    match node.value:
        case tree.Load(_, _, place) if place.storage.rate.kind != "soa":
            source = c.place(place)
            to = c.place(node.place)
            if source.is_varying or to.is_varying:
                # Lanes may read what other lanes write: all reads come first.
                c.debug.span = place.span
                source = Address(load(c, source), node.value.type, private=True)
            c.debug.span = node.place.span
            copy(c, to, source)
            return source.pointer
    value = c.value(node.value)
    to = c.place(node.place)
    c.debug.span = node.place.span
    copy(c, to, Address(value, node.value.type, private=True))
    return value


@lowers_value(tree.CompoundAssign)
def lower_compound_assign(c: FunctionContext, node: tree.CompoundAssign) -> IR:
    """The value is found before the place, which is found once."""
    qual = node.place.type
    if isinstance(qual.type, Pointer):
        index = address_integer(c, node.value)
        address = c.place(node.place)
        c.debug.span = node.place.span
        value = offset_pointer(c, load(c, address), qual, index, node.operator == "-")
        store(c, address, value)
        return value
    operand = c.value(node.value)
    address = c.place(node.place)
    c.debug.span = node.place.span
    old = load(c, address)
    if old.type != operand.type and operand.type[0] != "[":
        operand = broadcast(c, operand)
    constant = isinstance(node.value, tree.Constant)
    computed = node.value.type if not isinstance(qual.type, Vector) else qual
    value = binary(c, node.operator, old, operand, computed, node.span, constant)
    store(c, address, value)
    return value


@lowers_value(tree.Increment)
def lower_increment(c: FunctionContext, node: tree.Increment) -> IR:
    """Gives the value before or after; it is stored under the mask."""
    address = c.place(node.place)
    c.debug.span = node.place.span
    old = load(c, address)
    qual = Qual(node.place.type.type, VARYING if node.place.type.rate is VARYING else node.type.rate)
    if isinstance(qual.type, Pointer):
        index = IR(c.types.word, "1")
        new = offset_pointer(c, old, qual, index, node.operator == "--")
    else:
        new = binary(c, "+" if node.operator == "++" else "-", old, _ones(c, qual), qual, node.span)
    store(c, address, new)
    return new if node.prefix else old


def _ones(c: FunctionContext, qual: Qual) -> IR:
    if not isinstance(qual.type, Vector):
        return one(c, qual)
    element = one(c, Qual(qual.type.element, qual.rate))
    if qual.rate is VARYING:
        return join_elements(c, [element] * qual.type.count)
    return splat_constant(qual.type.count, element)


# --- selection


@lowers_value(tree.Logical)
def lower_logical(c: FunctionContext, node: tree.Logical) -> IR:
    """The right side runs only for lanes that need it, unless it is cheap and cannot be seen to run."""
    left = c.value(node.left)
    if isinstance(node.type.type, Vector):
        operation = "and" if node.operator == "&&" else "or"
        return each_element(c, lambda a, b: c.build.binary(operation, a, b), left, c.value(node.right))
    wanted_by_left = node.operator == "&&"
    if node.type.rate is VARYING:
        return _lower_varying_logical(c, node, left, wanted_by_left)
    if _may_be_evaluated_always(c, node.right):
        return _join(c, left, c.value(node.right), wanted_by_left)
    right_block, done = c.build.block("logical.right"), c.build.block("logical.done")
    before = c.build.label
    c.build.branch(left, *((right_block, done) if wanted_by_left else (done, right_block)))
    c.build.start(right_block)
    right = c.value(node.right)
    end = c.build.label
    c.build.start(done)
    return c.build.phi([(IR("i1", "false" if wanted_by_left else "true"), before), (right, end)])


def _may_be_evaluated_always(c: FunctionContext, node: tree.Value) -> bool:
    """Of an operand behind a uniform test."""
    return c.costs.is_cheap_and_changes_nothing(node) and not may_fail(node, c.options)


def _join(c: FunctionContext, left: IR, right: IR, conjunction: bool) -> IR:
    """``left && right`` or ``left || right`` where both are known, without letting poison of the right side through."""
    if left.type == "i1":
        false, true = IR("i1", "false"), IR("i1", "true")
    else:
        false, true = masks.all_off(c), masks.all_on(c)
    return c.build.select(left, right, false) if conjunction else c.build.select(left, true, right)


def _lower_varying_logical(c: FunctionContext, node: tree.Logical, left: IR, conjunction: bool) -> IR:
    outer = c.mask
    needed = masks.conjunction(c, outer, left) if conjunction else masks.exclusion(c, outer, left)
    if c.costs.is_cheap_and_safe(node.right) or not c.build.reachable:
        return _join(c, left, _value_under(c, node.right, needed), conjunction)
    right_block, done = c.build.block("logical.right"), c.build.block("logical.done")
    any_needed = masks.any_on(c, needed)
    before = c.build.label
    c.build.branch(any_needed, right_block, done)
    c.build.start(right_block)
    joined = _join(c, left, _value_under(c, node.right, needed), conjunction)
    end = c.build.label
    c.build.start(done)
    return c.build.phi([(left, before), (joined, end)])


@lowers_value(tree.Conditional)
def lower_conditional(c: FunctionContext, node: tree.Conditional) -> IR:
    """Each side runs under its part of the mask; what is cheap and safe runs without a test."""
    test = c.value(node.test)
    if isinstance(node.test.type.type, Vector):
        return _select_elements(c, node, test)
    varying = node.test.type.rate is VARYING
    if isinstance(node.type.type, Struct):
        return _select_struct(c, node, test, varying)
    if varying:
        return _select_varying(c, node, test)
    if _may_be_evaluated_always(c, node.then) and _may_be_evaluated_always(c, node.otherwise):
        then, otherwise = c.value(node.then), c.value(node.otherwise)
        return then if then.type == "void" else c.build.select(test, then, otherwise)
    then_block, else_block, done = (c.build.block(f"select.{name}") for name in ("then", "else", "done"))
    c.build.branch(test, then_block, else_block)
    arms = []
    for block, side in ((then_block, node.then), (else_block, node.otherwise)):
        c.build.start(block)
        value = c.value(side)
        arms.append((value, c.build.label))
        c.build.jump(done)
    c.build.start(done)
    return NOTHING if arms[0][0].type == "void" else c.build.phi(arms)


def _select_elements(c: FunctionContext, node: tree.Conditional, test: IR) -> IR:
    then, otherwise = c.value(node.then), c.value(node.otherwise)
    return each_element(c, c.build.select, test, then, otherwise)


def _merge(c: FunctionContext, test: IR, then: IR, otherwise: IR) -> IR:
    """A varying selection, of short vectors and slice pointers too."""
    if then.type[0] == "[":
        columns = zip(split_elements(c, then), split_elements(c, otherwise))
        return join_elements(c, [c.build.select(test, a, b) for a, b in columns])
    if then.type[0] == "{":
        parts = [
            c.build.select(test, *(c.build.member(side, k, type) for side in (then, otherwise)))
            for k, type in enumerate(then.type[2:-2].split(", "))
        ]
        result = IR(then.type, "poison")
        for number, part in enumerate(parts):
            result = c.build.with_member(result, part, number)
        return result
    return c.build.select(test, then, otherwise)


def _select_varying(c: FunctionContext, node: tree.Conditional, test: IR) -> IR:
    outer = c.mask
    sides: list[IR] = []
    for side, mask in ((node.then, masks.conjunction(c, outer, test)), (node.otherwise, masks.exclusion(c, outer, test))):
        cheap = c.costs.is_cheap_and_safe(side) or not c.build.reachable
        sides.append(_value_under(c, side, mask) if cheap else _value_if_any(c, side, mask))
    if sides[0].type == "void":
        return NOTHING
    return _merge(c, test, *sides)


def _value_if_any(c: FunctionContext, node: tree.Value, mask: IR) -> IR:
    """A value that is only needed by the lanes of a mask, and not computed if there is none."""
    block, done = c.build.block("select.side"), c.build.block("select.done")
    any_lane = masks.any_on(c, mask)
    before = c.build.label
    c.build.branch(any_lane, block, done)
    c.build.start(block)
    value = _value_under(c, node, mask)
    end = c.build.label
    c.build.start(done)
    return NOTHING if value.type == "void" else c.build.phi([(IR(value.type, "poison"), before), (value, end)])


def _value_under(c: FunctionContext, node: tree.Value, mask: IR) -> IR:
    """A value for the lanes of a mask: a region of its own, since variables of the region around have more lanes."""
    with c.within(mask=mask, region=Region("")):
        return c.value(node)


def _select_struct(c: FunctionContext, node: tree.Conditional, test: IR, varying: bool) -> IR:
    result = new_object(c, node.type)
    outer = c.mask
    if varying:
        arms = [(node.then, masks.conjunction(c, outer, test)), (node.otherwise, masks.exclusion(c, outer, test))]
        for side, mask in arms:
            block, done = c.build.block("select.side"), c.build.block("select.done")
            c.build.branch(masks.any_on(c, mask), block, done)
            c.build.start(block)
            value = _value_under(c, side, mask)
            with c.within(mask=mask):
                copy(c, result, Address(value, node.type, private=True))
            c.build.start(done)
        return result.pointer
    then_block, else_block, done = (c.build.block(f"select.{name}") for name in ("then", "else", "done"))
    c.build.branch(test, then_block, else_block)
    for block, side in ((then_block, node.then), (else_block, node.otherwise)):
        c.build.start(block)
        copy(c, result, Address(c.value(side), node.type, private=True), everywhere=True)
        c.build.jump(done)
    c.build.start(done)
    return result.pointer
