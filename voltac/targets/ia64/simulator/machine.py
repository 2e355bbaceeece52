"""The machine's state, and running a program on it (IA-64 2, 9).

Code runs in blocks, of which each is translated to a Python function once (``translate.py``). General registers beyond 32
are a frame: a call keeps the caller's on a stack of frames and gives the callee its outputs. Where registers rotate, tables
say where each name is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from voltac.codegen.image import Image
from voltac.codegen.simulator import Fault, Trap
from voltac.records import field, mutable_record
from voltac.targets.ia64.facts import FAILURE
from voltac.targets.ia64.simulator import float_formats, floats, integers
from voltac.targets.ia64.simulator.memory import Memory
from voltac.targets.ia64.simulator.translate import Block, bound_names, translate

EXIT = 0
"""The address that the outermost function returns to."""
LIMIT = 1_000_000_000
"""Cycles after which a program is taken to run for ever, if nothing else is said: hours of simulation."""
ALAT_ENTRIES = 32
"""Of an Itanium 2 (its Reference Manual for Software Development and Optimization, 2004)."""
_EXIT_CALL = 1025
_WRITE_CALL = 1027
_LINUX = 0x100000
"""The immediate of ``break`` and numbers of calls in Linux (IA-64 16)."""
_FRAME = 96
_FPSR = 0x9804C0270033F
"""What the machine's start-up code loads: no traps, 64 bits, to nearest (IA-64 7)."""


class _Failed(Fault):
    """The program's own check failed; its parameters say which."""


class Leave(Exception):
    """The program ends itself."""


@mutable_record(eq=False)
class MachineReport:
    """What a run took."""

    cycles: int = 0
    """Of the model of an Itanium 2; memory answers from the cache that the table says."""
    groups: int = 0
    instructions: int = 0
    """Without nops; those predicated off count."""
    nops: int = 0
    bundles: int = 0
    console: str = ""
    status: int = 0
    """What the program ended with."""
    counts: dict[str, int] = field(default_factory=dict)
    """How often each mnemonic was executed."""

    def __str__(self) -> str:
        rate = self.instructions / self.cycles if self.cycles else 0.0
        return (
            f"{self.instructions} instructions in {self.cycles} cycles ({rate:.2f} a cycle);"
            f" {self.groups} groups, {self.bundles} bundles, {self.nops} empty slots"
        )


@cache
def _rotated(first: int, count: int, size: int, base: int) -> list[int]:
    """Where each name of a file is, for a rotation by ``base``."""
    names = list(range(size))
    for number in range(count):
        names[first + number] = first + (number + base) % count
    return names


