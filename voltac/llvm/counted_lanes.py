"""Elements of arrays of each lane's own at an index that is one number in all lanes -> vectors, which become registers.

    int k = 0;                 // varying       %at = getelementptr <8 x i8>, ptr %v, <8 x i64> splat (i64 3)
    ...                                         %own = getelementptr i8, <8 x ptr> %at, <8 x i64> <i64 0, i64 1, ..., i64 7>
    v[k++] = a[i + j];                          call void @volta.scatter.v8i8(<8 x i8> %x, <8 x ptr> %own, <8 x i1> %m)
                                            ->  %place = getelementptr <8 x i8>, ptr %v, i64 3
                                                store (%m ? %x : what is there)

What proves it: the array is a local one that has such an element, all lanes of which may be read and written; no other thread
sees it, and lanes that are off get what they had. Off lanes of a load are zero, as those of a masked one.
"""

from __future__ import annotations

from voltac.ir.constants import integers
from voltac.ir.types import element_of
from voltac.system.lazy_patterns import lazy_pattern

_ARRAY = lazy_pattern(r"  (%[\w.$-]+) = alloca \[(\d+) x (<(\d+) x \w+>)\]")
_ELEMENT = lazy_pattern(
    r"  (%[\w.$-]+) = getelementptr (?:inbounds )?(<(\d+) x \w+>), ptr (%[\w.$-]+), (<\d+ x i(?:32|64)>) "
    r"(zeroinitializer|splat \(i\d+ \d+\))"
)
_LANES = lazy_pattern(
    r"  (%[\w.$-]+) = getelementptr (?:inbounds )?(\w+), <(\d+) x ptr> (%[\w.$-]+), (<\d+ x i(?:32|64)>) (<[^<>]*>)"
)
_STORE = lazy_pattern(
    r"  call void @volta\.scatter\.\w+\((<(\d+) x \w+>) (.+?), <\d+ x ptr> (%[\w.$-]+), <\d+ x i1> (.+?)\)((?:, !.*)?)$"
)
_LOAD = lazy_pattern(
    r"  (%[\w.$-]+) = call (<(\d+) x \w+>) @volta\.gather\.\w+\(<\d+ x ptr> (%[\w.$-]+), <\d+ x i1> (.+?)\)((?:, !.*)?)$"
)
_SIZES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "half": 2, "float": 4, "double": 8}
"""Bytes of an element, at a multiple of which vectors of it lie; of others nothing is said."""
_ALL = "splat (i1 true)"
_NEW = "%known_lanes."


class KnownLanes:
    """The lines of one function, in order, as far as they are of such elements."""

    def __init__(self, body: str) -> None:
        self._is_fresh = _NEW not in body
        self._arrays: dict[str, tuple[int, str]] = {}
        """Array -> how many elements, and their type."""
        self._elements: dict[str, tuple[str, str, int]] = {}
        """Pointers to one element in all lanes -> its type, the array, its place."""
        self._places: dict[str, tuple[str, str, int]] = {}
        """Pointers to what each lane has of it."""
        self._count = 0

    def rewritten(self, line: str) -> list[str] | None:
        """What comes instead of a line; None where it stays."""
        if " = alloca [" in line:
            if (found := _ARRAY.match(line)) is not None:
                self._arrays[found[1]] = int(found[2]), found[3]
        elif not self._arrays or not self._is_fresh:
            return None
        elif " = getelementptr " in line:
            self._note(line)
        elif "@volta.scatter." in line and self._places:
            found = _STORE.match(line)
            if found is not None and (place := self._places.get(found[4])) and place[0] == found[1]:
                return self._stored(place, found[3], found[5], found[6])
        elif "@volta.gather." in line and self._places:
            found = _LOAD.match(line)
            if found is not None and (place := self._places.get(found[4])) and place[0] == found[2]:
                return self._loaded(place, found[1], found[5], found[6])
        return None

    def pointers(self) -> list[str]:
        """Those that were known, in order; where all that used them was rewritten nothing does any more."""
        return [*self._elements, *self._places] if self._count else []

    def _note(self, line: str) -> None:
        if (found := _ELEMENT.match(line)) is not None:
            count, vector = self._arrays.get(found[4], (0, ""))
            numbers = integers(found[5], found[6])
            if vector == found[2] and numbers and numbers[0] < count and len(numbers) == int(found[3]):
                self._elements[found[1]] = vector, found[4], numbers[0]
        elif (found := _LANES.match(line)) is not None:
            vector, array, place = self._elements.get(found[4], ("", "", 0))
            numbers = integers(found[5], found[6])
            if vector == f"<{found[3]} x {found[2]}>" and numbers and list(numbers) == list(range(int(found[3]))):
                self._places[found[1]] = vector, array, place

    def _fresh(self) -> str:
        self._count += 1
        return f"{_NEW}{self._count}"

    def _stored(self, place: tuple[str, str, int], value: str, mask: str, debug: str) -> list[str]:
        (vector, array, at), pointer = place, self._fresh()
        lines = [f"  {pointer} = getelementptr {vector}, ptr {array}, i64 {at}"]
        if mask != _ALL:
            before, after = self._fresh(), self._fresh()
            lines.append(f"  {before} = load {vector}, ptr {pointer}, align {_alignment(vector)}")
            lines.append(f"  {after} = select {_mask_of(vector)} {mask}, {vector} {value}, {vector} {before}")
            value = after
        return [*lines, f"  store {vector} {value}, ptr {pointer}, align {_alignment(vector)}{debug}"]

    def _loaded(self, place: tuple[str, str, int], name: str, mask: str, debug: str) -> list[str]:
        (vector, array, at), pointer = place, self._fresh()
        lines = [f"  {pointer} = getelementptr {vector}, ptr {array}, i64 {at}"]
        if mask == _ALL:
            return [*lines, f"  {name} = load {vector}, ptr {pointer}, align {_alignment(vector)}{debug}"]
        whole = self._fresh()
        lines.append(f"  {whole} = load {vector}, ptr {pointer}, align {_alignment(vector)}{debug}")
        return [*lines, f"  {name} = select {_mask_of(vector)} {mask}, {vector} {whole}, {vector} zeroinitializer"]


def _alignment(vector: str) -> int:
    return _SIZES.get(element_of(vector), 1)


def _mask_of(vector: str) -> str:
    return f"{vector[: vector.index(' x ')]} x i1>"
