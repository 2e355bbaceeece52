"""``@record``: what ``@dataclass(frozen=True)`` declares, made twenty times faster.

The trees have some two hundred node classes. ``dataclass`` compiles half a dozen
functions for each, 0.8 ms a class, and that alone would take longer than
compiling a small program. A record compiles its ``__init__`` when the first object is
made, which most classes never see in a small compilation, and shares the rest. That nobody
assigns to a field is checked by mypy, not at run time, so making a node costs plain
assignments. ``__post_init__`` and ``dataclasses.fields`` work; what the compile path needs
of that module (20 ms to import) is here: ``field``, ``replace``.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from dataclasses import Field

T = TypeVar("T")


class _Factory:
    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def field(*, default_factory: Callable[[], T]) -> T:
    """A default that is made anew for each object."""
    made: Any = _Factory(default_factory)
    return made  # type: ignore[no-any-return]


def replace(record: T, /, **changes: Any) -> T:
    """A copy with some fields changed."""
    cls: Any = type(record)
    copy: T = cls(**{name: getattr(record, name) for name in cls.__match_args__} | changes)
    return copy


@overload
def record(cls: type[T], /) -> type[T]: ...


@overload
def record(*, eq: bool = True) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[Any] | None = None, /, *, eq: bool = True) -> Any:
    """Make a class with annotated fields an immutable record; with ``eq`` false it compares by identity."""
    return _make(cls, eq, True) if cls is not None else lambda cls: _make(cls, eq, True)


@overload
def mutable_record(cls: type[T], /) -> type[T]: ...


@overload
def mutable_record(*, eq: bool = True) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(field_specifiers=(field,))
def mutable_record(cls: type[Any] | None = None, /, *, eq: bool = True) -> Any:
    """The same for objects whose fields may be assigned."""
    return _make(cls, eq, False) if cls is not None else lambda cls: _make(cls, eq, False)


def _make(cls: Any, eq: bool, frozen: bool) -> Any:
    own = cls.__dict__
    names = list(getattr(cls, "__match_args__", ()))
    names += [name for name in cls.__annotations__ if name not in names]

    def first(self: Any, *values: Any, **named: Any) -> None:
        defaults = {name: getattr(cls, name) for name in names if hasattr(cls, name)}
        cls.__init__ = made = _at_any_depth(lambda: _initializer(names, defaults, "__post_init__" in own))
        made(self, *values, **named)

    cls.__init__ = first
    cls.__match_args__ = tuple(names)  # type: ignore[misc]
    cls.__dataclass_fields__ = _Fields()
    if "__repr__" not in own:
        cls.__repr__ = _repr
    if eq and "__eq__" not in own:
        cls._record_key = attrgetter(*names) if names else None
        cls.__eq__ = _equal
        cls.__hash__ = _hash if frozen else None
    elif not eq:
        cls.__eq__, cls.__hash__ = object.__eq__, object.__hash__
    return cls


def _at_any_depth(make: Callable[[], T]) -> T:
    """What ``make`` compiles, deep in calls too: Python compiles by the limit of the process, not of this thread."""
    try:
        return make()
    except RecursionError:
        import threading  # seldom needed

        made: list[T] = []
        thread = threading.Thread(target=lambda: made.append(make()))
        thread.start()
        thread.join()
        return made[0]


def _initializer(names: list[str], defaults: dict[str, Any], finishes: bool) -> Callable[..., None]:
    """The ``__init__`` of a class with these fields; ``finishes`` calls ``__post_init__``."""
    given = [defaults[name] for name in names if name in defaults]
    if any(name not in defaults for name in names[len(names) - len(given) :]):
        raise TypeError("a field without a default follows one with a default")
    makers = {f"_{name}": value.make for name, value in defaults.items() if isinstance(value, _Factory)}
    code = _code(tuple(f"_{name}" in makers for name in names), finishes)
    renamed = {f"{mark}f{number}": f"{mark}{name}" for number, name in enumerate(names) for mark in ("", "_")}
    code = code.replace(
        co_varnames=("self", *names),
        co_names=tuple(renamed.get(name, name) for name in code.co_names),
    )
    values = tuple(_NONE if isinstance(value, _Factory) else value for value in given)
    return FunctionType(code, {"_NONE": _NONE, **makers}, "__init__", values)


codes: dict[tuple[tuple[bool, ...], bool], CodeType] = {}
"""Of initializers, by what :func:`_code` makes them of. The command begins with those of processes before."""


def _code(fresh: tuple[bool, ...], finishes: bool) -> CodeType:
    """That of all classes with as many fields, of which the same have values made anew: the names are put in later.

    To compile takes 0.1 ms, and there are few kinds of records.
    """
    if (fresh, finishes) not in codes:
        body = [
            f"self.f{number} = " + (f"_f{number}() if f{number} is _NONE else f{number}" if made else f"f{number}")
            for number, made in enumerate(fresh)
        ]
        body.append("self.__post_init__()" if finishes else "pass")
        text = ", ".join(["self", *(f"f{number}" for number in range(len(fresh)))])
        scope: dict[str, Any] = {}
        exec(f"def __init__({text}):\n  " + "\n  ".join(body), scope)
        codes[fresh, finishes] = scope["__init__"].__code__
    return codes[fresh, finishes]


_NONE: Any = object()


def _repr(self: Any) -> str:
    return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__match_args__)})"


def _equal(self: Any, other: Any) -> Any:
    if type(self) is not type(other):
        return NotImplemented
    key = type(self)._record_key
    return self is other or key is None or key(self) == key(other)


def _hash(self: Any) -> int:
    """Computed once an object: types are looked up in dictionaries all the time."""
    known: int | None = self.__dict__.get("_hash_value")
    if known is None:
        key = type(self)._record_key
        known = self._hash_value = hash((type(self), key(self) if key is not None else ()))
    return known


class _Fields:
    """``__dataclass_fields__``, made when somebody asks for it."""

    def __get__(self, instance: object, owner: Any) -> dict[str, Field[Any]]:
        from dataclasses import make_dataclass  # slow to import

        stand_in: Any = make_dataclass(owner.__name__, owner.__match_args__)
        fields: dict[str, Field[Any]] = stand_in.__dataclass_fields__
        owner.__dataclass_fields__ = fields
        return fields
