"""Compiles a program with its all-on and with its masked paths, and measures both on generated arguments.

The assembly of a coherent statement is taken from the ordinary program, which has
both paths; a foreach is compiled once with whole gangs only and once with the mask
computed in every iteration, so that both are loops. Timed code runs in a child
process: a kernel may not like the arguments that were made up for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from voltac.llvm.host import can_run
from voltac.pipeline import Compilation
from voltac.python.building import Build
from voltac.python.device_compare import measured_on_device
from voltac.python.generated_arguments import generated_arguments, range_parameters
from voltac.python.source import Source
from voltac.python.timed_calls import ChildFailed, in_child, timer, timing
from voltac.report import assembly, comparison, device_assembly
from voltac.report.comparison_page import comparison_fragment, comparison_page
from voltac.report.measure import Ratio, interleaved, median_interval
from voltac.report.paths import Statement, block_names, described_block, keyword, path_blocks, statements
from voltac.report.repeats import of_statement, repeats_of
from voltac.sema import tree

_ELEMENTS = 4096
"""That kernels are measured on."""

Blocks = dict[str, list[assembly.AssemblyBlock]]


@dataclass(frozen=True)
class Comparison:
    """What ``compare`` found, one entry a function; prints as text."""

    functions: tuple[comparison.FunctionComparison, ...]

    def text(self, columns: int = 120) -> str:
        """A table for a terminal of so many columns."""
        return comparison.to_text(list(self.functions), columns)

    def html(self, title: str = "All-on and masked paths") -> str:
        """One page that needs nothing besides itself, with a chart."""
        return comparison_page(self.functions, title)

    def json(self) -> str:
        """A list with one object a function, for tools."""
        return comparison.to_json(list(self.functions))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return comparison_fragment(self.functions)


def compare(
    build: Build,
    source: Source,
    function: str | None = None,
    *,
    arguments: Sequence[Any] | None = None,
    elements: int | None = None,
    rounds: int = 25,
) -> Comparison:
    """Compare both paths of one exported function, or of all.

    ``arguments`` are used instead of generated ones; ``elements`` is the range the
    generated ones cover (the product, where a kernel has several dimensions), 4096
    or as many as a device has room for unless it is given.
    Raises :class:`voltac.CompileError`, and ValueError for an unknown function.
    """
    target = source.options.target
    if not source.text:
        raise ValueError(f"{source.file} is a finished program: only its source has both paths")
    if elements is not None and elements < target.width:
        raise ValueError(f"elements is {elements}; one gang of {target.name} alone has {target.width}")
    # Each is compiled once: what is kept for the texts is also run.
    source = replace(source)
    compiled = source.kept
    variants = _variants(source)
    texts = _texts(source, variants)
    exports = [symbol for symbol in compiled.program.exports if function in (None, symbol.name)]
    if not exports:
        names = ", ".join(symbol.name for symbol in compiled.program.exports)
        raise ValueError(f"no exported function is called '{function}'; there are: {names or 'none'}")
    found = []
    for symbol in exports:
        constructs = tuple(_construct(node, symbol.name, texts, source) for node in statements(symbol))
        result = _without_times(symbol, source, constructs)
        if not target.is_device and not can_run(target):
            note = f"this CPU cannot run {target.name}: no times"
            found.append(replace(result, note=note))
            continue
        if not constructs:
            found.append(replace(result, note="no foreach and no coherent statement: there is one path only"))
            continue
        found.append(_measured(build, result, compiled, source, variants, arguments, elements, rounds))
    return Comparison(tuple(found))


def constructs(source: Source, function: str | None = None) -> dict[str, tuple[comparison.Construct, ...]]:
    """Both paths of each statement that has two, without times, of one exported function or of all; three compilations."""
    texts = _texts(source, _variants(source))
    symbols = [one for one in source.kept.program.exports if function in (None, one.name)]
    return {one.name: tuple(_construct(node, one.name, texts, source) for node in statements(one)) for one in symbols}


def _variants(source: Source) -> dict[str, Source]:
    return {
        "all on": replace(source, options=replace(source.options, masked_paths=False)),
        "masked": replace(source, options=replace(source.options, all_on_paths=False)),
    }


def _texts(source: Source, variants: dict[str, Source]) -> dict[str, Blocks]:
    made = {name: one.kept for name, one in {**variants, "both": source}.items()}
    read = device_assembly.functions if source.options.target.is_device else partial(assembly.functions, file=source.file)
    return {name: read(one.product.assembly(comments=True)) for name, one in made.items()}


def _construct(node: Statement, function: str, texts: dict[str, Blocks], source: Source) -> comparison.Construct:
    all_on, masked = block_names(node)
    lines = source.text.splitlines()
    device = source.options.target.name if source.options.target.is_device else ""

    def path(name: str, start: str) -> comparison.Path:
        blocks = texts[name if isinstance(node, tree.Foreach) else "both"].get(function, [])
        places = {block.label: described_block(block.name) for block in blocks if block.label}
        return comparison.Path(name, path_blocks(blocks, node, start), places, device)

    line = lines[node.span.line - 1] if node.span.line <= len(lines) else ""
    repeats = of_statement(repeats_of(source.kept.product.assembly()), all_on.rpartition(".")[0]) if device else ()
    both = path("all on", all_on), path("masked", masked)
    return comparison.Construct(keyword(node), node.span.line, node.span.column, line, *both, repeats)


def _without_times(
    symbol: tree.FunctionSymbol, source: Source, constructs: tuple[comparison.Construct, ...]
) -> comparison.FunctionComparison:
    parameters = ", ".join(f"{parameter.type} {parameter.name}" for parameter in symbol.parameters)
    target = source.options.target
    return comparison.FunctionComparison(
        symbol.name, f"{symbol.name}({parameters})", target.name, target.width, constructs, 0, None, None, (), ""
    )


# --- times ------------------------------------------------------------------------------------------------------


def _measured_where_there_is_room(
    build: Build,
    result: comparison.FunctionComparison,
    compiled: Compilation,
    source: Source,
    variants: dict[str, Source],
    arguments: Sequence[Any] | None,
    rounds: int,
) -> comparison.FunctionComparison:
    """On a device, whose memory may be small: of fewer and fewer elements."""
    elements = _ELEMENTS
    while True:
        try:
            return _measured(build, result, compiled, source, variants, arguments, elements, rounds)
        except MemoryError as error:
            elements //= 2
            if arguments is not None or elements < result.width:
                return replace(result, note=f"no cycles: {error}")


def _measured(
    build: Build,
    result: comparison.FunctionComparison,
    compiled: Compilation,
    source: Source,
    variants: dict[str, Source],
    arguments: Sequence[Any] | None,
    elements: int | None,
    rounds: int,
) -> comparison.FunctionComparison:
    symbol = next(one for one in compiled.program.exports if one.name == result.function)
    kernel: Any = build(source)[symbol.name]
    if any(row.kind == "function" for row in kernel.parameters):
        return replace(result, note="it takes a function: no arguments can be made up, so there are no times")
    if elements is None and source.options.target.is_device:
        return _measured_where_there_is_room(build, result, compiled, source, variants, arguments, rounds)
    elements = elements or _ELEMENTS
    ranges = range_parameters(symbol)
    side = max(1, round(elements ** (1 / max(1, len(ranges)))))
    width = result.width
    side -= side % width if side >= width else 0
    if arguments is not None:
        made: Callable[[int], list[Any]] = lambda extra: list(arguments)  # noqa: E731
        count, described = elements, f"the given arguments, counted as {elements} elements"
    else:
        arrays = generated_arguments(kernel, ranges, side, width - 1)
        made = lambda extra: [  # noqa: E731
            side + extra if row.name in ranges else given for row, given in zip(kernel.parameters, arrays, strict=True)
        ]
        count = side ** max(1, len(ranges))
        described = f"generated arguments: {', '.join(f'{name} = {side}' for name in ranges) or f'{count} elements'}"

    if source.options.target.is_device:
        has_tails = arguments is None and bool(ranges)
        return measured_on_device(build, result, variants, source, made, count, described, has_tails)
    pair: dict[str, Any] = {name: build(one)[symbol.name] for name, one in variants.items()}

    def measure() -> tuple[list[list[float]], list[list[float]]]:
        whole = made(0)
        paths = interleaved({name: timer(one, whole) for name, one in pair.items()}, rounds)
        tails: dict[str, list[float]] = {}
        if arguments is None and ranges:
            tails = interleaved({str(extra): timer(kernel, made(extra)) for extra in range(width)}, rounds)
        return [paths["all on"], paths["masked"]], list(tails.values())

    try:
        paths, tails = in_child(measure)
    except ChildFailed as failure:
        return replace(result, note=f"no times: {failure}; give arguments of your own: kernel.compare(arguments=[...])")
    return replace(
        result,
        elements=count,
        all_on=timing(paths[0], count),
        masked=timing(paths[1], count),
        ratio=Ratio(*median_interval(masked / all_on for all_on, masked in zip(*paths, strict=True))),
        tails=tuple(timing(times, 1) for times in tails),
        tail_costs=tuple(
            comparison.Timing(*median_interval(longer - whole for whole, longer in zip(tails[0], times, strict=True)))
            for times in tails
        ),
        arguments=described,
    )
