"""Foreach loops over pseudo operations as the front end writes them, compiled and run next to unreadable memory."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voltac import passes
from voltac.ir.interp import IRInterpreter
from voltac.ir.pseudo_operations import ELEMENT_SUFFIXES, declaration
from voltac.ir.read import read
from voltac.llvm import can_run, early, late, load_objects
from voltac.options import Options
from voltac.target_info import find_target

ELEMENT_TYPES = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "float": np.float32, "double": np.float64}


@dataclass
class Body:
    """Writes instructions of one loop body; names get a suffix so that the body can be written twice."""

    width: int
    suffix: str
    lanes: str
    mask: str
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def value(self, text: str) -> str:
        self.count += 1
        name = f"%t{self.count}{self.suffix}"
        self.lines.append(f"  {name} = {text}")
        return name

    def operation(self, operation: str, first: str, second: str | int) -> str:
        if isinstance(second, int):
            second = f"splat (i32 {second})"
        return self.value(f"{operation} <{self.width} x i32> {first}, {second}")

    def splat(self, scalar: str, element: str = "i32") -> str:
        vector = f"<{self.width} x {element}>"
        one = self.value(f"insertelement {vector} poison, {element} {scalar}, i64 0")
        return self.value(f"shufflevector {vector} {one}, {vector} poison, <{self.width} x i32> zeroinitializer")

    def pointers(self, base: str, index: str, element: str, member: str = "") -> str:
        wide = self.value(f"sext <{self.width} x i32> {index} to <{self.width} x i64>")
        return self.value(f"getelementptr {element}, ptr {base}, <{self.width} x i64> {wide}{member}")

    def gather(self, element: str, base: str, index: str, struct: str = "", member: int = 0) -> str:
        pointers = self.pointers(base, index, struct or element, f", i32 {member}" if struct else "")
        name = f"@volta.gather.v{self.width}{ELEMENT_SUFFIXES[element]}"
        vector = f"<{self.width} x {element}>"
        return self.value(f"call {vector} {name}(<{self.width} x ptr> {pointers}, <{self.width} x i1> {self.mask})")

    def scatter(self, element: str, value: str, base: str, index: str, struct: str = "", member: int = 0) -> None:
        pointers = self.pointers(base, index, struct or element, f", i32 {member}" if struct else "")
        name = f"@volta.scatter.v{self.width}{ELEMENT_SUFFIXES[element]}"
        arguments = f"<{self.width} x {element}> {value}, <{self.width} x ptr> {pointers}, <{self.width} x i1> {self.mask}"
        self.lines.append(f"  call void {name}({arguments})")


def foreach(width: int, parameters: str, write: Callable[[Body], None], start: str = "0", whole: bool = False) -> str:
    """``foreach (i = start ... n)``: an all-on loop and a masked tail; ``whole`` rounds n down first, so without a tail."""

    def body(suffix: str, counter: str, mask: str) -> str:
        made = Body(width, suffix, "", mask)
        iota = "<" + ", ".join(f"i32 {lane}" for lane in range(width)) + ">"
        made.lanes = made.operation("add nsw", made.splat(counter), iota)
        if mask == "tail":
            made.mask = made.value(f"icmp ult <{width} x i32> {iota}, {made.splat('%odd')}")
        write(made)
        return "\n".join(made.lines)

    declarations = "\n".join(
        declaration(f"volta.{operation}", element, width) for operation in ("gather", "scatter") for element in ELEMENT_TYPES
    )
    return f"""define void @f({parameters}) {{
entry:
  %end = {f"and i32 %n, {-width}" if whole else "add nsw i32 %n, 0"}
  %length = sub nsw i32 %end, {start}
  %odd = and i32 %length, {width - 1}
  %aligned = sub i32 %end, %odd
  %any = icmp slt i32 {start}, %end
  br i1 %any, label %test, label %exit

test:
  %i = phi i32 [ {start}, %entry ], [ %i.next, %foreach_1_1.all_on ]
  %more = icmp slt i32 %i, %aligned
  br i1 %more, label %foreach_1_1.all_on, label %rest

foreach_1_1.all_on:
{body("a", "%i", "splat (i1 true)")}
  %i.next = add nsw i32 %i, {width}
  br label %test

rest:
  %tail = icmp ne i32 %odd, 0
  br i1 %tail, label %foreach_1_1.masked, label %exit

foreach_1_1.masked:
  %rest.start = call i32 @llvm.smax.i32(i32 %aligned, i32 {start})
{body("m", "%rest.start", "tail")}
  br label %exit

exit:
  ret void
}}

