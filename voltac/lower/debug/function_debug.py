"""Places and variables of the source, while a function is written -> what instructions and records have behind them."""

from __future__ import annotations

from voltac.lower.debug.debug_info import DebugInfo
from voltac.lower.memory.address import Address
from voltac.lower.text.function_builder import FunctionBuilder
from voltac.lower.text.ir_values import IR, vector_type
from voltac.messages.message import Span
from voltac.sema import tree
from voltac.target_info import TargetInfo


class FunctionDebug:
    """The place and the scope of what is being written, in one function."""

    def __init__(
        self, module: DebugInfo, build: FunctionBuilder, symbol: tree.FunctionSymbol, body: tree.Block, target: TargetInfo
    ) -> None:
        self._module, self._build, self._symbol, self._body, self._target = module, build, symbol, body, target
        self._scope, self._kept = module.subprogram(symbol)
        self.span: Span = symbol.span
        """The place of the source that is being lowered; accesses to memory set it to their own."""
        self.attribute = f" !dbg {self._scope}"
        """Of the definition."""
        build.place_of_call = self.attachment

    @property
    def keeps_values(self) -> bool:
        """Does a value need a place in memory to be seen as long as its variable is in scope?"""
        return self._module.full and not self._module.optimized

    # --- scopes and places

    def inside(self, span: Span) -> _Scope:
        """``with``: a scope of variables, where there is full information."""
        full = self._module.full and span.line
        return _Scope(self, self._module.block(self._scope, span) if full else self._scope)

    def inside_block(self, node: tree.Block) -> _Scope:
        """As :meth:`inside`, if the block declares variables of its own."""
        if self._module.full and node is not self._body and _opens_scope(node):
            return self.inside(node.span)
        return _Scope(self, self._scope)

    def at(self, span: Span) -> None:
        """What is emitted from here on belongs to this place of the source."""
        if not span.line:
            return
        self.span = span
        if self._module.every_place:
            self._build.location = f", !dbg {self._module.location(self._scope, span)}"

    def at_end(self) -> None:
        """What is emitted from here on belongs to the closing brace of the function."""
        span = self._body.span
        if span.end_line:
            self.at(Span(span.file, span.end_line, max(1, span.end_column - 1), span.end_line, span.end_column))

    def finish(self) -> None:
        """Nothing more is written: what holds each other is let go at once, not when Python looks for such."""
        self._build.place_of_call = str

    def attachment(self) -> str:
        """What an access or a call has behind it."""
        return f", !dbg {self._module.location(self._scope, self.span)}"

    # --- variables

    def declare(self, symbol: tree.VariableSymbol, address: Address, *, indirect: bool = False) -> None:
        """A variable lies at an address; ``indirect``: at the address that lies there."""
        if not self._module.full:
            return
        if address.as_mask and self._target.mask_bits == 1 and not self._module.optimized:
            self._record(symbol, "#dbg_declare", address.pointer, *_bytes_of_bits(self._target.width), as_mask=False)
            return
        expression = "!DIExpression(DW_OP_deref)" if indirect else "!DIExpression()"
        self._record(symbol, "#dbg_declare", address.pointer, expression, as_mask=address.as_mask)

    def value(self, symbol: tree.VariableSymbol, value: IR) -> None:
        """A variable has this value until it is told another one; of masks nothing is told."""
        if self._module.full and value.type != vector_type(self._target.width, "i1"):
            self._record(symbol, "#dbg_value", value, "!DIExpression()", as_mask=False)

    def static_variable(self, symbol: tree.VariableSymbol, name: str) -> None:
        """A static variable of the function, which is the global ``name``."""
        self._module.global_variable(symbol, name, self._scope)

    def _record(self, symbol: tree.VariableSymbol, kind: str, what: IR, *expressions: str, as_mask: bool) -> None:
        if not symbol.span.line or not self._build.reachable:
            return
        parameters = self._symbol.parameters
        number = parameters.index(symbol) + 1 if symbol in parameters else 0
        variable, new = self._module.local_variable(self._scope, symbol, number, self._kept, as_mask)
        if not new and kind == "#dbg_declare":
            # LLVM wants one address of a variable, and a copy of a statement may have no scope of its own.
            return
        location = self._module.location(self._scope, symbol.span)
        for expression in expressions:
            self._build.debug_record(f"{kind}({what}, {variable}, {expression}, {location})")


class _Scope:
    """What :meth:`FunctionDebug.inside` gives."""

    __slots__ = ("_debug", "_inside", "_outside")

    def __init__(self, debug: FunctionDebug, inside: str) -> None:
        self._debug, self._inside, self._outside = debug, inside, debug._scope

    def __enter__(self) -> None:
        self._debug._scope = self._inside

    def __exit__(self, *failure: object) -> None:
        self._debug._scope = self._outside


_EACH_BYTE, _OWN_BIT = 0x0101010101010101, 0x8040201008040201
_BELOW_TOP, _TOP = 0x7F7F7F7F7F7F7F7F, 0x8080808080808080
"""Eight bytes each: a 1 to repeat a byte, of byte i only bit i, what carries any bit into the highest, and that one."""


def _bytes_of_bits(width: int) -> list[str]:
    """A mask of one bit a lane as an object of a byte a lane: gdb cannot take a single element out of packed bits.

    Eight lanes at a time: a byte of the mask is repeated in each byte of a word, where one
    bit of it is left, which ends up as the lowest of its byte.
    """
    expressions = []
    for byte in range(-(-width // 8)):
        steps = [f"DW_OP_plus_uconst, {byte}"] if byte else []
        steps += ["DW_OP_deref_size, 1"]
        for number, operation in ((_EACH_BYTE, "mul"), (_OWN_BIT, "and"), (_BELOW_TOP, "plus"), (_TOP, "and"), (7, "shr")):
            steps += [f"DW_OP_constu, {number}, DW_OP_{operation}"]
        steps += ["DW_OP_stack_value"]
        if width > 8:
            steps += [f"DW_OP_LLVM_fragment, {64 * byte}, 64"]
        expressions.append(f"!DIExpression({', '.join(steps)})")
    return expressions


def _opens_scope(node: tree.Block) -> bool:
    """Do declarations end with the block?"""
    return not _is_transparent(node) and _declares(node)


def _is_transparent(node: tree.Block) -> bool:
    """Is it a block only in the tree: a labelled statement, or declarations of several variables?"""
    statements = node.statements
    labelled = bool(statements) and isinstance(statements[0], tree.CaseLabel | tree.Label)
    return labelled or all(isinstance(statement, tree.Declare) for statement in statements)


def _declares(node: tree.Block) -> bool:
    """Does it have declarations in its own scope? Looks into no block that is a scope, so that nests take linear time."""
    return any(
        isinstance(statement, tree.Declare)
        or (isinstance(statement, tree.Block) and _is_transparent(statement) and _declares(statement))
        for statement in node.statements
    )
