"""A function of legal IR -> device instructions over virtual registers, by a target's rules and functions.

Blocks are walked from the last to the first and each from its end, so an
operation is selected only when something selected before asked for its result:
what a rule took into another instruction is never made. Values that need no
instruction (constants, addresses of the frame) are made once for the places
that use them, outside of loops (``codegen/constant_placement.py``); phis become copies
at the end of the blocks before (``codegen/phi_copies.py``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable

from voltac.codegen.machine_code import (
    AnyRegister,
    Immediate,
    LabelOperand,
    MachineBlock,
    MachineFunction,
    MachineInstruction,
    MemoryOperand,
    Value,
    VirtualRegister,
)
from voltac.codegen.patterns import SPLAT, Any, ConstantPattern, Operation, Pattern, SelectionRule, Step
from voltac.codegen.rows import InstructionSet
from voltac.ir.cfg import control_flow
from voltac.ir.model import Block, Function, Instruction, Module
from voltac.ir.parts import Operand
from voltac.records import record

Bindings = dict[str, "Operand | int"]
Mask = VirtualRegister | Immediate


@record(eq=False)
class SelectionTarget:
    """What a target tells the selection."""

    instructions: InstructionSet
    rules: dict[str, list[SelectionRule]]
    functions: dict[str, Callable[[Selection, Instruction], None]]
    """What rules cannot say: by key, asked before the rules, or by operation, asked after them."""
    prepare: Callable[[Selection], None]
    """Changes of the function before its first instruction is selected."""
    key: Callable[[Selection, Instruction], str]
    """Operation and shapes, as rules write them."""
    kind_of: Callable[[str], str]
    """Register class of an IR type."""
    predicates: dict[str, Callable[[Operand], int | None]]
    """The immediate for a constant operand, None where it does not fit."""
    constant_key: Callable[[Selection, Operand], Hashable | None]
    """A name for a value that needs no operation; equal names are made once."""
    make_constant: Callable[[MachineFunction, AnyRegister, Hashable], list[MachineInstruction]]
    cheap_constant: Callable[[Hashable], bool]
    """Whether one instruction makes it."""
    literal: Callable[[int], Hashable]
    """The name of an ``=5`` of a rule."""
    splat_of: Callable[[Selection, Operand], Operand | None]
    """The scalar that is in every lane of an operand."""
    transparent: frozenset[str]
    """Keys of operations whose result is their operand, in the same register."""
    pure: Callable[[str], bool]
    """Whether a call of a function (with its ``@``) may be left out or moved."""
    copy: Callable[[AnyRegister, AnyRegister], MachineInstruction]
    jump: Callable[[str], MachineInstruction]
    """The end of a block that one other follows."""
    take_parameters: Callable[[Selection], None]
    """Emits what brings the parameters into their registers."""
    lane_of: Callable[[Selection, Operand], tuple[Operand, int] | None] = lambda selection, operand: None
    """The pair of which an operand is a lane, and which one: it is read where it is."""


class CannotSelect(Exception):
    """An operation that no rule of the target knows: legalisation should have removed it."""


class Selection:
    """The state of selecting one function, which a target's functions work on."""

    def __init__(self, target: SelectionTarget, module: Module, function: Function) -> None:
        self.target = target
        self.module = module
        self.function = function
        self.flow = control_flow(function)
        self.machine = MachineFunction(label_of(function.name))
        self.definitions: dict[str, Instruction] = {}
        self.block_of: dict[str, str] = {}
        self.splats: dict[str, Operand] = {}
        """Vectors that are one scalar in every lane."""
        self.frame_slots: dict[str, int] = {}
        """Names of allocas -> their slots."""
        self.constants: dict[Hashable, VirtualRegister] = {}
        self.behind: dict[str, list[MachineInstruction]] = {}
        """What comes right behind the definition of a value: other addresses off one base, ..."""
        self.out: list[MachineInstruction] = []
        """Instructions of the operation being selected, in order."""
        self.block = ""
        """The IR block being selected."""
        self.line = 0
        self.more_blocks: dict[str, list[MachineBlock]] = {}
        """Blocks of the assembly behind the one of an IR block that make one operation together (a switch's comparisons)."""
        self.derived: dict[Hashable, VirtualRegister] = {}
        """Values that the target computes once behind others, by a name of its making."""
        self.users: dict[str, list[Instruction]] = {}
        """Who uses a value; twice who takes it twice."""
        self.needed: set[str] = set()
        """Values that something with an effect depends on."""
        self.private_parameters: set[str] = set()
        """Pointers to memory that nothing else points to."""
        self._registers: dict[str, VirtualRegister] = {}
        self._demanded: set[str] = set()
        self._visited: set[str] = set()
        self._keys: dict[int, str] = {}
        self._read_function()

    def _read_function(self) -> None:
        self.definitions = self.function.definitions()
        for block in self.function.blocks:
            for instruction in block.instructions:
                if instruction.name:
                    self.block_of[instruction.name] = block.name
                self._note_uses(instruction)
        self.private_parameters = {
            parameter.name for parameter in self.function.parameters if "noalias" in parameter.attributes.split()
        }

    def _note_uses(self, instruction: Instruction) -> None:
        for operand in instruction.operands:
            if operand.value.startswith("%"):
                self.users.setdefault(operand.value, []).append(instruction)

    def add_definition(self, instruction: Instruction, block: str) -> None:
        """An operation that the target put into a block before the walk."""
        self.definitions[instruction.name] = instruction
        self.block_of[instruction.name] = block
        self._note_uses(instruction)

    # --- what the function says ---

    def key(self, instruction: Instruction) -> str:
        """What rules call the operation, by the target's naming; computed once."""
        found = self._keys.get(id(instruction))
        if found is None:
            found = self._keys[id(instruction)] = self.target.key(self, instruction)
        return found

    def resolve(self, operand: Operand) -> Operand:
        """The operand behind operations that leave its register as it is."""
        while (made := self.definitions.get(operand.value)) is not None and self.key(made) in self.target.transparent:
            operand = made.operands[0]
        return operand

    def definition(self, operand: Operand) -> Instruction | None:
        """The instruction that makes an operand; None for parameters and constants."""
        return self.definitions.get(self.resolve(operand).value)

    def users_left(self, operand: Operand) -> int:
        """How often the value is used, transparent operations looked through; more than once counts as many."""
        count = len(self.users.get(operand.value, ()))
        while (made := self.definitions.get(operand.value)) is not None and self.key(made) in self.target.transparent:
            operand = made.operands[0]
            count = max(count, len(self.users.get(operand.value, ())))
        return count

    def depth(self, block: str) -> int:
        """How many loops a block is in."""
        loop = self.flow.loop_of.get(block)
        return loop.depth if loop else 0

    def foldable(self, operand: Operand) -> bool:
        """Whether the operation behind an operand may be done at its user: nobody else needs it, and not more often."""
        name = self.resolve(operand).value
        made = self.definitions.get(name)
        if made is None or self.users_left(operand) != 1 or made.op in ("phi", "load", "alloca"):
            return False
        if made.op == "call" and not self.target.pure(made.parts.callee):
            return False
        return self.depth(self.block_of[name]) >= self.depth(self.block)

    # --- registers and instructions ---

    def _source(self, operand: Operand) -> Operand:
        """What has to be there for an operand to be read."""
        operand = self.resolve(operand)
        while (lane := self.target.lane_of(self, operand)) is not None:
            operand = self.resolve(lane[0])
        return operand

    def register(self, operand: Operand) -> VirtualRegister:
        """The register with the value of an operand."""
        operand = self.resolve(operand)
        lane = self.target.lane_of(self, operand)
        if lane is not None:
            return self.register(lane[0]).lanes[lane[1]]
        key = self.target.constant_key(self, operand)
        if key is not None:
            return self.constant(key, self.target.kind_of(operand.type))
        self._demanded.add(operand.value)
        return self.result(operand.value, operand.type)

    def constant(self, key: Hashable, kind: str) -> VirtualRegister:
        """The register of a constant, the same for each use of it."""
        found = self.constants.get(key)
        if found is None:
            found = self.constants[key] = self.machine.new_register(kind)
        return found

    def result(self, name: str, type_text: str) -> VirtualRegister:
        """The register of a named value."""
        found = self._registers.get(name)
        if found is None:
            found = self._registers[name] = self.machine.new_register(self.target.kind_of(type_text))
        return found

    def new(self, kind: str) -> VirtualRegister:
        """A register for a value of its own."""
        return self.machine.new_register(kind)

    def emit(
        self, row: str, *values: Value, mask: Mask | None = None, access: MemoryOperand | None = None
    ) -> MachineInstruction:
        """Append an instruction of the row named to the block."""
        instruction = MachineInstruction(self.target.instructions[row], list(values), line=self.line, mask=mask, access=access)
        self.out.append(instruction)
        return instruction

    def copy_to(self, register: AnyRegister, operand: Operand) -> None:
        """Put the value of an operand into a register."""
        operand = self.resolve(operand)
        key = self.target.constant_key(self, operand)
        if key is not None and self.target.cheap_constant(key):
            self.out += self.target.make_constant(self.machine, register, key)
        else:
            self.out.append(self.target.copy(register, self.register(operand)))

    # --- rules ---

    def rule_for(self, instruction: Instruction) -> tuple[SelectionRule, Bindings] | None:
        """The last rule that fits, and what its names stand for."""
        for rule in reversed(self.target.rules.get(self.key(instruction), ())):
            bindings: Bindings = {}
            if self._match_operands(rule.pattern, instruction, bindings):
                return rule, bindings
        return None

    def _match_operands(self, pattern: Operation, instruction: Instruction, bindings: Bindings) -> bool:
        operands = instruction.operands
        return len(operands) == len(pattern.operands) and all(
            self._match(inner, operand, bindings) for inner, operand in zip(pattern.operands, operands)
        )

    def _match(self, pattern: Pattern, operand: Operand, bindings: Bindings) -> bool:
        match pattern:
            case Any(name):
                known = bindings.setdefault(name, operand)
                return known == operand
            case ConstantPattern(name, predicate):
                value = self.target.predicates[predicate](self.resolve(operand))
                if value is None:
                    return False
                bindings[name] = value
                return True
            case Operation(key, inner) if key == SPLAT:
                scalar = self.target.splat_of(self, self.resolve(operand))
                return scalar is not None and self._match(inner[0], scalar, bindings)
            case Operation(key, _):
                made = self.definition(operand)
                return (
                    made is not None
                    and self.key(made) == key
                    and self.foldable(operand)
                    and self._match_operands(pattern, made, bindings)
                )
        return False

    def apply(self, rule: SelectionRule, bindings: Bindings, result: VirtualRegister | None) -> None:
        """Emit a rule's instructions, the last one into ``result``."""
        made: dict[str, Value] = {}
        for step in rule.steps:
            values = [self._step_operand(text, bindings, made) for text in step.operands]
            self.finish_step(step, values, made, result)

    def finish_step(self, step: Step, values: list[Value], made: dict[str, Value], result: VirtualRegister | None) -> None:
        """Append the instruction of a rule's step; its result goes to a new register, or for the last step to ``result``."""
        row = self.target.instructions[step.row]
        if row.operands and row.operands[0].role == "def":
            if step.result:
                target = made[step.result] = self.machine.new_register(row.operands[0].kind)
            else:
                assert result is not None
                target = result
            self.emit(step.row, target, *values)
        else:
            self.emit(step.row, *values)

    def _step_operand(self, text: str, bindings: Bindings, made: dict[str, Value]) -> Value:
        if text in made:
            return made[text]
        bound = bindings.get(text)
        if isinstance(bound, int):
            return Immediate(bound)
        if bound is not None:
            return self.register(bound)
        if text.startswith("="):
            return self.constant(self.target.literal(int(text[1:], 0)), self.target.kind_of("i32"))
        return Immediate(int(text, 0))

    # --- the walk ---

    def run(self) -> MachineFunction:
        """Select the whole function, block by block."""
        by_name = {block.name: block for block in self.function.blocks}
        lines = _source_lines(self.module)
        self._mark_needed()
        for block in self.function.blocks:
            for phi in block.phis():
                if phi.name in self.needed:
                    self._demanded.update(self._source(operand).value for operand in phi.operands)
        selected: list[MachineBlock] = []
        for name in reversed(self.flow.order):
            self.block = name
            groups: list[list[MachineInstruction]] = []
            for instruction in reversed(by_name[name].instructions):
                if instruction.op.startswith("#") or not self._wanted(instruction):
                    continue
                self.out = []
                self.line = lines.get(instruction.parts.metadata.get("dbg", ""), 0)
                self.select(instruction)
                groups.append(self.out + self.behind.pop(instruction.name, []))
            groups.append(self._at_block_start(by_name[name]))
            code = [instruction for group in reversed(groups) for instruction in group]
            successors = targets(code)
            # In reverse, as the whole list is.
            selected += reversed(self.more_blocks.get(name, ()))
            selected.append(MachineBlock(self.label(name), code, successors, self.depth(name)))
        self.machine.blocks = selected[::-1]
        return self.machine

    def _mark_needed(self) -> None:
        """Find what effects and branches depend on: phis that only need each other make no code."""
        effects = [instruction for instruction in self.function.instructions() if self._has_effect(instruction)]
        pending = [operand.value for instruction in effects for operand in instruction.operands]
        # Functions that are called by their address are no operands.
        pending += [instruction.parts.callee for instruction in effects if instruction.op == "call"]
        while pending:
            name = pending.pop()
            made = self.definitions.get(name)
            if made is not None and name not in self.needed:
                self.needed.add(name)
                pending += [operand.value for operand in made.operands]

    def select(self, instruction: Instruction) -> None:
        """Emit the instructions of one operation."""
        key = self.key(instruction)
        special = self.target.functions.get(key)
        found = self.rule_for(instruction) if special is None else None
        if found is not None:
            result = self.result(instruction.name, instruction.type) if instruction.name else None
            self.apply(*found, result)
            return
        special = special or self.target.functions.get(instruction.op)
        if special is None:
            raise CannotSelect(f"in @{self.function.name}: no rule for '{key}': {instruction.text.strip()}")
        special(self, instruction)

    def _wanted(self, instruction: Instruction) -> bool:
        if instruction.op == "phi" or self.key(instruction) in self.target.transparent:
            return False
        return self._has_effect(instruction) or instruction.name in self._demanded or instruction.name in self._visited

    def _has_effect(self, instruction: Instruction) -> bool:
        if instruction.op == "call":
            return not self.target.pure(instruction.parts.callee)
        return instruction.op == "store" or instruction.is_terminator

    def _at_block_start(self, block: Block) -> list[MachineInstruction]:
        self.out = []
        self.line = 0
        if block is self.function.blocks[0]:
            self.target.take_parameters(self)
            for parameter in self.function.parameters:
                self.out += self.behind.pop(parameter.name, [])
        for phi in block.phis():
            self.out += self.behind.pop(phi.name, [])
        return self.out

    def is_demanded(self, name: str) -> bool:
        """Whether something that is selected already uses a value."""
        return name in self._demanded

    def visit(self, name: str) -> None:
        """Lets the operation that makes a value be selected though nobody may ask for its register: something is ``derived``
        from it, or comes ``behind`` it."""
        self._visited.add(name)

    def label(self, block: str) -> str:
        """The name of a block in the assembly."""
        return f"{self.machine.name}.{label_of(block)}"


def targets(code: list[MachineInstruction]) -> list[str]:
    """The blocks that the branches of some instructions go to."""
    found = {
        value.name: None
        for instruction in code
        if "branch" in instruction.row.traits
        for value in instruction.values
        if isinstance(value, LabelOperand)
    }
    return list(found)


def label_of(name: str) -> str:
    """A name that an assembler takes."""
    return re.sub(r"[^\w.$]", lambda found: f"_{ord(found.group()):x}", name.strip('"'))


_LOCATION = re.compile(r"(!\d+) = (?:distinct )?!DILocation\(line: (\d+)")


def _source_lines(module: Module) -> dict[str, int]:
    """``!7`` -> the line of the source it stands for."""
    return {found.group(1): int(found.group(2)) for line in module.lines() if (found := _LOCATION.match(line))}