{declarations}
declare i32 @llvm.smax.i32(i32, i32)
"""


def options(target: str, **others: Any) -> Options:
    return Options(target=find_target(target), **others)


def compiled(text: str, chosen: Options) -> tuple[str, str]:
    """The IR after the passes, and the assembly."""
    resolved = passes.run(early(text, chosen), chosen)
    return resolved, late(resolved, chosen).assembly()


def loop_body(assembly: str) -> list[str]:
    """Instructions of the first innermost loop: from its label to the jump back."""
    lines = assembly.split("\n")
    for number, line in enumerate(lines):
        parts = line.split()
        if parts and parts[0].startswith("j") and len(parts) == 2:
            label = parts[1] + ":"
            for start in range(number - 1, -1, -1):
                if lines[start].startswith(label):
                    body = [each.strip() for each in lines[start + 1 : number + 1]]
                    return [each for each in body if each and not each.startswith((".", "#"))]
    raise AssertionError("there is no loop in\n" + assembly)


class Program:
    """The function ``f`` of a text, to be called with pointers and numbers.

    Where this CPU cannot run its code, the interpreter of the IR runs the module that LLVM is done with.
    """

    def __init__(self, text: str, chosen: Options) -> None:
        made = late(passes.run(early(text, chosen), chosen), chosen)
        self._module = None if can_run(chosen.target) else read(made.text())
        if self._module is None:
            self._loaded = load_objects([made.object_code()], ["f"])
            self._function = ctypes.CFUNCTYPE(None)(self._loaded.address("f"))

    def __call__(self, *arguments: Pointer | int) -> None:
        if self._module is None:
            self._function(*[ctypes.c_int(each) if isinstance(each, int) else each.native() for each in arguments])
        else:
            machine = IRInterpreter(self._module, new_is_poison=False)
            places = {id(each.to): each.to.placed(machine) for each in arguments if isinstance(each, Pointer)}
            machine.call("f", [each if isinstance(each, int) else places[id(each.to)] - each.before for each in arguments])


@dataclass
class Pointer:
    """To so many bytes before the first element of an array."""

    to: Fenced
    before: int

    def native(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.to.address - self.before)


PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)


class Fenced:
    """An array whose first byte follows, or whose last byte precedes, a page that cannot be touched."""

    def __init__(self, contents: NDArray[np.generic], at_end: bool) -> None:
        size = contents.nbytes
        pages = max(1, -(-size // PAGE))
        self._map = mmap.mmap(-1, (pages + 2) * PAGE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self._start = start
        offset = PAGE + (pages * PAGE - size if at_end else 0)
        self.array = np.frombuffer(self._map, contents.dtype, contents.size, offset)
        self.array[:] = contents.ravel()
        self._protect(start, PAGE, 0)
        self._protect(start + (pages + 1) * PAGE, PAGE, 0)
        self.address = start + offset

    def _protect(self, address: int, size: int, rights: int) -> None:
        if _libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(size), rights):
            raise OSError(ctypes.get_errno(), "mprotect")

    def pointer(self, before: int = 0) -> Pointer:
        """To the element ``before`` places in front of the first one."""
        return Pointer(self, before * self.array.itemsize)

    def placed(self, machine: IRInterpreter) -> int:
        """The address of the array as an object of its own in the memory of an interpreter."""
        data = self.array.view(np.uint8).data
        return machine.memory.place("array", data, defined=True, alignment=self.array.itemsize, writable=True).base
