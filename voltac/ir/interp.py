"""Runs the IR, pseudo operations included: the oracle of passes and of code generators.

A function is translated once (``interp_translate.py``) to the form of ``interp_frame.py``, then executed.
``interp_values.py`` says what values are, ``interp_operations.py``, ``interp_elementwise.py``
and ``interp_intrinsics.py`` are the rows of meanings, ``interp_memory.py`` checks every access.

Stricter than a machine: poison is tracked element by element, and a poisoned
branch, address, divisor or mask is an error, as is any access outside an object.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from voltac.ir.interp_constants import constant
from voltac.ir.interp_frame import ALLOCATED, RESULT, ExecutionError, TranslatedBlock, TranslatedFunction
from voltac.ir.interp_library import EXTERNALS, External
from voltac.ir.interp_memory import CheckedMemory, Object
from voltac.ir.interp_translate import translate, translate_block
from voltac.ir.interp_values import ROUND, InstructionFault, Kind, KindTable, Value, encode, parts_of
from voltac.ir.model import Module
from voltac.ir.parts import Operand
from voltac.ir.scan import end_of_type, end_of_value
from voltac.system.deep_stack import deep_recursion
from voltac.system.lazy_patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt

    Argument = int | float | Sequence[Any] | npt.NDArray[np.generic]

_FRAMES_OF_PYTHON = 50_000
"""A call is a few frames; deeper recursion is a RecursionError, as on a machine the stack's end is."""


