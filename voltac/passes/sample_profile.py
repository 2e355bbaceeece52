"""How often lines ran, from a sampling profiler (``--profile-sample-use``) -> weights of branches, for LLVM's block placement.

    br i1 %c, label %then, label %else    ->    br i1 %c, label %then, label %else, !prof !9
                                                !9 = !{!"branch_weights", i32 1, i32 5001}

The profile is LLVM's text form: a function and its samples, then one line for each
line of it, counted from the line of its head; functions that were inlined are nested::

    shade:12500:100
     3: 5000
     4: poly:2500
      1: 2500

Whatever stands behind ``___`` in a function's name is the code of its parameters, and left out.
"""

from __future__ import annotations

import re

from voltac.ir.model import Block, Function, Module
from voltac.messages.visible import visible_name
from voltac.options import Options
from voltac.records import field, mutable_record
from voltac.system.lazy_patterns import lazy_pattern

_HEAD = lazy_pattern(r"(?P<name>[^\s:]\S*):(?P<total>\d+):(?P<head>\d+)$")
_LINE = lazy_pattern(r"(?P<indent> +)(?P<line>\d+)(?:\.\d+)?: (?:(?P<count>\d+)(?: .*)?|(?P<callee>\S+):\d+)$")
_FIELD = lazy_pattern(r"(\w+): (!?\w+)")


class NotAProfile(ValueError):
    """The text is no sample profile; ``str()`` is the message for the user."""


@mutable_record(eq=False)
class Samples:
    """Of one function, or of one inlined call."""

    lines: dict[int, int] = field(default_factory=dict)
    inlined: dict[tuple[int, str], Samples] = field(default_factory=dict)


def read_profile(text: str) -> dict[str, Samples]:
    """Function -> its samples."""
    found: dict[str, Samples] = {}
    open_: list[Samples] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(("#", "!")):
            continue
        head, inside = _HEAD.match(line), _LINE.match(line)
        if head:
            open_ = [found.setdefault(_plain(head["name"]), Samples())]
        elif inside and open_ and len(inside["indent"]) <= len(open_):
            del open_[len(inside["indent"]) :]
            offset, here = int(inside["line"]), open_[-1]
            if inside["callee"]:
                open_.append(here.inlined.setdefault((offset, _plain(inside["callee"])), Samples()))
            else:
                here.lines[offset] = max(here.lines.get(offset, 0), int(inside["count"]))
        else:
            raise NotAProfile(f"line {number} is none of a sample profile in text form: '{visible_name(line[:60])}'")
    return found


def _plain(name: str) -> str:
    return name.partition("___")[0]


def use_sample_profile(module: Module, options: Options) -> None:
    """Weigh the branches by the profile of the options."""
    profile = read_profile(options.sample_profile)
    metadata = _Metadata(module)
    for function in module.functions:
        _weigh(function, profile, metadata)
    metadata.write()


class _Metadata:
    """The nodes of a module by number, as far as places need them, and the new ones."""

    def __init__(self, module: Module) -> None:
        self._module = module
        lines = [line for line in module.lines() if re.match(r"!\d+ = ", line)]
        self._nodes = dict(line.split(" = ", 1) for line in lines)
        self._fields: dict[str, dict[str, str]] = {}
        self._next = max((int(name[1:]) for name in self._nodes), default=-1) + 1
        self._new: list[str] = []

    def weights(self, first: int, second: int) -> str:
        self._new.append(f'!{self._next} = !{{!"branch_weights", i32 {first + 1}, i32 {second + 1}}}')
        self._next += 1
        return f"!{self._next - 1}"

    def write(self) -> None:
        if self._new:
            self._module.items.append(self._new)

    def samples(self, place: str, profile: dict[str, Samples]) -> int | None:
        """How often the line of a place ran; None where nothing is known of its function."""
        chain: list[tuple[str, int]] = []
        while place:
            fields = self._of(place)
            name, head = self._function(fields.get("scope", ""))
            chain.append((name, int(fields.get("line", "0")) - head))
            place = fields.get("inlinedAt", "")
        here: Samples | None = None
        before: tuple[str, int] | None = None
        for name, offset in reversed(chain):
            inner = here.inlined.get((before[1], name)) if here is not None and before is not None else None
            here = inner or profile.get(name)
            before = name, offset
        return None if here is None or before is None else here.lines.get(before[1], 0)

    def _of(self, node: str) -> dict[str, str]:
        known = self._fields.get(node)
        if known is None:
            known = self._fields[node] = dict(_FIELD.findall(self._nodes.get(node, "")))
        return known

    def _function(self, scope: str) -> tuple[str, int]:
        """Name and line of the function of a scope."""
        while "DISubprogram(" not in (text := self._nodes.get(scope, "")):
            scope = self._of(scope).get("scope", "")
            if not scope:
                return "", 0
        name = re.search(r'name: "([^"]*)"', text)
        return (name[1] if name else ""), int(self._of(scope).get("line", "0"))


def _weigh(function: Function, profile: dict[str, Samples], metadata: _Metadata) -> None:
    counts = {block.name: _count(block, profile, metadata) for block in function.blocks}
    for block in function.blocks:
        branch = block.terminator
        if branch.op != "br" or len(branch.parts.labels) != 2 or "!prof" in branch.text:
            continue
        first, second = (counts[label] for label in branch.parts.labels)
        if first is not None and second is not None and first != second:
            branch.text += f", !prof {metadata.weights(first, second)}"


def _count(block: Block, profile: dict[str, Samples], metadata: _Metadata) -> int | None:
    """The most samples of a line in it."""
    places = {instruction.parts.metadata.get("dbg", "") for instruction in block.instructions if "!dbg " in instruction.text}
    known = [count for place in places if place and (count := metadata.samples(place, profile)) is not None]
    return max(known, default=None)
