"""What the stages before a device's own have to know of it: records that the device's ``facts.py`` fills.

Each device is a folder of ``voltac/targets``. Its ``facts.py`` has as ``TARGETS`` the rows of its target, or of one target for
each generation of the machine, whose ``isa`` is the folder's name. It imports nothing but records, and is imported when
somebody asks for a device.
"""

from __future__ import annotations

from voltac.records import record
from voltac.target_info.access_costs import CostRow

_OF_THREADS = ("__barrier", "__read_control")
"""Builtins of which the compiler makes use where several threads enter a kernel."""


@record
class ThreadFacts:
    """The threads that enter a kernel together, and the control registers by which they know each other."""

    most: int
    """Threads of a core."""
    cores: int
    """As many a device has at most."""
    core: int
    """Register with the number of the core."""
    thread: int
    """Register with the number of the thread in its core."""
    arguments: int
    """Register with the address of the launch's block, which begins with the number of all threads."""
    threads_of_a_core: int
    """Register into which the host writes how many threads of a core run."""
    barrier: int
    """Number of the barrier where all of them meet; programs that wait at barriers of their own take other numbers."""
    barriers: int
    """Programs have the numbers from 0 to below this."""
    least: int = 1
    """Threads of a core that run at least; code counts on that many where it is ``most``."""
    has_chunks: bool = False
    """Whether a thread's share of a ``foreach`` is one piece, not every G-th part."""


@record
class MachineSetting:
    """What a launch may choose of the simulated machine besides cores and threads."""

    name: str
    usual: int | str | bool
    values: range | tuple[str, ...] = ()
    """The numbers or words there are; none for True and False."""
    text: str = ""
    """What it is, for the help of ``voltac sim``; one without has no option there."""
    unit: str = "N"
    """What stands for a number in that help."""


@record
class DeviceFacts:
    """One device."""

    title: str
    """Its name as its maker writes it."""
    data_layout: str
    """In LLVM's notation."""
    functions: tuple[tuple[str, str], ...]
    """Builtin that only devices have -> the function that the device's selector knows, on numbers of 32 bits."""
    words: tuple[tuple[str, str], ...]
    """Macros for the words of its manual: head, and what stands for it."""
    costs: CostRow
    shuffle: str = ""
    """The function for an instruction that gives lane l of a gang of 32-bit numbers the value of lane ``index[l]`` modulo W."""
    threads: ThreadFacts | None = None
    """None: one thread runs a kernel."""
    store_bytes: int = 1
    """The least that an instruction stores: two threads may not store to parts of that."""
    scratchpad_bytes: int = 0
    """Of a core's own memory, as much as programs have for their variables."""
    settings: tuple[MachineSetting, ...] = ()
    """Of its simulator."""
    keeps_loops: bool = False
    """Whether LLVM is to leave loops as they are, neither unrolled nor made a call that copies or fills memory."""
    branch_limit: int = 10
    """An ``if`` whose branches together are about so many instructions, or fewer, has no branch: all is done under masks."""
    libraries: tuple[str, ...] = ()
    """The folders of ``stdlib/`` with functions that it has besides, or of its own, the stronger last."""

    def __post_init__(self) -> None:
        named = dict(self.functions)
        missing = [builtin for builtin in _OF_THREADS if builtin not in named] if self.threads is not None else []
        if missing:
            raise ValueError(f"{self.title} has threads, but its facts name no function for {', '.join(missing)}")

    def function(self, builtin: str) -> str:
        """The name of a builtin's function; LookupError says which one the facts lack, and who asks for it."""
        found = dict(self.functions).get(builtin)
        if found is None:
            raise LookupError(f"the facts of {self.title} name no function for {builtin}, which its library calls")
        return found