class IRInterpreter:
    """A module with its memory. ``externals`` are functions the module only declares."""

    def __init__(
        self,
        module: Module,
        *,
        pointer_bytes: int = 8,
        externals: Mapping[str, External] | None = None,
        block_limit: int = 20_000_000,
        new_is_poison: bool = True,
        line_bytes: int = 1,
    ) -> None:
        """``new_is_poison`` is for code of ours; LLVM reads padding as a part of wider numbers and shifts it out again.

        ``line_bytes`` is for devices: objects begin and end at lines, and so must arrays given to :meth:`call`.
        """
        self.module = module
        self.kinds = KindTable(module.layout(pointer_bytes))
        self.memory = CheckedMemory(new_is_poison, pointer_bytes, line_bytes)
        self._line_bytes = line_bytes
        self.externals: dict[str, External] = {**EXTERNALS, **(externals or {})}
        self.blocks_left = block_limit
        self.printed: list[str] = []
        """What the program wrote to standard output, piece by piece."""
        self._functions = {function.name: function for function in module.functions}
        self._codes: dict[str, TranslatedFunction] = {}
        self._addresses: dict[str, int] = {}
        self._function_at: dict[int, str] = {}
        self._make_globals()

    # --- from Python ---

    def call(self, name: str, arguments: Sequence[Argument]) -> Value:
        """Call a function with ints, floats, lists (vectors) and numpy arrays (pointers, read and written in place).

        Integers come back from 0 up: the sign is a matter of who looks at them.
        """
        code = self.code(name)
        with deep_recursion(_FRAMES_OF_PYTHON), self._mapped(arguments) as values:
            kinds = [self.kinds[parameter.type] for parameter in self._functions[name].parameters]
            if len(kinds) != len(values):
                raise TypeError(f"@{name} takes {len(kinds)} arguments, {len(values)} given")
            return self.run(code, [_normal(kind, value) for kind, value in zip(kinds, values)])

    @contextmanager
    def _mapped(self, arguments: Sequence[Argument]) -> Iterator[list[Value]]:
        """Arrays become objects in memory while the call runs; poison left in one is an error."""
        objects: dict[int, Object] = {}
        values: list[Value] = []
        for number, argument in enumerate(arguments):
            if not hasattr(argument, "dtype") or not hasattr(argument, "ctypes"):
                values.append(argument)
                continue
            if id(argument) not in objects:
                array: Any = argument
                data = memoryview(array.reshape(-1).view("uint8"))
                alignment = max(array.itemsize, self._line_bytes)
                objects[id(argument)] = self.memory.place(
                    f"argument {number}", data, defined=True, alignment=alignment, writable=array.flags.writeable
                )
            values.append(objects[id(argument)].base)
        try:
            yield values
            for placed in objects.values():
                at = placed.defined.find(0)
                if at >= 0:
                    raise ExecutionError(f"poison was stored to byte {at} of {placed.name}")
        finally:
            for placed in objects.values():
                self.memory.free(placed.base)

    # --- running ---

    def code(self, name: str) -> TranslatedFunction:
        """A function in the form that is executed, made when it is first asked for."""
        found = self._codes.get(name)
        if found is None:
            function = self._functions.get(name)
            if function is None:
                raise ExecutionError(f"no function is called @{name}")
            found = self._codes[name] = translate(self, function)
        return found

    def run(self, code: TranslatedFunction, arguments: Iterable[Value]) -> Value:
        """Execute a function's code on values; what it returns."""
        template = code.slots.template
        frame = template[:]
        for slot, value in zip(code.parameters, arguments):
            frame[slot] = value
        number, previous = 0, -1
        while number >= 0:
            self.blocks_left -= 1
            if self.blocks_left < 0:
                raise ExecutionError(f"in @{code.name}: too many steps, the program does not seem to end")
            block = code.blocks[number]
            leave = block.leave or translate_block(code, block)
            if len(frame) < len(template):
                frame += template[len(frame) :]
            if block.moves:
                slots, sources = block.moves[previous]
                for slot, value in zip(slots, [frame[source] for source in sources]):
                    frame[slot] = value
            step: Any = None
            try:
                for step in block.steps:
                    step(frame)
                step = leave
                previous, number = number, leave(frame)
            except InstructionFault as fault:
                raise ExecutionError(self._where(code, block, step, fault)) from fault
        if frame[ALLOCATED]:
            for base in frame[ALLOCATED]:
                self.memory.free(base)
        return frame[RESULT]

    def _where(self, code: TranslatedFunction, block: TranslatedBlock, step: object, fault: InstructionFault) -> str:
        position = next((number for number, other in enumerate(block.steps) if other is step), len(block.steps))
        return f"in @{code.name}, block {block.source.name}: {fault}\n  {block.origins[position].text.strip()}"

    def call_address(self, address: Value, arguments: list[Value]) -> Value:
        """An indirect call."""
        if address is None:
            raise InstructionFault("calls a poisoned address")
        name = self._function_at.get(address)
        if name is None:
            raise InstructionFault(f"calls {address:#x}, where no function is")
        return self.call_named(name, arguments)

    def call_named(self, name: str, arguments: list[Value]) -> Value:
        """Call a function of the module, of ``externals``, or an intrinsic."""
        if name in self._functions:
            return self.run(self.code(name), arguments)
        external = self.externals.get(name)
        if external is None:
            raise InstructionFault(f"calls @{name}, which has no body and no row here")
        return external(self, arguments)

    # --- globals and functions ---

    def address_of(self, name: str) -> int:
        """The address of ``@name``; functions get one when first asked for."""
        address = self._addresses.get(name)
        if address is None:
            placed = self.memory.allocate(f"function {name}", 0, 16)
            address = self._addresses[name] = placed.base
            self._function_at[address] = name[1:]
        return address

    def _make_globals(self) -> None:
        texts: list[tuple[Object, Kind, str]] = []
        for name, body in self.module.globals().items():
            alias = _ALIAS.search(body)
            if alias is not None:
                # What it is called with beyond the function's parameters stays where the caller put it.
                self._functions[name[1:]] = self._functions[alias[1]]
                continue
            found = _GLOBAL.search(body)
            if found is None:
                continue
            operand, _ = _typed_at(body, found.end())
            kind = self.kinds[operand.type]
            aligned = re.search(r", align (\d+)", body)
            placed = self.memory.allocate(name, kind.size, int(aligned.group(1)) if aligned else kind.alignment, defined=True)
            self._addresses[name] = placed.base
            if operand.value:
                texts.append((placed, kind, operand.value))
            placed.writable = found.group(1) == "global"
        for placed, kind, value in texts:
            encode(kind, constant(self.kinds, kind, value, self.address_of), placed.data, placed.defined, 0)


_ALIAS = lazy_pattern(r"^(?:\w+ )*alias .*, ptr @(.+)$")
_GLOBAL = lazy_pattern(r"\b(global|constant) ")


def _typed_at(body: str, position: int) -> tuple[Operand, int]:
    """The type and, unless it is external, the value of a global."""
    type_end = end_of_type(body, position)
    if not body.startswith(" ", type_end):
        return Operand(body[position:type_end], ""), type_end
    value_end = end_of_value(body, type_end + 1)
    return Operand(body[position:type_end], body[type_end + 1 : value_end]), value_end


def _normal(kind: Kind, value: Any) -> Value:
    """An argument from Python as a value of its type."""
    if kind.shape in ("vector", "array", "struct"):
        return [_normal(part, element) for part, element in zip(parts_of(kind), value)]
    if value is None:
        return None
    return ROUND[kind.bits](float(value)) if kind.shape == "float" else int(value) & kind.mask
