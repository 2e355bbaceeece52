"""The code in a device's memory -> Python functions, block by block, as they are reached.

Translating a block takes longer than running it a few times. So a block is run
at first one instruction after the other, by functions that are made once for each
row and take the numbers of the registers as arguments; only a block that is
visited again and again is translated as a whole. Translations are kept for the
process: a kernel that is called again is not translated again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from functools import cache, lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from voltac.codegen.simulator import DeviceMemory, Fault, Misaligned
from voltac.records import record
from voltac.targets.naplespu.isa import INSTRUCTIONS
from voltac.targets.naplespu.regs import FP, PC, RM, SCALARS, SP, VECTORS
from voltac.targets.naplespu.simulator import control
from voltac.targets.naplespu.simulator.blocks import ENDS, NEVER, BlockFacts, BlockTraits, facts_of, straight_line
from voltac.targets.naplespu.simulator.forms import MASKING_VECTOR
from voltac.targets.naplespu.simulator.instructions import DecodedInstruction, Listing
from voltac.targets.naplespu.simulator.meanings import DTYPES, LANES, namespace
from voltac.targets.naplespu.simulator.translate import BlockWriter

if TYPE_CHECKING:
    import numpy.typing as npt

    Lanes = npt.NDArray[Any]
    Block = Callable[[Any, int, int], Generator[int, tuple[int, int], tuple[int, int, int]]]
    Step = Callable[..., Generator[int, tuple[int, int], tuple[int, int]]]

TRANSLATIONS = 64
"""Programs whose translations are kept."""
STEP_FILE = "<NaplesPU step"
VISITS = 24
"""After so many a block is translated."""


class Unwritten(Fault):
    """A register is read that nothing has written."""

    def __init__(self, kind: str, number: int) -> None:
        registers = SCALARS if kind == "scalar" else VECTORS
        super().__init__(f"read of {registers[number].name}, which was never written")


def blend(old: Lanes | None, new: Lanes, flags: npt.NDArray[np.bool_]) -> Lanes | None:
    """The new value in the lanes that are on; an old one that was never written stays so where no lane is on."""
    if old is None:
        return np.where(flags, new, new.dtype.type(0)) if flags.any() else None
    result = old.copy()
    np.putmask(result, flags, new)
    return result


def blend_forms(old: Lanes | None, new: Lanes, flags: npt.NDArray[np.bool_]) -> Lanes | None:
    """The same where the old value is held in another form than the new one."""
    return blend(old if old is None else old.view(new.dtype), new, flags)


_CONSTANTS: dict[str, Lanes] = {}
"""Arrays with a number in every lane, by the names that blocks use."""


def _constant(value: int, form: str) -> str:
    name = f"{form}_{value & 0xFFFFFFFF}"
    if name not in _CONSTANTS:
        constant = np.full(LANES, value & 0xFFFFFFFF, np.uint32).view(DTYPES[form][1])
        constant.flags.writeable = False
        _CONSTANTS[name] = constant
    return name


@record
class PlacedStep:
    """An instruction of a block that is run step by step."""

    code: CodeType
    arguments: tuple[int, ...]
    """The pc, and what the template has names for."""
    line: int
    """The instruction line that begins here, -1 for none."""


@record
class Steps:
    """A block up to what ends it."""

    number: int
    """Of its facts."""
    first_line: int
    steps: tuple[PlacedStep, ...]
    end: int
    """Where the instruction that ends it stands, or the next block."""
    ends: bool


def placed_step(instruction: DecodedInstruction, first: bool, shape: BlockTraits) -> PlacedStep:
    """The function for one instruction, with the registers and numbers that it is called with."""
    row, pc = instruction.row, instruction.pc
    names: list[int | str] = []
    arguments = [pc]
    plain = True
    for operand, value in zip(row.operands, instruction.values):
        plain &= (operand.kind, value) != ("scalar", PC.number)
        plain &= operand.role == "use" or (operand.kind, value) not in (("scalar", RM.number), ("vector", MASKING_VECTOR))
    for number, (operand, value) in enumerate(zip(row.operands, instruction.values)):
        names.append(f"n{number}" if plain else value)
        if plain:
            register = operand.kind in ("scalar", "vector")
            arguments.append(value if register or not row.meaning else value & 0xFFFFFFFF)
    through_stack = "store" in row.traits and instruction["rbase"] in (SP.number, FP.number)
    code = _template(row.name, tuple(names), through_stack, shape)
    return PlacedStep(code, tuple(arguments), pc // 64 if pc % 64 == 0 and not first else -1)


@cache
def _template(name: str, values: tuple[int | str, ...], through_stack: bool, shape: BlockTraits) -> CodeType:
    template = DecodedInstruction("pc", INSTRUCTIONS[name], values)
    writer = BlockWriter(shape, _constant, (template,), Listing(()), template=True, through_stack=through_stack)
    return compile(writer.write_step(), f"{STEP_FILE} {name}>", "exec")


class Translation:
    """A program's blocks as compiled Python, bound to no memory yet."""

    def __init__(self, pieces: tuple[tuple[int, bytes], ...], shape: BlockTraits) -> None:
        self.listing = Listing(pieces)
        self.shape = shape
        self.facts: list[BlockFacts] = []
        self.visits: Counter[int] = Counter()
        """How often blocks were run step by step."""
        self._codes: dict[int, CodeType] = {}
        self._steps: dict[int, Steps] = {}
        self._by_file: dict[str, BlockFacts] = {}

    def known(self, pc: int) -> bool:
        """Whether the block from an address on is translated."""
        return pc in self._codes

    def code(self, pc: int) -> CodeType:
        """Of the block from an address on."""
        known = self._codes.get(pc)
        if known is None:
            instructions = straight_line(self.listing, pc)
            source, facts = BlockWriter(self.shape, _constant, instructions, self.listing, len(self.facts)).write()
            file = f"<NaplesPU block {len(self.facts)} at 0x{pc:x}>"
            known = self._codes[pc] = compile(source, file, "exec")
            self.facts.append(facts)
            self._by_file[file] = facts
        return known

    def steps(self, pc: int) -> Steps:
        """The block that begins at an address, instruction by instruction; made once."""
        known = self._steps.get(pc)
        if known is None:
            instructions = straight_line(self.listing, pc)
            ends = bool(instructions[-1].row.traits & ENDS)
            alone = instructions[:-1] if ends else instructions
            steps = tuple(placed_step(instruction, instruction is alone[0], self.shape) for instruction in alone)
            end = instructions[-1].pc + (0 if ends else 4)
            known = self._steps[pc] = Steps(len(self.facts), pc // 64, steps, end, ends)
            self.facts.append(facts_of(alone, pc))
        return known

    def place(self, file: str, line: int, names: dict[str, Any]) -> DecodedInstruction | None:
        """The instruction that a line of generated source with these local variables belongs to."""
        if file.startswith(STEP_FILE):
            return self.listing.instruction(names["pc"])
        facts = self._by_file.get(file)
        return facts.instructions[facts.origin[line - 1]] if facts is not None else None


@lru_cache(maxsize=TRANSLATIONS)
def translation(pieces: tuple[tuple[int, bytes], ...], shape: BlockTraits) -> Translation:
    """What was made for the same code and machine in this process."""
    return Translation(pieces, shape)


class RunnableProgram:
    """A translation that works on a device's memory."""

    def __init__(self, memory: DeviceMemory, translated: Translation) -> None:
        self.translation = translated
        self.blocks: dict[int, Block] = {}
        self.visits = VISITS
        self._functions: dict[CodeType, Any] = {}
        lines = memory.lanes.reshape(-1, LANES)
        self._names: dict[str, Any] = {
            **namespace(translated.shape.mode), "NEVER": NEVER, "blend": blend, "blend_forms": blend_forms,
            "putmask": np.putmask, "words": memory.words, "halves": memory.halves, "octets": memory.bytes,
            **{f"memory_{form}": lines.view(dtype) for form, (_, dtype) in DTYPES.items()},
            "read_control": control.read, "write_control": control.write,
            "Misaligned": Misaligned, "Unwritten": Unwritten, "Fault": Fault,
        }  # fmt: skip

    def block(self, pc: int) -> Block:
        """The block from an address on; ``blocks`` knows those that were asked for before."""
        if self.translation.known(pc) or self.translation.visits[pc] >= self.visits:
            return self._translated(pc)
        steps = self.translation.steps(pc)
        made = self.blocks[pc] = self._stepping(pc, steps) if steps.steps else self._translated(pc)
        return made

    def _translated(self, pc: int) -> Block:
        made: Block = self._function(self.translation.code(pc), "block")
        self.blocks[pc] = made
        return made

    def _function(self, code: CodeType, name: str) -> Any:
        """The function that a piece of source defines."""
        if code not in self._functions:
            exec(code, self._names)
            made = self._names.pop(name)
            self._names.update((used, _CONSTANTS[used]) for used in made.__code__.co_names if used in _CONSTANTS)
            self._functions[code] = made
        return self._functions[code]

    def _stepping(self, pc: int, block: Steps) -> Block:
        """The block one instruction after the other."""
        steps = [(self._function(step.code, "step"), step.arguments, step.line) for step in block.steps]
        visits, number, line, end = self.translation.visits, block.number, block.first_line, block.end
        rest = self._translated(end) if block.ends else None

        def run(thread: Any, cycle: int, horizon: int) -> Generator[int, tuple[int, int], tuple[int, int, int]]:
            visits[pc] += 1
            if visits[pc] >= self.visits:
                self._translated(pc)
            before = cycle
            fetch = thread.core.fetch
            cycle = fetch(thread, line, cycle)
            for step, arguments, new_line in steps:
                if new_line >= 0:
                    cycle = fetch(thread, new_line, cycle)
                cycle, horizon = yield from step(thread, cycle, horizon, *arguments)
            thread.visits[number] += 1
            thread.block_cycles[number] += cycle - before
            if rest is None:
                return end, cycle, horizon
            found = yield from rest(thread, cycle, horizon)
            return found

        return run
