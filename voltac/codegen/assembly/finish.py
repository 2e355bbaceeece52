"""The end of an assembly text: every symbol has its value, so words and data get theirs."""

from __future__ import annotations

from collections.abc import Callable

from voltac.codegen.assembly.expressions import UNKNOWN, AssemblyValue
from voltac.codegen.assembly.lines import BadStatement, LinePiece, SourceLine
from voltac.codegen.assembly.operands import chosen_row
from voltac.codegen.assembly.state import LOCAL, AssemblyState, WaitingData, WaitingInstruction, data_bytes
from voltac.codegen.encoding import encode
from voltac.codegen.object_file import Relocation, Symbol
from voltac.messages.message import Span
from voltac.messages.suggestions import suggestion

Report = Callable[[BadStatement, SourceLine], None]


def finish(state: AssemblyState, report: Report) -> None:
    """Fill in what waits; addresses become relocations. Mistakes are reported."""
    for instruction in state.instructions:
        try:
            _word(state, instruction)
        except BadStatement as wrong:
            report(wrong, instruction.line)
    for data in state.data:
        if data.section.name in state.not_loaded:
            continue
        try:
            _data(state, data)
        except BadStatement as wrong:
            report(wrong, data.line)
    for name, (piece, line, context) in state.sizes.items():
        try:
            state.final_sizes[name] = state.final_value(piece, context).number
        except BadStatement as wrong:
            report(wrong, line)
    _symbols(state, report)
    state.made.sections = {
        name: section for name, section in state.made.sections.items() if section.size and name not in state.not_loaded
    }


def _word(state: AssemblyState, waiting: WaitingInstruction) -> None:
    values: list[int | AssemblyValue] = [
        value if isinstance(value, int) else known or state.final_value(value, waiting.context)
        for value, known in zip(waiting.matched.operands, waiting.known)
    ]
    row, numbers, address = chosen_row(waiting.matched, values, state.device)
    word = encode(row, numbers, state.device) | waiting.or_bits
    size = state.device.word_bytes
    waiting.section.content[waiting.offset : waiting.offset + size] = word.to_bytes(size, "little")
    if address is not None:
        index = next(index for index, value in enumerate(values) if value is address)
        part, piece = state.device.immediates[row.operands[index].kind].part, waiting.matched.operands[index]
        place = waiting.line.span(piece.begin, piece.end) if isinstance(piece, LinePiece) else waiting.line.whole()
        _refer(state, waiting.section.name, waiting.offset, part, address, place)


def _data(state: AssemblyState, waiting: WaitingData) -> None:
    value = state.final_value(waiting.piece, waiting.context)
    if not value.section:
        content = data_bytes(value.number, waiting.size, waiting.piece)
        waiting.section.content[waiting.offset : waiting.offset + waiting.size] = content
    elif waiting.size not in (4, 8):
        raise waiting.piece.wrong(f"'{waiting.piece.text}' is an address, which takes 4 bytes: '.long'")
    else:
        # Of 8 bytes the upper half is zero: addresses have 32 bits.
        place = waiting.line.span(waiting.piece.begin, waiting.piece.end)
        _refer(state, waiting.section.name, waiting.offset, "absolute", value, place)


def _refer(state: AssemblyState, section: str, offset: int, part: str, address: AssemblyValue, place: Span) -> None:
    symbol, addend = state.symbol_of(address)
    state.made.relocations.append(Relocation(section, offset, part, symbol, addend, place.line, place))


def _symbols(state: AssemblyState, report: Report) -> None:
    symbols = state.made.symbols
    for name, (value, _) in state.labels.items():
        if not name.startswith(LOCAL):
            symbols[name] = Symbol(name, value.section, value.number, name in state.exported)
    for name, line in state.exported.items():
        assigned = state.assigned.get(name)
        if assigned is not None:
            value = state.final_value(assigned.piece, assigned.context)
            if value.section == UNKNOWN:
                report(BadStatement(f"'{name}' is the address of '{value.symbol}', which is defined nowhere"), line)
            else:
                symbols[name] = Symbol(name, value.section, value.number, True)
        elif name not in state.labels and not any(place.symbol == name for place in state.made.relocations):
            report(BadStatement(f"'.globl {name}': there is no such label{suggestion(name, state.labels)}"), line)
