"""What every expression of the typed tree means: one method a node.

``active`` is the set of lanes that execute the expression; it is never empty.
Results in other lanes are unspecified, and memory is not touched for them. The file is as
long as the table of nodes: a method is a few lines, and they call each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from voltac.messages.message import Span
from voltac.sema import tree
from voltac.sema.builtins import BUILTINS
from voltac.sema.types import VARYING, Array, Pointer, Qual, Struct, Vector, Void

from . import arithmetic
from .builtins import InterpretedGang
from .intrinsics import find_intrinsic
from .machine import InterpreterError, Location, ProgramState, QuotientOverflow, ZeroDivisor, location_of
from .memory import MemoryFault
from .values import ADDRESS, Mask, Value, broadcast, constant, dtype_of, is_slice, lanes_holding, merge, shared_members

CallFunction = Callable[..., Value]
"""``call(function, arguments, active, task={})``: runs the function's body."""


_FUSED = ("__fma", "__mad")


class Expressions:
    """Evaluates values and places on a machine; ``call`` is how function bodies are run."""

    def __init__(self, machine: ProgramState, call: CallFunction) -> None:
        self.machine = machine
        self.call = call
        self._methods: dict[type, Callable[[Any, Mask], Value]] = {
            tree.Constant: self.constant,
            tree.ProgramIndex: self.program_index,
            tree.ActiveMask: self.active_mask,
            tree.TaskVariable: self.task_variable,
            tree.Load: self.load,
            tree.AddressOf: self.address_of,
            tree.FunctionAddress: self.function_address,
            tree.Convert: self.convert,
            tree.Broadcast: self.broadcast,
            tree.Splat: self.splat,
            tree.Unary: self.unary,
            tree.Binary: self.binary,
            tree.PointerOffset: self.pointer_offset,
            tree.PointerDifference: self.pointer_difference,
            tree.Logical: self.logical,
            tree.Conditional: self.conditional,
            tree.Assign: self.assign,
            tree.CompoundAssign: self.compound_assign,
            tree.Increment: self.increment,
            tree.Comma: self.comma,
            tree.Swizzle: self.swizzle,
            tree.Call: self.call_function,
            tree.CallPointer: self.call_pointer,
            tree.Builtin: self.builtin,
            tree.Intrinsic: self.intrinsic,
            tree.New: self.new,
            tree.Alloca: self.alloca,
            tree.Launch: self.launch,
        }

    def evaluate(self, node: tree.Value, active: Mask) -> Value:
        """The value of an expression: one, or one for each lane."""
        return self._methods[type(node)](node, active)

    # --- places ---

    def location(self, place: tree.Place, active: Mask) -> Location:
        """Where a place lies, its address and index expressions evaluated once."""
        match place:
            case tree.Variable():
                return self.machine.variable(place.symbol)
            case tree.Deref():
                return location_of(self.evaluate(place.pointer, active), place.storage)
            case tree.Element():
                aggregate = self.location(place.aggregate, active)
                return self.machine.element(aggregate, self.evaluate(place.index, active))
            case tree.MemberPlace():
                return self.machine.member(self.location(place.struct, active), place.index)
            case tree.Temporary():
                value = self.evaluate(place.value, active)
                location = Location(place.storage, ADDRESS.type(self.machine.new_local(place.storage, "a temporary")))
                self.machine.store(location, value, self.machine.all_on, place.span)
                return location
        raise TypeError(f"{type(place).__name__} is no place")

    def load(self, node: tree.Load, active: Mask) -> Value:
        """What lies at a place, for the lanes that are on."""
        location = self.location(node.place, active)
        value = self.machine.load(location, active, node.span)
        if isinstance(node.type.type, Struct) and location.address.ndim:
            return shared_members(value, node.type, active)
        return value

    def address_of(self, node: tree.AddressOf, active: Mask) -> Value:
        """``&place``: a pointer, or for soa data block and slot."""
        return self.location(node.place, active).pointer

    def write(self, place: tree.Place, location: Location, value: Value, lanes: Mask) -> None:
        """Store in these lanes, and tell the trace."""
        self.machine.store(location, value, lanes, place.span)
        if self.machine.trace is not None:
            self.machine.trace.wrote(place, value, lanes)

    def initialize(self, location: Location, initial: tree.Initializer, active: Mask, lanes: Mask) -> None:
        """Stores an initializer, evaluated by the ``active`` lanes, in ``lanes`` of an object; what it leaves out is zero."""
        machine = self.machine
        if isinstance(initial, tree.Value):
            machine.store(location, self.evaluate(initial, active), lanes, initial.span)
        elif isinstance(initial, tree.LaneList):
            values = [self.evaluate(element, active) for element in initial.elements]
            machine.store(location, np.array(values, values[0].dtype), lanes, initial.span)
        else:
            if location.storage.rate.kind != "soa":  # which is initialised in all its parts
                machine.store(location, constant(0, location.storage, machine.width), lanes, initial.span)
            for index, element in enumerate(initial.elements):
                self.initialize(machine.part(location, index), element, active, lanes)

    # --- simple values ---

    def constant(self, node: tree.Constant, active: Mask) -> Value:
        """The same in all lanes."""
        return constant(node.value, node.type, self.machine.width)

    def program_index(self, node: tree.ProgramIndex, active: Mask) -> Value:
        """0 to W - 1 (8.11)."""
        return np.arange(self.machine.width, dtype=np.int32)

    def active_mask(self, node: tree.ActiveMask, active: Mask) -> Value:
        """All bits of a lane that is on; of the others none."""
        dtype = dtype_of(node.type.type)
        return active.copy() if dtype == np.bool_ else np.where(active, np.iinfo(dtype).max, 0).astype(dtype)

    def task_variable(self, node: tree.TaskVariable, active: Mask) -> Value:
        """``taskIndex`` and the others, of the task that runs (11)."""
        return np.uint32(self.machine.frame.task[node.name])

    def function_address(self, node: tree.FunctionAddress, active: Mask) -> Value:
        """A fake address, by which the function is found again."""
        return ADDRESS.type(self.machine.function_address(node.function))

    # --- conversions ---

    def convert(self, node: tree.Convert, active: Mask) -> Value:
        """To another type at the same rate (6.2)."""
        value, source, target = self.evaluate(node.value, active), node.value.type.type, node.type.type
        match target:
            case Void():
                return None
            case Vector(element, _):
                return arithmetic.convert(value, element)
            case Struct() | Array():
                return value
        if is_slice(source):
            return value if is_slice(target) else arithmetic.convert(value[0], target)
        return arithmetic.convert(value, target)

    def broadcast(self, node: tree.Broadcast, active: Mask) -> Value:
        """The uniform value in every lane."""
        return broadcast(self.evaluate(node.value, active), node.value.type, node.type, self.machine.width)

    def splat(self, node: tree.Splat, active: Mask) -> Value:
        """The value in every element of a short vector (5.8)."""
        assert isinstance(node.type.type, Vector)
        return np.stack([self.evaluate(node.value, active)] * node.type.type.count)

    def swizzle(self, node: tree.Swizzle, active: Mask) -> Value:
        """Elements of a short vector in another order (5.8)."""
        return self.evaluate(node.value, active)[list(node.indices)]

    # --- operators ---

    def unary(self, node: tree.Unary, active: Mask) -> Value:
        """``-``, ``~`` and ``!``; both sides of the operation have one type."""
        return arithmetic.UNARY[node.operator](self.evaluate(node.operand, active))

    def binary(self, node: tree.Binary, active: Mask) -> Value:
        """Arithmetic and comparisons; the tree has converted both operands already."""
        left, right = self.evaluate(node.left, active), self.evaluate(node.right, active)
        if is_slice(node.left.type.type):
            # Blocks are farther apart than there are slots in one.
            left, right = left[0] + left[1], right[0] + right[1]
        return self.operate(node.operator, left, right, node.type, active, node.span)

    def operate(self, operator: str, left: Value, right: Value, qual: Qual, active: Mask, span: Span) -> Value:
        """An operator on values; division by zero is an error if a lane that is on does it."""
        if operator in ("/", "%") and left.dtype.kind != "f":
            what = "division" if operator == "/" else "remainder"
            zero = np.asarray(right == 0)
            if qual.rate == VARYING:
                zero = zero & active
            if zero.any():
                raise ZeroDivisor(f"integer {what} by zero", span, _first_lane(zero))
            bits = 8 * left.dtype.itemsize
            if left.dtype.kind == "i" and bits >= 32 and qual.rate != VARYING and not self.machine.options.wrap_signed:
                least = np.iinfo(left.dtype).min
                if np.any((right == -1) & (left == least)):
                    raise QuotientOverflow(f"integer {what} of {least} by -1 overflows int{bits}", span)
        if self.machine.computed is not None and left.dtype.kind == "f" and operator in ("+", "-", "*", "/"):
            self.machine.computed(_lanes_of(left, active))
        return arithmetic.binary(operator, left, right)

    def pointer_offset(self, node: tree.PointerOffset, active: Mask) -> Value:
        """``p + i``, ``p - i`` (5.5)."""
        pointer, index = self.evaluate(node.pointer, active), self.evaluate(node.index, active)
        return self.offset(pointer, node.pointer.type, index, node.negative)

    def offset(self, pointer: Value, qual: Qual, index: Value, negative: bool) -> Value:
        """A pointer moved by ``index`` elements."""
        assert isinstance(qual.type, Pointer)
        to = qual.type.to
        steps = np.negative(index.astype(ADDRESS)) if negative else index.astype(ADDRESS)
        if is_slice(qual.type):
            return self.machine.soa_element(location_of(pointer, to), steps).pointer
        return pointer + steps * ADDRESS.type(self.machine.layout.size(to))

    def pointer_difference(self, node: tree.PointerDifference, active: Mask) -> Value:
        """``p - q`` in elements (5.5)."""
        left, right = self.evaluate(node.left, active), self.evaluate(node.right, active)
        assert isinstance(node.left.type.type, Pointer)
        to = node.left.type.type.to
        size = self.machine.layout.size(to)
        if is_slice(node.left.type.type):
            blocks = (left[0] - right[0]).astype(np.int64) // size
            distance = blocks * to.rate.width + (left[1] - right[1]).astype(np.int64)
        else:
            distance = (left - right).astype(np.int64) // size
        return distance.astype(dtype_of(node.type.type))

    def logical(self, node: tree.Logical, active: Mask) -> Value:
        """``&&`` and ``||``: the right operand for the lanes that the left one does not decide (8.2)."""
        left = self.evaluate(node.left, active)
        conjunction = node.operator == "&&"
        if isinstance(node.type.type, Vector):
            right = self.evaluate(node.right, active)
            return left & right if conjunction else left | right
        if node.type.rate != VARYING:
            return np.bool_(self.evaluate(node.right, active)) if left == conjunction else left
        undecided = active & left if conjunction else active & ~left
        if not undecided.any():
            return left
        return np.where(undecided, self.evaluate(node.right, undecided), left)

    def conditional(self, node: tree.Conditional, active: Mask) -> Value:
        """``?:``: each side for its lanes (8.2); of short vectors, both for all."""
        test = self.evaluate(node.test, active)
        if isinstance(node.test.type.type, Vector):
            then, otherwise = self.evaluate(node.then, active), self.evaluate(node.otherwise, active)
            return np.where(test, then, otherwise)
        if node.test.type.rate != VARYING:
            return self.evaluate(node.then if test else node.otherwise, active)
        yes, no = active & test, active & ~test
        if not no.any():
            return self.evaluate(node.then, yes)
        if not yes.any():
            return self.evaluate(node.otherwise, no)
        then = self.evaluate(node.then, yes)
        return merge(yes, then, self.evaluate(node.otherwise, no), node.type)

    def comma(self, node: tree.Comma, active: Mask) -> Value:
        """Both, in order."""
        self.evaluate(node.first, active)
        return self.evaluate(node.second, active)

    # --- assignments ---

    def assign(self, node: tree.Assign, active: Mask) -> Value:
        """The value first, then the place, then the store (8.3)."""
        value = self.evaluate(node.value, active)
        self.write(node.place, self.location(node.place, active), value, active)
        return value

    def compound_assign(self, node: tree.CompoundAssign, active: Mask) -> Value:
        """The value first; the place is evaluated once (8.3)."""
        value = self.evaluate(node.value, active)
        location, qual = self.location(node.place, active), node.place.type
        old = self.machine.load(location, active, node.span)
        if isinstance(qual.type, Pointer):
            new = self.offset(old, qual, value, node.operator == "-")
        else:
            new = self.operate(node.operator, old, value, qual, active, node.span)
        self.write(node.place, location, new, active)
        return new

    def increment(self, node: tree.Increment, active: Mask) -> Value:
        """``++`` and ``--`` (8.4), before or behind."""
        location, qual = self.location(node.place, active), node.place.type
        old = self.machine.load(location, active, node.span)
        negative = node.operator == "--"
        if isinstance(qual.type, Pointer):
            new = self.offset(old, qual, np.int64(1), negative)
        else:
            new = arithmetic.binary("-" if negative else "+", old, constant(1, qual, self.machine.width))
        self.write(node.place, location, new, active)
        return new if node.prefix else old

    # --- calls ---

    def arguments(self, nodes: Sequence[tree.Value], active: Mask) -> list[Value]:
        """From left to right."""
        return [self.evaluate(node, active) for node in nodes]

    def call_function(self, node: tree.Call, active: Mask) -> Value:
        """A call by name, under the mask of the caller (10.3)."""
        return self.call(node.function, self.arguments(node.arguments, active), active, span=node.span)

    def call_pointer(self, node: tree.CallPointer, active: Mask) -> Value:
        """A call through a pointer; a varying one calls each function once, for its lanes (5.12)."""
        pointer, arguments = self.evaluate(node.pointer, active), self.arguments(node.arguments, active)
        if pointer.ndim == 0:
            return self.call(self.machine.function_at(int(pointer), node.span), arguments, active, span=node.span)
        result: Value = None
        for address, lanes in lanes_holding(pointer, active):
            function = self.machine.function_at(int(address), node.span, int(np.argmax(lanes)))
            part = self.call(function, arguments, lanes, span=node.span)
            result = part if result is None else merge(lanes, part, result, node.type)
        return result

    def builtin(self, node: tree.Builtin, active: Mask) -> Value:
        """What ``builtins.py`` says of it."""
        arguments = self.arguments(node.arguments, active)
        if self.machine.computed is not None and node.name in _FUSED:
            self.machine.computed(2 * _lanes_of(arguments[0], active))
        element = node.type.type
        dtype = None if isinstance(element, Void) else dtype_of(element)
        try:
            machine = self.machine
            gang = InterpretedGang(active, machine.width, dtype, machine.memory, machine.options.target)
            return BUILTINS[node.name].meaning(gang, *arguments)
        except MemoryFault as fault:
            raise InterpreterError(str(fault), node.span) from None

    def intrinsic(self, node: tree.Intrinsic, active: Mask) -> Value:
        """What ``intrinsics.py`` says of it; others are not known."""
        meaning = find_intrinsic(node.name)
        if meaning is None:
            raise InterpreterError(f"the interpreter does not know the intrinsic {node.name}", node.span)
        return meaning(*self.arguments(node.arguments, active))

    def launch(self, node: tree.Launch, active: Mask) -> Value:
        """Tasks run one after the other, right here, with all lanes on."""
        machine = self.machine
        function = node.function
        if not isinstance(function, tree.FunctionSymbol):
            function = machine.function_at(int(self.evaluate(function, active)), node.span)
        counts = [int(count) for count in self.arguments(node.counts, active)]
        arguments = self.arguments(node.arguments, active)
        names = {f"taskCount{dimension}": count for dimension, count in enumerate(counts)}
        names |= {"taskCount": counts[0] * counts[1] * counts[2], "threadIndex": 0, "threadCount": 1}
        for number in range(names["taskCount"]):
            indices = number % counts[0], number // counts[0] % counts[1], number // (counts[0] * counts[1])
            own = {f"taskIndex{dimension}": index for dimension, index in enumerate(indices)}
            self.call(function, arguments, machine.all_on, span=node.span, task=names | own | {"taskIndex": number})
        return None

    # --- memory ---

    def new(self, node: tree.New, active: Mask) -> Value:
        """``new`` (8.9): an allocation, or one for each lane that is on."""
        machine, pointer = self.machine, node.type.type
        assert isinstance(pointer, Pointer)
        count = np.int64(1) if node.count is None else self.evaluate(node.count, active)
        size, alignment = machine.layout.size(pointer.to), max(machine.layout.alignment(pointer.to), 16)
        if (np.asarray(count)[active if count.ndim else ()] < 0).any():
            raise InterpreterError("new with a negative number of elements", node.span)
        address: Value
        if node.type.rate == VARYING:
            counts = np.broadcast_to(count, machine.width)
            address = np.zeros(machine.width, ADDRESS)
            for lane in np.flatnonzero(active):
                name = f"an object made by new in lane {lane}"
                address[lane] = machine.memory.allocate(size * int(counts[lane]), alignment, name, freeable=True)
        else:
            one = machine.memory.allocate(size * int(count), alignment, "an object made by new", freeable=True)
            address = ADDRESS.type(one)
        if node.initial is not None:
            self.initialize(Location(pointer.to, address), node.initial, active, active)
        return Location(pointer.to, address).pointer

    def delete(self, node: tree.Delete, active: Mask) -> None:
        """Memory of ``new`` is given back; NULL is nothing, and any other address an error."""
        pointer = self.evaluate(node.pointer, active)
        if is_slice(node.pointer.type.type):
            pointer = pointer[0]
        lanes: list[int | None] = [int(lane) for lane in np.flatnonzero(active)] if pointer.ndim else [None]
        for lane in lanes:
            address = int(pointer if lane is None else pointer[lane])
            try:
                if address:
                    self.machine.memory.free(address)
            except MemoryFault as fault:
                raise InterpreterError(str(fault), node.span, lane) from None

    def alloca(self, node: tree.Alloca, active: Mask) -> Value:
        """Memory that the end of the function gives back."""
        size = int(self.evaluate(node.size, active))
        address = self.machine.memory.allocate(size, 64, "an object made by alloca")
        self.machine.frame.objects.append(address)
        return ADDRESS.type(address)


def _lanes_of(value: Value, active: Mask) -> int:
    """Scalars of a value in lanes that are on; of a uniform one all."""
    return int(value.size // active.size * active.sum()) if value.shape[-1:] == active.shape else int(value.size)


def _first_lane(lanes: Mask) -> int | None:
    """The first lane that is on; None for what has no lanes."""
    return int(np.argwhere(lanes)[0][-1]) if lanes.ndim else None
