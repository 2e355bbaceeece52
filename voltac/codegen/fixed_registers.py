"""Constants that some registers always have, such as 0, are read from these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from voltac.codegen.allocation import pairs_of
from voltac.codegen.machine_code import AnyRegister, MachineFunction, MachineInstruction, VirtualRegister


def _none(instruction: MachineInstruction) -> Iterable[AnyRegister]:
    return ()


def read_fixed_registers(
    function: MachineFunction,
    fixed: Callable[[MachineInstruction], AnyRegister | None],
    kept: Callable[[MachineInstruction], Iterable[AnyRegister]] = _none,
) -> None:
    """``fixed`` gives the register that always has what an instruction makes; such instructions go.

    ``kept`` are those of what an instruction reads that must be others: it would do something else with the fixed ones.
    """
    needed = {register for instruction in function.instructions() for register in kept(instruction)}
    written = Counter(register for instruction in function.instructions() for register in instruction.writes())
    lanes = {lane for pair in pairs_of(function) for lane in pair.lanes}
    replaced: dict[VirtualRegister, AnyRegister] = {}
    for instruction in function.instructions():
        known = fixed(instruction)
        register = instruction.values[0] if known is not None else None
        # One lane of a pair has to be in the pair.
        if known is not None and isinstance(register, VirtualRegister) and register not in lanes | needed:
            parts = register.lanes or (register,)
            if all(written[part] == 1 for part in parts):
                replaced |= {register: known, **dict(zip(register.lanes, known.lanes))}
    for block in function.blocks:
        block.instructions = [one for one in block.instructions if not any(register in replaced for register in one.writes())]
        for instruction in block.instructions:
            instruction.replace_registers(replaced)
