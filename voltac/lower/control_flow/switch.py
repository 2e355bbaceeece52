"""``switch`` (language 9.4).

A uniform switch is LLVM's own. A varying one runs through its body once: at each
label the lanes with that value join, ``break`` takes lanes out, and the code up to
the next label is skipped while no lane is in.

LLVM takes time by the square of the labels of one switch, and of the operations on
masks in one block. So a uniform switch with very many labels is several behind a tree
of comparisons, and of very many varying ones groups are skipped that no lane looks for.
Which lanes have no label is not found from the tests of the labels, which LLVM would put
together in ever new ways (ten times the time of all the rest), but from their ranges.
"""

from __future__ import annotations

from voltac.lower.control_flow import masks
from voltac.lower.control_flow.constructs import construct
from voltac.lower.control_flow.label_ranges import inside_range, label_constant, with_label
from voltac.lower.control_flow.merge_point import MergePoint
from voltac.lower.control_state import Region, SwitchTarget
from voltac.lower.function_context import FunctionContext, lowers_statement
from voltac.lower.text.ir_values import IR, splat_constant, zero
from voltac.sema import tree
from voltac.sema.types import VARYING, Scalar

_MOST_ROWS = 256
"""Labels of one uniform switch of LLVM."""
_GROUP = 64
"""Labels of a varying switch that are skipped together."""


@lowers_statement(tree.Switch)
def lower_switch(c: FunctionContext, node: tree.Switch) -> None:
    """The value is found before; lanes that break are off until the end."""
    varying = node.value.type.rate is VARYING
    value = c.value(node.value)
    with construct(c, node):
        done = MergePoint(c.module.text, c.build, c.build.block("switch.done"))
        target = (_begin_varying if varying else _begin_uniform)(c, node, value, done)
        with c.within(region=target.region, targets=(*c.targets, target)):
            c.statement(node.body)
        if varying:
            c.build.start(target.region.end)
            if target.after_group:
                c.build.start(target.after_group)
        done.finish()
        c.go_on(touched=c.touched - {target.live})


def _begin_uniform(c: FunctionContext, node: tree.Switch, value: IR, end: MergePoint) -> SwitchTarget:
    live = None
    region = c.region
    done = end.label()
    if c.escapes[node].needs_live:
        region = Region(done)
        live = masks.live_lanes(c, node)
        masks.write_lanes(c, live, c.mask)
    blocks = {label: c.build.block("default" if label is None else f"case.{label}") for label in node.labels}
    rows = []
    for label, block in blocks.items():
        constant = label_constant(c, node.value.type, label)
        if constant is not None and label is not None:
            rows.append((label, constant, f"{constant}, label %{block}"))
    rows.sort(key=lambda row: row[0])
    less = "slt" if isinstance(node.value.type.type, Scalar) and node.value.type.type.kind == "int" else "ult"
    if less == "ult" and rows and rows[0][0] < 0:
        # The largest of the unsigned numbers.
        rows = [row for row in rows if row[0] >= 0] + [row for row in rows if row[0] < 0]
    _dispatch(c, value, rows, blocks.get(None, done), less)
    return SwitchTarget(region, c.mask, c.mask, live, end, done, blocks)


