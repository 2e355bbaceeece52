"""Records behave as the frozen dataclasses they stand for."""

import dataclasses

import pytest

from voltac.records import field, mutable_record, record, replace
from voltac.system.deep_stack import with_deep_stack


@record
class Base:
    x: int
    y: int = 3


@record
class Derived(Base):
    z: list[int] = field(default_factory=list)


@record(eq=False)
class Nominal:
    x: int


@mutable_record
class Changing:
    x: int


def test_fields_come_in_order_base_first_with_defaults() -> None:
    assert Derived(1).y == 3
    assert [item.name for item in dataclasses.fields(Derived(1))] == ["x", "y", "z"]
    match Derived(1, 2, [4]):
        case Derived(x, y, z):
            assert (x, y, z) == (1, 2, [4])


def test_each_object_gets_a_default_of_its_own() -> None:
    assert Derived(1).z is not Derived(1).z


def test_records_compare_and_hash_by_their_fields_and_class() -> None:
    assert Base(1) == Base(1, 3)
    assert hash(Base(1)) == hash(Base(1, 3))
    assert Base(1) != Base(2)
    assert Base(1) != Derived(1)


def test_nominal_records_compare_by_identity() -> None:
    one = Nominal(1)
    assert one == one
    assert one != Nominal(1)
    assert len({one, Nominal(1)}) == 2


def test_replace_and_repr_work() -> None:
    assert replace(Base(1), x=5) == Base(5)
    assert repr(Base(1)) == "Base(x=1, y=3)"


def test_a_mutable_record_changes_and_has_no_hash() -> None:
    changing = Changing(1)
    changing.x = 2
    assert changing == Changing(2)
    assert Changing.__hash__ is None


def test_a_class_made_before_its_base_has_objects_keeps_its_own_fields() -> None:
    @record
    class Shape:
        sides: int

    @record
    class Named(Shape):
        name: str = "none"

    assert Named(3) == Named(sides=3, name="none")
    assert Shape(4).sides == 4
    assert repr(Named(4, "square")) == "Named(sides=4, name='square')"
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'sides'"):
        Shape()  # type: ignore[call-arg]


def test_the_first_object_may_be_made_deeper_in_calls_than_the_process_allows() -> None:
    """Python compiles ``__init__`` then, and its compiler asks for the limit of the process, not for the thread's."""

    @record
    class Leaf:
        a: int

    def deep(calls: int) -> Leaf:
        return deep(calls - 1) if calls else Leaf(3)

    assert with_deep_stack(lambda: deep(20_000)).a == 3
