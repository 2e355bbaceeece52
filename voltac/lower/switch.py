"""``switch`` (language section 9.4).

A uniform switch is LLVM's own. A varying one runs through its body once: at each
label the lanes with that value join, ``break`` takes lanes out, and the code up to
the next label is skipped while no lane is in.
"""

from __future__ import annotations

from voltac.lower import masks
from voltac.lower.builder import IR, splat_constant, zero
from voltac.lower.constants import scalar_constant
from voltac.lower.context import FunctionContext, Lanes, Region, Target, lowers_statement
from voltac.lower.statements import restore_after
from voltac.records import field, mutable_record
from voltac.sema import tree
from voltac.sema.types import VARYING, Enum, Qual, Scalar


@mutable_record(eq=False)
class SwitchContext:
    """The innermost switch while its body is lowered."""

    target: Target
    outer: IR | None
    blocks: dict[int | None, str] = field(default_factory=dict)
    """Of a uniform switch: label -> block."""
    value: IR | None = None
    """Of a varying switch."""
    type: Qual | None = None
    default_lanes: IR | None = None
    first_label: bool = True


@lowers_statement(tree.Switch)
def lower_switch(c: FunctionContext, node: tree.Switch) -> None:
    enclosing = c.switch
    saved_region, outer_touched, outer, shrunk = c.region, c.touched, c.mask, c.shrunk
    value = c.value(node.value)
    c.touched = set()
    done = c.build.block("switch.done")
    if node.value.type.rate is VARYING:
        live: Lanes | None = _begin_varying(c, node, value)
    else:
        live = _begin_uniform(c, node, value, done)
    c.statement(node.body)
    c.build.start(c.switch.target.region.end if node.value.type.rate is VARYING else done)
    if node.value.type.rate is VARYING:
        c.build.start(done)
    c.targets.pop()
    c.switch = enclosing
    c.region = saved_region
    if live is not None:
        c.touched -= {live}
    restore_after(c, outer, outer_touched, shrunk, node)


def _begin_uniform(c: FunctionContext, node: tree.Switch, value: IR, done: str) -> Lanes | None:
    live = None
    region = c.region
    if c.escapes[node].needs_live:
        region = Region(done)
        live = masks.live_lanes(c, node)
        masks.write_lanes(c, live, c.mask)
    target = Target(False, region, c.mask, done, "", live)
    c.targets.append(target)
    c.region = region
    blocks = {label: c.build.block("default" if label is None else f"case.{label}") for label in node.labels}
    c.switch = SwitchContext(target, c.mask, blocks)
    rows = []
    for label, block in blocks.items():
        constant = _label_constant(c, node.value.type, label)
        if constant is not None:
            rows.append(f"{constant}, label %{block}")
    c.build.terminate(f"switch {value}, label %{blocks.get(None, done)} [ {' '.join(rows)} ]")
    return live


def _label_constant(c: FunctionContext, type: Qual, label: int | None) -> IR | None:
    """The label in the type of the value; None for default and for what the value can never be."""
    if label is None:
        return None
    match type.type:
        case Scalar("bool", _):
            return scalar_constant(c.module, type.type, label) if label in (0, 1) else None
        case Scalar("int", bits) if bits < 32 and not -(1 << bits - 1) <= label < 1 << bits - 1:
            return None
        case Scalar("uint", bits) if bits < 32 and not 0 <= label < 1 << bits:
            return None
        case Scalar() | Enum():
            return scalar_constant(c.module, type.type, label)
    raise TypeError(f"{type} cannot be switched over")


def _begin_varying(c: FunctionContext, node: tree.Switch, value: IR) -> Lanes:
    live = masks.new_lanes(c, "live")
    c.build.store(zero(c.types.mask_storage), live.address, masks.storage_alignment(c))
    first = c.build.block("switch.label")
    target = Target(False, Region(first), masks.all_off(c), "", "", live)
    c.targets.append(target)
    context = SwitchContext(target, c.mask, {}, value, node.value.type)
    if None in node.labels:
        lanes: IR | None = c.mask
        for label in node.labels:
            equal = _equal(c, context, label)
            if equal is not None:
                lanes = masks.exclusion(c, lanes, equal)
        context.default_lanes = masks.explicit(c, lanes)
    c.switch = context
    c.region = target.region
    c.build.jump(first)
    return live


def _equal(c: FunctionContext, context: SwitchContext, label: int | None) -> IR | None:
    assert context.type is not None and context.value is not None
    constant = _label_constant(c, context.type, label)
    if constant is None:
        return None
    return c.build.compare("icmp eq", context.value, splat_constant(c.width, constant))


@lowers_statement(tree.CaseLabel)
def lower_case_label(c: FunctionContext, node: tree.CaseLabel) -> None:
    context: SwitchContext = c.switch
    if context.value is None:
        c.build.start(context.blocks[node.value])
        # Lanes that fall through may have been reduced; who comes from the dispatch finds the variables untouched.
        c.mask = masks.without_escaped(c, context.outer, c.touched) if c.touched else context.outer
        c.shrunk = bool(c.touched)
        return
    c.build.start(context.target.region.end)
    joining = context.default_lanes if node.value is None else _joining(c, context, node.value)
    live = context.target.live
    assert live is not None
    if context.first_label:
        c.mask = masks.explicit(c, joining)
    else:
        c.mask = masks.disjunction(c, masks.read_lanes(c, live), masks.explicit(c, joining))
    context.first_label = False
    masks.write_lanes(c, live, c.mask)
    context.target.region = c.region = Region(c.build.block("switch.label"))
    c.shrunk = True


def _joining(c: FunctionContext, context: SwitchContext, label: int) -> IR:
    equal = _equal(c, context, label)
    return masks.all_off(c) if equal is None else masks.conjunction(c, context.outer, equal)
