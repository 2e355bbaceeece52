"""Names of values -> the instructions that use them.

    uses = Uses(function.instructions())

    %a = add i32 %x, %x                uses.of("%x") is both, uses.count("%x") is 3
    %b = mul i32 %a, %x                uses.single_use("%a") is the mul, uses.is_unused("%b")

Made once a function, or a block where only that is asked about, and told by :meth:`Uses.add` and
:meth:`Uses.remove` what comes and goes; who renames values makes it anew. Debug records are not
uses: with ``-g`` the same code is made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from voltac.ir.model import Function, Instruction


class Uses:
    """The users of each value, in the order of the text."""

    def __init__(self, instructions: Iterable[Instruction] = ()) -> None:
        self._users: dict[str, list[Instruction]] = {}
        """One entry for each use: who uses a value twice is there twice, one after the other."""
        users = self._users
        for instruction in instructions:
            # As add() and names_used(), which calls for each would make half as slow again.
            if instruction.op[:1] != "#":
                names = instruction._names
                for name in instruction.names_used() if names is None else names:
                    if name in users:
                        users[name].append(instruction)
                    else:
                        users[name] = [instruction]

    def add(self, instruction: Instruction) -> None:
        """Count what the instruction uses; as a user it comes last."""
        if not instruction.op.startswith("#"):
            for name in instruction.names_used():
                self._users.setdefault(name, []).append(instruction)

    def remove(self, instruction: Instruction) -> None:
        """Forget what the instruction, not changed since it was added, uses."""
        if not instruction.op.startswith("#"):
            for name in instruction.names_used():
                self._users[name].remove(instruction)

    def of(self, name: str) -> list[Instruction]:
        """Who uses a value, each once."""
        return list(dict.fromkeys(self._users.get(name, ())))

    def count(self, name: str) -> int:
        """How often a value is used; twice by who takes it twice."""
        return len(self._users.get(name, ()))

    def single_use(self, name: str) -> Instruction | None:
        """The user of a value that is used once; None for another value."""
        users = self._users.get(name, ())
        return users[0] if len(users) == 1 else None

    def is_only_by(self, name: str, names: Collection[str]) -> bool:
        """Whether all who use a value are named; of one that nobody uses, too."""
        for user in self._users.get(name, ()):  # noqa: SIM110 - a generator takes three times as long
            if user.name not in names:
                return False
        return True

    def is_unused(self, name: str) -> bool:
        """Whether nothing uses a value."""
        return not self._users.get(name)


def uses_of(function: Function) -> Uses:
    """The users of a function's values as it is now, for who only looks: passes that change nothing get the same ones."""
    return function.remembered(Uses, lambda: Uses(function.instructions()))


def remove_unused(function: Function, names: Collection[str]) -> None:
    """Take out those of the values named that nothing uses, or only others that are taken out."""
    if not names:
        return
    remove_unused_of(function, names, Uses(function.instructions()))


def remove_unused_of(function: Function, names: Collection[str], uses: Uses) -> None:
    """The same for who has the uses of the function as it is, and goes on with them."""
    left = {made.name: made for block in function.blocks for made in block.instructions if made.name in names}
    gone: set[str] = set()
    waiting = [name for name in left if uses.is_unused(name)]
    while waiting:
        name = waiting.pop()
        if name not in gone:
            gone.add(name)
            uses.remove(left[name])
            waiting += [used for used in left[name].names_used() if used in left and uses.is_unused(used)]
    if gone:
        for block in function.blocks:
            block.instructions = [made for made in block.instructions if made.name not in gone]
