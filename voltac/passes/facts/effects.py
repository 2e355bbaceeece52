"""Whether an instruction may touch the memory of an access: what may be moved past what."""

from __future__ import annotations

from functools import cached_property

from voltac.ir.lane_values import LaneValues
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.parts import LANEWISE_INTRINSICS
from voltac.passes.accesses.access import Touched, touched_range, with_base
from voltac.system.lazy_patterns import lazy_pattern

_DECLARED = lazy_pattern(r'@("[^"]*"|[-\w$.]+)\(')
_INTRINSIC = lazy_pattern(r"@llvm\.(\w+)\.")
_GROUP = lazy_pattern(r"#\d+")
_TOUCHES_NOTHING = (
    *("@llvm.lifetime.", "@llvm.assume", "@llvm.dbg.", "@llvm.prefetch", "@llvm.sideeffect"),
    *("@volta.divisor.", "@llvm.experimental.noalias.scope.decl"),
)
"""Operations that tell LLVM, or a pass, something; the last stands wherever a function with pointer parameters was inlined."""
_READS = ("@volta.gather.", "@volta.load.")
"""Of gangs of any width, of which a pass may have put some that nothing declares."""
_CHOICES = {"phi": slice(None), "select": slice(1, 3), "getelementptr": slice(1)}
"""Operation -> which operands its pointer may be counted from."""


class FunctionEffects:
    """Answers for the instructions of one function."""

    def __init__(self, module: ModuleEffects, function: Function, values: LaneValues) -> None:
        self._module = module
        self._values = values
        self._own_memory: set[str] = set()
        """Roots that nothing else in the function points to unless it is counted from them."""
        for parameter in function.parameters:
            if parameter.type == "ptr" and "noalias" in parameter.attributes.split():
                self._own_memory.add(parameter.name)
        self._parameters = {parameter.name for parameter in function.parameters}
        self._chosen: dict[str, frozenset[str]] = {}
        self._last: tuple[Instruction, Touched] | None = None
        """The last plain access that was asked about: the next question is mostly of the same."""

    @cached_property
    def _allocas(self) -> set[str]:
        return {name for name, made in self._values.definitions.items() if made.op == "alloca"}

    def may_write(self, instruction: Instruction, memory: Touched) -> bool:
        """Whether the instruction may change the memory, or may not come back at all."""
        if instruction.op in ("load", "store"):
            parts = instruction.parts
            if "volatile" in parts.flags or parts.ordering:
                return True
            return instruction.op == "store" and self.may_overlap(self._plain(instruction), memory)
        return self._call_may(instruction, "write")

    def may_touch(self, instruction: Instruction, memory: Touched) -> bool:
        """Whether the instruction may read or change the memory, or may not come back."""
        if instruction.op in ("load", "store"):
            parts = instruction.parts
            return "volatile" in parts.flags or bool(parts.ordering) or self.may_overlap(self._plain(instruction), memory)
        return self._call_may(instruction, "read")

    def may_stop(self, instruction: Instruction) -> bool:
        """Whether what follows the instruction may never be reached."""
        return instruction.op == "call" and self._module.effect(instruction.parts.callee) == "any"

    def is_pure(self, call: Instruction) -> bool:
        """Whether all that a call does is its result."""
        return self._module.effect(call.parts.callee) == "none"

    def _call_may(self, instruction: Instruction, what: str) -> bool:
        if instruction.op != "call":
            return instruction.op in ("atomicrmw", "cmpxchg", "fence")
        effect = self._module.effect(instruction.parts.callee)
        return effect == "any" or (what == "read" and effect == "read")

    def _plain(self, instruction: Instruction) -> Touched:
        if self._last is None or self._last[0] is not instruction:
            self._last = instruction, self._touched(instruction)
        return self._last[1]

    def _touched(self, instruction: Instruction) -> Touched:
        pointer = instruction.operands[-1]
        type_text = instruction.type if instruction.op == "load" else instruction.operands[0].type
        address = with_base(self._values.scalar("ptr", pointer.value))
        if address is None:
            return Touched(None)
        low = address.offsets[0]
        return touched_range(address, low, low + self._values.layout.size(type_text))

    def may_overlap(self, first: Touched, second: Touched) -> bool:
        """Whether a byte may belong to both; True where nothing is known."""
        if first.root != second.root and first.root and second.root:
            return not self._distinct(first.root, second.root)
        if first.address is None or second.address is None:
            return True
        if first.address.terms == second.address.terms:
            return first.low < second.high and second.low < first.high and not first.passes_between(second)
        return True

    def _distinct(self, first: str, second: str) -> bool:
        """Whether two roots certainly point to different objects, whichever of them it is at a time."""
        ones, others = self._objects_of(first), self._objects_of(second)
        return all(self._are_different(one, other) for one in ones for other in others)

    def _objects_of(self, root: str) -> frozenset[str]:
        """What a pointer may be counted from: buffers that change places are chosen by phis. The rest is its own root."""
        made = self._values.definitions.get(root)
        if made is None or made.op not in _CHOICES:
            return frozenset((root,))
        if root not in self._chosen:
            ends, seen, work = set[str](), set[str](), [root]
            while work:
                name = work.pop()
                if name in seen:
                    continue
                seen.add(name)
                made = self._values.definitions.get(name)
                if made is not None and made.op in _CHOICES and made.type == "ptr":
                    work += [each.value for each in made.operands[_CHOICES[made.op]]]
                else:
                    ends.add(name)
            self._chosen[root] = frozenset(ends)
        return self._chosen[root]

    def _are_different(self, first: str, second: str) -> bool:
        if first == second:
            return False
        for one, other in ((first, second), (second, first)):
            if one in self._allocas and (other in self._allocas or other in self._parameters or other[0] == "@"):
                return True
            if one in self._own_memory and (other in self._allocas or other in self._parameters or other[0] == "@"):
                return True
            if one[0] == "@" and self._module.is_constant(one):
                return True
        return self._module.is_object(first) and self._module.is_object(second)