def _dispatch(c: FunctionContext, value: IR, rows: list[tuple[int, IR, str]], default: str, less: str) -> None:
    """Jump to the row of the value; the rows are sorted by their numbers, and ``less`` compares them."""
    if len(rows) <= _MOST_ROWS or value.type == "i1":
        c.build.terminate(f"switch {value}, label %{default} [ {' '.join(text for _, _, text in rows)} ]")
        return
    # Half of the switches below, all of which are full but the last.
    middle = -(-len(rows) // _MOST_ROWS) // 2 * _MOST_ROWS
    below, above = c.build.block("switch.below"), c.build.block("switch.above")
    c.build.branch(c.build.compare(f"icmp {less}", value, rows[middle][1]), below, above)
    c.build.start(below)
    _dispatch(c, value, rows[:middle], default, less)
    c.build.start(above)
    _dispatch(c, value, rows[middle:], default, less)


def _begin_varying(c: FunctionContext, node: tree.Switch, value: IR, end: MergePoint) -> SwitchTarget:
    live = masks.new_lanes(c, "live")
    c.build.store(zero(c.types.mask_storage), live.address, masks.storage_alignment(c))
    first = c.build.block("switch.label")
    # A lane that is off may hold poison; so no test of the value needs to be frozen.
    value = c.build.value(value.type, f"freeze {value}")
    in_line = _labels_in_line(node.body) == len(node.labels)
    c.build.jump(first)
    return SwitchTarget(
        Region(first),
        masks.all_off(c),
        c.mask,
        live,
        end,
        value=value,
        type=node.value.type,
        labels=node.labels,
        in_line=in_line,
    )


def _equal(c: FunctionContext, target: SwitchTarget, label: int | None) -> IR | None:
    assert target.type is not None and target.value is not None
    constant = label_constant(c, target.type, label)
    if constant is None:
        return None
    # The value has been frozen.
    return masks.sound(c, c.build.compare("icmp eq", target.value, splat_constant(c.width, constant)))


@lowers_statement(tree.CaseLabel)
def lower_case_label(c: FunctionContext, node: tree.CaseLabel) -> None:
    """Begins the code of a label: a block of its own, or a mask to which the label's lanes are added."""
    target = next(target for target in reversed(c.targets) if isinstance(target, SwitchTarget))
    if target.value is None:
        c.build.start(target.blocks[node.value])
        target.break_label = target.end.label()
        # Lanes that fall through may have been reduced; who comes from the dispatch finds the variables untouched.
        c.go_on(mask=masks.without_escaped(c, target.outer, c.touched), shrunk=bool(c.touched))
        return
    falls_through = c.build.reachable
    c.build.start(target.region.end)
    if target.in_line and len(target.labels) > 2 * _GROUP and target.seen % _GROUP == 0:
        _begin_group(c, target, falls_through)
    target.seen += 1
    joining = _default_lanes(c, target) if node.value is None else _joining(c, target, node.value)
    live = target.live
    assert live is not None
    mask = masks.disjunction(c, masks.read_lanes(c, live), joining) if falls_through else joining
    masks.write_lanes(c, live, mask)
    target.region = Region(c.build.block("switch.label"))
    c.go_on(mask=mask, region=target.region, shrunk=True)


def _joining(c: FunctionContext, target: SwitchTarget, label: int) -> IR:
    equal = _equal(c, target, label)
    return masks.all_off(c) if equal is None else masks.conjunction(c, target.outer, equal)


def _default_lanes(c: FunctionContext, target: SwitchTarget) -> IR:
    assert target.type is not None and target.value is not None
    labelled = with_label(c, target.value, target.type, target.labels)
    if labelled is None:
        return masks.explicit(c, target.outer)
    return masks.conjunction(c, target.outer, masks.sound(c, masks.inverse(c, labelled)))


def _begin_group(c: FunctionContext, target: SwitchTarget, falls_through: bool) -> None:
    """Skip the labels that follow where no lane is in and none has a value in their range."""
    if target.after_group:
        c.build.start(target.after_group)
        target.after_group = ""
    labels = target.labels[target.seen : target.seen + _GROUP]
    numbers = sorted(label for label in labels if label is not None)
    assert target.value is not None and target.type is not None and target.live is not None
    low, high = (label_constant(c, target.type, label) for label in (numbers[0], numbers[-1]))
    distance = numbers[-1] - numbers[0]
    if None in labels or low is None or high is None or distance >= 1 << int(low.type[1:]):
        return
    inside = masks.conjunction(c, target.outer, masks.sound(c, inside_range(c, target.value, low, high)))
    if falls_through:
        inside = masks.disjunction(c, masks.read_lanes(c, target.live), inside)
    look, target.after_group = c.build.block("switch.group"), c.build.block("switch.after_group")
    c.build.branch(masks.any_on(c, inside), look, target.after_group)
    c.build.start(look)


def _labels_in_line(node: tree.Statement) -> int:
    """How many labels are met when control runs straight through."""
    if isinstance(node, tree.Block):
        return sum(_labels_in_line(child) for child in node.statements)
    return isinstance(node, tree.CaseLabel)