class Itanium:
    """One processor with a memory."""

    def __init__(self, memory: Memory, trace: Callable[[str], None] | None = None) -> None:
        self.memory = memory
        self.trace = trace
        self.R: list[int] = [0] * 128
        self.F: list[int] = [0, float_formats.ONE, *[0] * 126]
        self.P: list[int] = [1, *[0] * 63]
        self.B: list[int] = [EXIT] * 8
        self.floats = floats.RegisterArithmetic()
        self.floats.fpsr = _FPSR
        self.lc = self.ec = self.pfs = self.unat = self.ccv = 0
        self.frame = (_FRAME, 0, 0)
        """Registers of the frame, those of them that are not outputs, those that rotate."""
        self.bases = (0, 0, 0)
        """Of rotation, in the three files."""
        self.frames: list[list[int]] = []
        self.advanced: dict[object, tuple[int, int]] = {}
        """The ALAT: register -> address and bytes of the load, the oldest first."""
        self.missed = False
        """Whether the last check found its load forgotten."""
        self.cycle = 0
        self.ready = [0] * 128, [0] * 128, [0] * 64
        """The cycle in which what is in a register may be used, for each file."""
        self.console = bytearray()
        self.has_speculation = False
        self.limit = LIMIT
        self._blocks: dict[tuple[int, bool], Block] = {}
        self._symbols: dict[int, str] = {}
        self.names = bound_names(self)
        """What translated code calls; the functions among it, too."""
        self.rename()

    # --- what translated code calls

    def rename(self) -> None:
        """Make the tables of names for the bases of rotation."""
        general, floating, predicates = self.bases
        _, _, rotating = self.frame
        self.G = _rotated(32, rotating, 128, general) if rotating else _rotated(32, 1, 128, 0)
        self.FN = _rotated(32, 96, 128, floating)
        self.PN = _rotated(16, 48, 64, predicates)

    @property
    def is_rotated(self) -> bool:
        """Whether some name is not the register of its number."""
        return self.bases != (0, 0, 0)

    def rotate(self) -> None:
        """One step, as a loop branch does."""
        general, floating, predicates = self.bases
        rotating = self.frame[2]
        self.bases = ((general - 1) % rotating if rotating else 0, (floating - 1) % 96, (predicates - 1) % 48)
        self.rename()

    def clear_rotation(self, of_all: bool) -> None:
        """``clrrrb``, and of the predicates alone."""
        self.bases = (0, 0, 0) if of_all else (*self.bases[:2], 0)
        self.rename()

    def alloc(self, locals_: int, out: int, rotating: int) -> int:
        """A new frame; the old contents of ``ar.pfs``."""
        if rotating > locals_ + out or locals_ + out > _FRAME:
            raise Fault(f"a frame of {locals_ + out} registers, of which {rotating} rotate")
        if self.bases[0] and rotating != self.frame[2]:
            raise Fault("'alloc' changes what rotates while it is rotated")
        self.frame = (locals_ + out, locals_, rotating)
        self.rename()
        return self.pfs

    def _packed(self) -> int:
        size, locals_, rotating = self.frame
        general, floating, predicates = self.bases
        return size | locals_ << 7 | rotating // 8 << 14 | general << 18 | floating << 25 | predicates << 32 | self.ec << 52

    def call(self) -> None:
        """A frame for the callee: the caller's outputs."""
        size, locals_, _ = self.frame
        self.pfs = self._packed()
        self.frames.append(self.R[32 : 32 + locals_])
        outputs = self.R[32 + locals_ : 32 + size]
        self.R[32 : 32 + len(outputs)] = outputs
        self.frame, self.bases = (len(outputs), 0, 0), (0, 0, 0)
        self.rename()

    def return_(self) -> None:
        """The caller's frame, as ``ar.pfs`` has it."""
        if not self.frames:
            return
        size, locals_ = self.pfs & 0x7F, self.pfs >> 7 & 0x7F
        rotating = (self.pfs >> 14 & 0xF) * 8
        outputs = self.R[32 : 32 + size - locals_]
        kept = self.frames.pop()
        if len(kept) != locals_:
            raise Fault(f"a return to a frame of {locals_} registers, and the caller has {len(kept)}: ar.pfs is another one's")
        self.R[32 : 32 + locals_] = kept
        self.R[32 + locals_ : 32 + size] = outputs
        self.frame = (size, locals_, rotating)
        self.bases = (self.pfs >> 18 & 0x7F, self.pfs >> 25 & 0x7F, self.pfs >> 32 & 0x3F)
        self.ec = self.pfs >> 52 & 0x3F
        self.rename()

    def ctop(self) -> bool:
        """Whether iterations are left, counted (IA-64 9)."""
        last = self.PN[63]
        if self.lc:
            self.lc, self.P[last] = self.lc - 1, 1
        else:
            self.P[last] = 0
            if self.ec == 0:
                return False
            self.ec -= 1
            self.rotate()
            return self.ec > 0
        self.rotate()
        return True

    def wtop(self, goes_on: int) -> bool:
        """Whether iterations are left, by a condition."""
        self.P[self.PN[63]] = 0
        if not goes_on:
            if self.ec == 0:
                return False
            self.ec -= 1
            self.rotate()
            return self.ec > 0
        self.rotate()
        return True

    def cloop(self) -> bool:
        """Whether iterations are left, without rotation."""
        if self.lc:
            self.lc -= 1
            return True
        return False

    def get_pr(self) -> int:
        """All predicates, by their own numbers."""
        return sum(bit << number for number, bit in enumerate(self.P))

    def set_pr(self, value: int, mask: int) -> None:
        """Those of a mask; bit 16 of it stands for all that rotate."""
        mask = mask & 0xFFFF | (-1 << 16 if mask >> 16 & 1 else 0)
        for number in range(1, 64):
            if mask >> number & 1:
                self.P[number] = value >> number & 1

    def fill(self, address: int) -> int:
        """What a spill stored, NaT by ``ar.unat``."""
        if self.unat >> (address >> 3 & 63) & 1:
            return integers.NAT  # type: ignore[return-value]  # a register that is no number
        return self.memory.load(8, address)

    def spill(self, address: int, value: int) -> None:
        """A register with its NaT bit, in ``ar.unat``."""
        bit = 1 << (address >> 3 & 63)
        self.unat = self.unat & ~bit | (bit if integers.is_nat(value) else 0)
        self.memory.store(8, address, 0 if integers.is_nat(value) else value)

    def spill_f(self, address: int, value: int) -> None:
        """All bits of a floating register."""
        self.memory.store(16, address, value)

    def load_s(self, size: int, address: int, made: Callable[[int], int], entry: tuple[str, int]) -> int:
        """NaT instead of a fault."""
        if not self.memory.is_usable(size, address):
            return integers.NAT if entry[0] == "r" else float_formats.NATVAL  # type: ignore[return-value]
        return made(self.memory.load(size, address))

    def load_a(self, size: int, address: int, made: Callable[[int], int], entry: tuple[str, int], is_speculative: bool) -> int:
        """A load ahead of stores, which the ALAT remembers."""
        if is_speculative and not self.memory.is_usable(size, address):
            self.advanced.pop(entry, None)
            return integers.NAT if entry[0] == "r" else float_formats.NATVAL  # type: ignore[return-value]
        value = made(self.memory.load(size, address))
        self._remember(entry, address, size)
        return value

    def _remember(self, entry: tuple[str, int], address: int, size: int) -> None:
        """Enter a load into the ALAT, in place of the oldest one where that is full."""
        self.advanced.pop(entry, None)
        if len(self.advanced) == ALAT_ENTRIES:
            del self.advanced[next(iter(self.advanced))]
        self.advanced[entry] = (address, size)

    def load_c(self, size: int, address: int, made: Callable[[int], int], entry: tuple[str, int], clears: bool) -> int:
        """Again, if the ALAT has forgotten the first."""
        known = self.advanced.get(entry) == (address, size)
        self.missed = not known
        if clears:
            self.advanced.pop(entry, None)
        elif not known:
            self._remember(entry, address, size)
        if known:
            kind, number = entry
            return self.R[number] if kind == "r" else self.F[number]
        return made(self.memory.load(size, address))

    def advanced_lost(self, entry: tuple[str, int], clears: bool) -> bool:
        """Whether a store met what was loaded."""
        lost = entry not in self.advanced
        if clears:
            self.advanced.pop(entry, None)
        return lost

    def store(self, size: int, address: int, value: int) -> None:
        """To memory; what was loaded from there in advance is forgotten."""
        self.memory.store(size, address, value)
        if self.advanced:
            met = [key for key, (start, length) in self.advanced.items() if start < address + size and address < start + length]
            for key in met:
                del self.advanced[key]

    def compare_exchange(self, size: int, address: int, value: int) -> int:
        """The old number; the new one is stored if that is ``ar.ccv``."""
        old = self.memory.load(size, address)
        mask = (1 << 8 * size) - 1
        if old == self.ccv & mask:
            self.store(size, address, value & mask)
        return old

    def break_(self, number: int) -> None:
        """A system call of Linux, or the end."""
        if number == FAILURE:
            raise _Failed(f"the program found something wrong, {FAILURE:#x}")
        if number != _LINUX:
            raise Fault(f"break {number:#x}")
        arguments = self.R[32 + self.frame[1] :]
        if self.R[15] == _EXIT_CALL:
            raise Leave(arguments[0] & 0xFF)
        if self.R[15] != _WRITE_CALL:
            raise Fault(f"system call {self.R[15]}: there are {_EXIT_CALL} (exit) and {_WRITE_CALL} (write)")
        address, size = arguments[1:3]
        self.console += bytes(self.memory.load(1, address + at) for at in range(size))
        self.R[8], self.R[10] = size, 0

    def nat_used(self) -> None:
        """A register without a number is used for an access, or decides."""
        raise Fault("an address, what is stored, or a move to a special register is NaT: a speculative load was never checked")

    def expect_nat(self) -> None:
        """From now on registers may have NaT: all code is to look for it."""
        self.has_speculation = True
        self._blocks.clear()

    # --- running

    def load(self, image: Image) -> None:
        """Put a program into memory."""
        for segment in image.segments:
            self.memory.map(segment.address, segment.size)
            self.memory.bytes[segment.address : segment.address + segment.size] = segment.content + bytes(
                segment.size - len(segment.content)
            )
        self._symbols = {address: name for name, address in image.symbols.items()}

    def run(self, entry: int) -> MachineReport:
        """From an address on until the outermost function returns; :class:`Trap` for what may not be done."""
        report = MachineReport()
        visits: dict[Block, int] = {}
        ip, began = entry, self.cycle
        try:
            while ip != EXIT:
                key = (ip, self.is_rotated)
                block = self._blocks.get(key)
                if block is None:
                    try:
                        block = self._blocks[key] = translate(self, ip, key[1])
                    except Fault as fault:
                        raise Trap(str(fault), ip, 0, 0, "", self.cycle) from None
                visits[block] = visits.get(block, 0) + 1
                try:
                    ip = block.function(self)
                except (Fault, TypeError) as fault:
                    raise self._trap(fault, block) from None
                if self.cycle - began > self.limit:
                    raise Trap(
                        f"more than {self.limit} cycles: the program runs for ever, or the limit is low",
                        ip,
                        0,
                        0,
                        "",
                        self.cycle,
                    )
        except Leave as leave:
            report.status = leave.args[0]
        report.cycles = self.cycle - began
        for block, count in visits.items():
            report.instructions += count * (sum(block.counts.values()) - block.nops)
            report.nops += count * block.nops
            report.groups += count * block.groups
            report.bundles += count * block.bundles
            for mnemonic, number in block.counts.items():
                report.counts[mnemonic] = report.counts.get(mnemonic, 0) + count * number
        report.console = self.console.decode(errors="replace")
        return report

    def _trap(self, fault: Exception, block: Block) -> Trap:
        """Where in the block an instruction failed: the line of its function says it."""
        place = fault.__traceback__
        line = 1
        while place is not None:
            if place.tb_frame.f_code.co_name == "block":
                line = place.tb_lineno
            place = place.tb_next
        address, text = block.origin[line - 1]
        reason = "a register beyond the frame, or NaT, is used" if isinstance(fault, TypeError) else str(fault)
        trap = Trap(reason, address, 0, 0, text, self.cycle)
        trap.address = getattr(fault, "address", None)
        if isinstance(fault, _Failed):
            # As of a jump to the place where failures end.
            trap.instruction, trap.arguments = f"{text} at {address:#x}", tuple(self.R[32:35])
        return trap