def module_effects(module: Module) -> ModuleEffects:
    """Of a module as it is now, found once for all passes as long as no lines are added."""
    return module.remembered(ModuleEffects, lambda: ModuleEffects(module))


class ModuleEffects:
    """What functions and globals of a module are known to do or be."""

    def __init__(self, module: Module) -> None:
        self._groups: dict[str, str] = {}
        self._callees: dict[str, str] = {}
        self._effects: dict[str, str] = {}
        """Callee -> what has been answered."""
        self._constants: set[str] = set()
        self._objects: set[str] = set()
        declarations: list[str] = []
        for line in module.lines():
            if line.startswith("attributes #"):
                name, _, body = line[len("attributes ") :].partition(" = ")
                self._groups[name] = body
            elif line.startswith("declare "):
                declarations.append(line)
            elif line.startswith("@"):
                name, _, body = line.partition(" = ")
                self._objects.add(name)
                if " constant " in f" {body} ":
                    self._constants.add(name)
        for line in declarations:
            found = _DECLARED.search(line)
            if found:
                text = line + " ".join(self._groups.get(group, "") for group in _GROUP.findall(line))
                self._callees["@" + found.group(1)] = text

    def effect(self, callee: str) -> str:
        """``none``, ``read`` or ``any``; a call that may not come back is ``any``."""
        if callee not in self._effects:
            self._effects[callee] = self._effect(callee)
        return self._effects[callee]

    def _effect(self, callee: str) -> str:
        if (intrinsic := _INTRINSIC.match(callee)) and intrinsic[1] in LANEWISE_INTRINSICS:
            # Also where a pass has put it for other lanes, and no attributes say so.
            return "none"
        if callee.startswith(_READS):
            return "read"
        text = self._callees.get(callee, "")
        if "willreturn" not in text and not callee.startswith("@llvm."):
            return "any"
        if "memory(none)" in text:
            return "none"
        if callee.startswith(_TOUCHES_NOTHING):
            return "none"
        if "memory(read)" in text or "memory(argmem: read)" in text:
            return "read"
        return "any"

    def is_constant(self, name: str) -> bool:
        """Whether ``name`` is a global that nobody writes to."""
        return name in self._constants

    def is_object(self, name: str) -> bool:
        """Whether ``name`` is a global of this module: an object apart from all others."""
        return name in self._objects
