"""What the accesses of a block come behind: those that may touch the same bytes, and whatever has other effects.

Accesses are looked up by their places, so a long block takes time for those that may meet only.
"""

from __future__ import annotations

from voltac.codegen.addresses import place_of
from voltac.ir.match import Definitions, source
from voltac.ir.model import Block, Function, Instruction

_WORD = 4
"""Bytes of the accesses there are: narrower ones are taken for as wide."""
_Origin = tuple[str, int, str]
"""The object, bytes from an address near to the access, and that address."""
_Numbered = tuple[int, Instruction]
"""An access, by its number in the block."""


class MemoryOrder:
    """Of the blocks of a function."""

    def __init__(self, function: Function, definitions: Definitions) -> None:
        self.definitions = definitions
        self._origins: dict[str, _Origin] = {}
        self._objects = {one.name for one in function.parameters if "noalias" in one.attributes.split()}
        """Pointers to memory that no other of these points to."""
        self._objects |= {name for name, made in definitions.items() if made.op == "alloca"}

    def of(self, block: Block) -> dict[int, list[Instruction]]:
        """``id`` of what touches memory, or has other effects -> what it comes behind."""
        found: dict[int, list[Instruction]] = {}
        stores, loads = _Accesses(self._objects), _Accesses(self._objects)
        fence: list[Instruction] = []
        for number, instruction in enumerate(block.instructions):
            if instruction.op in ("load", "store"):
                origin = self._origin(instruction.operands[-1].value)
                is_load = instruction.op == "load"
                met = stores.meeting(origin) if is_load else [*stores.meeting(origin), *loads.meeting(origin)]
                found[id(instruction)] = [*fence, *met]
                (loads if is_load else stores).add(origin, (number, instruction))
            elif instruction.is_terminator or _has_effect(instruction):
                found[id(instruction)] = [*fence, *stores.all(), *loads.all()]
                fence = [instruction]
                stores, loads = _Accesses(self._objects), _Accesses(self._objects)
        return found

    def _origin(self, pointer: str) -> _Origin:
        if pointer not in self._origins:
            near, offset = place_of(pointer, self.definitions)
            object = source(near, ("getelementptr", "bitcast", "freeze"), self.definitions)
            self._origins[pointer] = object, offset, near
        return self._origins[pointer]


class _Accesses:
    """By object, by address near to them, by bytes from there."""

    def __init__(self, objects: set[str]) -> None:
        self.objects = objects
        self.places: dict[str, dict[str, dict[int, list[_Numbered]]]] = {}

    def add(self, origin: _Origin, access: _Numbered) -> None:
        object, offset, near = origin
        self.places.setdefault(object, {}).setdefault(near, {}).setdefault(offset, []).append(access)

    def all(self) -> list[Instruction]:
        """In the order of the block."""
        return _in_order([one for place in self.places.values() for near in place.values() for one in _of_place(near)])

    def meeting(self, origin: _Origin) -> list[Instruction]:
        """Those that may touch the same bytes: not those of two objects, or of different places of one."""
        object, offset, near = origin
        found: list[_Numbered] = []
        for other, places in self.places.items():
            if other != object and other in self.objects and object in self.objects:
                continue
            for address, by_offset in places.items():
                if (other, address) != (object, near):
                    found += _of_place(by_offset)
                    continue
                for at in range(offset - _WORD + 1, offset + _WORD):
                    found += by_offset.get(at, ())
        return _in_order(found)


def _of_place(by_offset: dict[int, list[_Numbered]]) -> list[_Numbered]:
    return [one for accesses in by_offset.values() for one in accesses]


def _in_order(accesses: list[_Numbered]) -> list[Instruction]:
    return [instruction for _, instruction in sorted(accesses, key=lambda one: one[0])]


def _has_effect(instruction: Instruction) -> bool:
    return instruction.op == "call" and not instruction.parts.callee.startswith(
        ("@llvm.", "@ipu.from_half", "@ipu.to_half", "@ipu.rounded.")
    )
