"""Assignments under masks to variables that a function was handed -> selections, so that the variables become registers.

    static void clamp_at(float x, float &least) {          call void @volta.store.v8f32(<8 x float> %x, ptr %least, <8 x i1> %m)
        if (x < least)                                 ->  %was = load <8 x float>, ptr %least
            least = x;                                     %now = select <8 x i1> %m, <8 x float> %x, <8 x float> %was
    }                                                      store <8 x float> %now, ptr %least

What a reference leads to may be anything as long as nobody knows who calls, so its off lanes are not touched. Once the function
stands in its caller it may be seen to be a variable there.

What proves it: all of the vector lies within a variable of the function whose address only loads, stores and these operations
are given, at places that are numbers: no other thread can store to it meanwhile, and lanes that are off get what they had.
Variables with places that are not known stay in memory anyway, and as they are.
"""

from __future__ import annotations

from voltac.ir.function_texts import rewrite_functions
from voltac.ir.scan import split_list
from voltac.ir.types import DataLayout, element_of, lanes_of
from voltac.options import Options
from voltac.system.lazy_patterns import lazy_pattern

_NAMED_TYPE = lazy_pattern(r"(?m)^(%(?:\"[^\"]*\"|[\w.$-]+)) = type (.*)$")
_NAME = lazy_pattern(r"%[\w.$-]+")
_FLAGS = lazy_pattern(r"^(?:inbounds |nuw |nusw )+")
_ACCESS = lazy_pattern(r"  (?:(%[\w.$-]+) = )?call (?:void|<\d+ x \w+>) @volta\.(load|store)\.\w+\((.*)\)((?:, !.*)?)$")
_HARMLESS = ("@llvm.lifetime.", "@llvm.memcpy.", "@llvm.memmove.", "@llvm.memset.", "#dbg_")
"""What is given an address and tells it nobody."""
_NEW = "%masked_variable."


def select_in_variables(text: str, options: Options) -> str:
    """The module's text; unchanged where no such variable is stored to under a mask."""
    if " = alloca " not in text or "@volta.store." not in text:
        return text
    layout = DataLayout(dict(_NAMED_TYPE.findall(text)), options.target.pointer_bits // 8)
    return rewrite_functions(text, lambda body: _selected(body, layout))


def _selected(body: str, layout: DataLayout) -> str:
    if " = alloca " not in body or "@volta.store." not in body or _NEW in body:
        return body
    variables = _Variables(layout)
    lines = body.split("\n")
    for line in lines:
        variables.look_at(line)
    count = 0
    for at, line in enumerate(lines):
        found = _ACCESS.match(line) if "@volta." in line else None
        if found is None:
            continue
        name, operation, (*values, pointer, mask), debug = found[1], found[2], split_list(found[3]), found[4]
        vector, value = _typed(values[0]) if values else (line.split(" = call ", 1)[1].split(" @", 1)[0], "")
        if not variables.holds(pointer.removeprefix("ptr "), vector):
            continue
        place = f"{pointer}, align {layout.size(element_of(vector))}"
        if operation == "load":
            lines[at] = f"  {name} = load {vector}, {place}{debug}"
            continue
        count += 1
        was, now = f"{_NEW}{count}.was", f"{_NEW}{count}.now"
        lines[at] = (
            f"  {was} = load {vector}, {place}{debug}\n"
            f"  {now} = select {mask}, {vector} {value}, {vector} {was}\n"
            f"  store {vector} {now}, {place}{debug}"
        )
    return "\n".join(lines) if count else body


def _typed(operand: str) -> tuple[str, str]:
    """``<8 x float> %x`` -> type and value."""
    vector, _, value = operand.partition("> ")
    return f"{vector}>", value


class _Variables:
    """Of one function, whose lines are looked at in order."""

    def __init__(self, layout: DataLayout) -> None:
        self._layout = layout
        self._sizes: dict[str, int] = {}
        """Of each variable, in bytes."""
        self._places: dict[str, tuple[str, int]] = {}
        """Pointers into a variable -> which, and how many bytes from its beginning."""
        self._others: set[str] = set()
        """Variables that stay in memory: others may see them, or a place in them is not known."""

    def look_at(self, line: str) -> None:
        """Note what a line says of variables."""
        head, _, made = line.partition(" = ")
        if made.startswith("alloca "):
            type, *rest = split_list(made[len("alloca ") :])
            if not rest or rest[0].startswith("align "):
                self._sizes[head[2:]], self._places[head[2:]] = self._layout.size(type), (head[2:], 0)
            return
        used = [name for name in _NAME.findall(made or line) if name in self._places] if self._places else []
        if not used:
            return
        if made.startswith("getelementptr "):
            self._note_place(head[2:], made[len("getelementptr ") :], used[0])
        elif len(used) > 1 or not _only_accesses(line, made, used[0]):
            self._others |= {self._places[name][0] for name in used}

    def holds(self, pointer: str, vector: str) -> bool:
        """Whether a whole vector lies there, in a variable that becomes registers."""
        variable, offset = self._places.get(pointer, ("", 0))
        if not variable or variable in self._others:
            return False
        return offset >= 0 and offset + lanes_of(vector) * self._layout.size(element_of(vector)) <= self._sizes[variable]

    def _note_place(self, name: str, text: str, base: str) -> None:
        variable, offset = self._places[base]
        type, pointer, *indices = split_list(_FLAGS.sub("", text).partition(", !")[0])
        numbers = [index.rpartition(" ")[2] for index in indices]
        if pointer != f"ptr {base}" or not all(number.lstrip("-").isdigit() for number in numbers):
            self._others.add(variable)
            return
        offset += int(numbers[0]) * self._layout.size(type)
        for number in map(int, numbers[1:]):
            body = self._layout.resolve(type)
            if body[0] == "[":
                type = body[body.index(" x ") + 3 : -1]
                offset += number * self._layout.size(type)
            elif "{" in body[:2]:
                offset += self._layout.member_offset(type, number)
                type = self._layout.members(type)[0][number]
            else:
                self._others.add(variable)
                return
        self._places[name] = variable, offset


def _only_accesses(line: str, made: str, name: str) -> bool:
    """Whether a line that names a place only loads from it or stores to it."""
    if made.startswith("load ") or any(each in line for each in _HARMLESS):
        return True
    if line.startswith("  store "):
        return f", ptr {name}," in line or line.endswith(f", ptr {name}")
    found = _ACCESS.match(line)
    return found is not None and f"ptr {name}" in split_list(found[3])[-2:]
