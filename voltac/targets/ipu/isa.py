"""Every instruction of a worker, and the forms that its code has as text, words and files (IPU 3)."""

from __future__ import annotations

from voltac.codegen.device import DeviceCode, RelocationKind, SectionPlace
from voltac.codegen.rows import InstructionSet
from voltac.targets.ipu.float_rows import AUX_ROWS
from voltac.targets.ipu.integer_rows import MAIN_ROWS
from voltac.targets.ipu.memory_map import MAPS, MemoryMap
from voltac.targets.ipu.memory_rows import MEMORY_ROWS
from voltac.targets.ipu.registers import BY_NAME
from voltac.targets.ipu.shapes import BUNDLED, IMMEDIATES

INSTRUCTIONS = InstructionSet((*MAIN_ROWS, *MEMORY_ROWS, *AUX_ROWS))
"""What a worker executes; ``alias`` rows are other ways to write a word, ``unspecified`` ones are known as words only."""

_ELF_MACHINES = {"mk1": 0x4951, "mk2": 0x4952}
"""Chosen: the reference names none. In the range that nobody has registered."""

_RELOCATIONS = (
    RelocationKind(4, "R_IPU_32", "absolute", 0, 32),
    RelocationKind(3, "R_IPU_20", "low 20", 0, 20),
    RelocationKind(8, "R_IPU_19_S2", "target", 0, 19, shift=2),
    RelocationKind(18, "R_IPU_20_S2", "function", 0, 20, shift=2),
)
"""Numbers of the reference (IPU 7), but for the last, which it does not name."""


def _device_code(map: MemoryMap) -> DeviceCode:
    return DeviceCode(
        name=f"ipu-{map.name}",
        instructions=INSTRUCTIONS,
        registers=BY_NAME,
        immediates=IMMEDIATES,
        relocations=_RELOCATIONS,
        elf_machine=_ELF_MACHINES[map.name],
        places=(
            # Code in region 0 only (IPU 1.4).
            SectionPlace(".text", "text", map.start, map.interleaved),
            SectionPlace(".rodata", "constants", None, map.interleaved),
            SectionPlace(".data", "data", None, map.end),
            SectionPlace(".bss", "zeros", None, map.end),
        ),
        section_alignment=8,
        bundle_bit=BUNDLED,
    )


DEVICE_CODES = {code.name: code for code in map(_device_code, MAPS.values())}
"""Of each generation."""


def code_of(generation: str) -> DeviceCode:
    """Of ``mk1`` or ``mk2``."""
    return DEVICE_CODES[f"ipu-{generation}"]
