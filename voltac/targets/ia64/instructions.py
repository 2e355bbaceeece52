"""Every instruction of IA-64 that voltac knows, and how its slots and files look (IA-64 3, 16, 20)."""

from __future__ import annotations

from voltac.codegen.device import DeviceCode, RelocationKind, SectionPlace
from voltac.codegen.rows import InstructionSet
from voltac.targets.ia64.branch_rows import BRANCH_ROWS
from voltac.targets.ia64.float_rows import FLOAT_ROWS
from voltac.targets.ia64.integer_rows import INTEGER_ROWS
from voltac.targets.ia64.memory_rows import MEMORY_ROWS
from voltac.targets.ia64.parallel_rows import PARALLEL_ROWS
from voltac.targets.ia64.registers import BY_NAME
from voltac.targets.ia64.shapes import IMMEDIATES

INSTRUCTIONS = InstructionSet((*INTEGER_ROWS, *PARALLEL_ROWS, *MEMORY_ROWS, *FLOAT_ROWS, *BRANCH_ROWS))
"""By names like ``add.r=r,r``."""

TEXT_START = 0x10000
"""Where code begins in the simulator. Chosen: no address that a null pointer plus a small offset is."""
MEMORY_END = 1 << 28
"""Bytes of the simulator's memory. Chosen: 256 MiB."""


SLOT_CODE = DeviceCode(
    name="ia64-x1",
    instructions=INSTRUCTIONS,
    registers=BY_NAME,
    immediates=IMMEDIATES,
    # Numbers of the psABI: R_IA64_PCREL21B and so on.
    relocations=(
        RelocationKind(0x49, "R_IA64_PCREL21B", "target", 13, 21, shift=4),
        RelocationKind(0x23, "R_IA64_IMM64", "imm64", 0, 64),
        RelocationKind(0x2A, "R_IA64_GPREL22", "gprel22", 13, 22, from_pointer=True),
        RelocationKind(0x2B, "R_IA64_GPREL64I", "gprel64", 0, 64, from_pointer=True),
        RelocationKind(0x27, "R_IA64_DIR64LSB", "absolute", 0, 64),
    ),
    elf_machine=50,
    places=(
        SectionPlace(".text", "text", TEXT_START, MEMORY_END),
        SectionPlace(".rodata", "constants", None, MEMORY_END),
        SectionPlace(".data", "data", None, MEMORY_END),
        SectionPlace(".sdata", "data", None, MEMORY_END, is_short=True),
        SectionPlace(".sbss", "zeros", None, MEMORY_END, is_short=True),
        SectionPlace(".bss", "zeros", None, MEMORY_END),
    ),
    section_alignment=32,
    bundle_bytes=16,
    elf_bits=64,
    # EF_IA_64_ABI64: addresses have 64 bits.
    elf_flags=0x10,
    global_pointer="__gp",
    # SHF_IA_64_SHORT.
    short_flag=0x1000_0000,
)
"""What says how slots and files look, without what works on bundles."""
