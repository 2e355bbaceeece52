"""What ``voltac.load`` gives: the kernels of a program as attributes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from voltac.messages.exceptions import of_caller
from voltac.messages.suggestions import suggestion
from voltac.messages.visible import visible_name, visible_value
from voltac.options import Options
from voltac.python.kernel import Kernel
from voltac.python.source import Source

if TYPE_CHECKING:
    from voltac.python.cache import FileAnswers
    from voltac.python.target_choice import Choice

_LONGEST_NAME = 50
"""Python cuts off what is longer where an attribute is missing."""
_MOST_NAMES = 20
"""Of kernels in a message."""


class KernelModule:
    """The exported functions of a program, as attributes and by ``module["name"]``.

    There is no ``__getattr__``: it would cost every call 20 ns. Where an attribute is
    missing Python names the object's class, and suggests names from :meth:`__dir__`; so
    each module has a class of its own, whose name says what there is.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Kernel: ...

    def __new__(cls, source: Source, kernels: Sequence[Kernel], warnings: str) -> KernelModule:
        """Of a class of its own, whose name lists the kernels: messages of Python show it."""
        names = [kernel.__name__ for kernel in kernels]
        title = f"module with {', '.join(names) or 'no exports'}"
        while len(title) > _LONGEST_NAME and names:
            names.pop()
            title = f"module with {', '.join([*names, '...'])}"
        return object.__new__(type(title, (cls,), {"__module__": cls.__module__, "__doc__": KernelModule.__dict__["__doc__"]}))

    def __init__(self, source: Source, kernels: Sequence[Kernel], warnings: str) -> None:
        self._source = source
        self._kernels = {kernel.__name__: kernel for kernel in kernels}
        self._warnings = warnings
        # A plain attribute is the fastest way to a kernel. One named like a member of this class is reached by [].
        for name, kernel in self._kernels.items():
            if not hasattr(type(self), name):
                setattr(self, name, kernel)

    @property
    def target(self) -> str:
        """Name of the target the code is for, e.g. ``avx2-i32x8``."""
        return self._source.options.target.name

    @property
    def target_choice(self) -> Choice | None:
        """Why the target was taken, with ``target="auto"``; else None."""
        return self._source.origin.choice

    @property
    def answers(self) -> FileAnswers:
        """What the file system said while the program was compiled."""
        return self._source.origin.answers

    @property
    def width(self) -> int:
        """Lanes of a gang."""
        return self._source.options.target.width

    @property
    def options(self) -> Options:
        """All options the program was compiled with."""
        return self._source.options

    @property
    def source(self) -> str:
        """The text the program was compiled from."""
        return self._source.text

    @property
    def warnings(self) -> str:
        """What the compiler had to say; empty if nothing."""
        return self._warnings

    def assembly(self, function: str | None = None) -> str:
        """Assembly language of one exported function, or of the whole program."""
        if function is not None:
            self[function]
        return self._source.assembly(function)

    def stub(self) -> str:
        """The text of a ``.pyi`` file that tells type checkers and editors of the kernels."""
        from voltac.python.stubs import stub  # late: calls do not need it

        return stub((kernel._signature for kernel in self._kernels.values()), self._source.file)

    def __getitem__(self, name: str) -> Kernel:
        found = self._kernels.get(name)
        if found is None:
            raise of_caller(KeyError(self._unknown(name)))
        return found

    def _unknown(self, name: object) -> str:
        names = ", ".join([*self._kernels][:_MOST_NAMES]) or "nothing"
        more = ", ..." if len(self._kernels) > _MOST_NAMES else ""
        close = suggestion(name, self._kernels) if isinstance(name, str) else ""
        return f"{visible_name(self._source.file)} exports no function {visible_value(name)}{close}; it has: {names}{more}"

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __contains__(self, name: object) -> bool:
        return name in self._kernels

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._kernels})

    def _ipython_key_completions_(self) -> list[str]:
        """For IPython, behind ``module["``."""
        return list(self._kernels)

    def _repr_html_(self) -> str:
        from voltac.python.html_views import module_view  # late: calls do not need it

        return module_view(self._source, [kernel._signature for kernel in self._kernels.values()], self.warnings)

    def __repr__(self) -> str:
        return f"<voltac module {self._source.file!r} for {self.target}: {', '.join(self._kernels) or 'no exports'}>"

    def __copy__(self) -> KernelModule:
        # As with functions: there is one of it, whose globals are its own.
        return self

    def __deepcopy__(self, memo: object) -> KernelModule:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        from voltac.python.portable import module_again, program_of  # late: calls do not need it

        # The launches of a device's kernels.
        launches = {name: made[2] for name, kernel in self._kernels.items() if len(made := kernel.__reduce__()[1]) > 2}
        return module_again, (program_of(self._source), launches)

    def __dask_tokenize__(self) -> tuple[str, ...]:
        from voltac.python.portable import token  # late: as above

        return token(self._source)


def _documentation(module: KernelModule) -> str:
    """For ``help`` and editors: the kernels, each with the first line of its comment."""
    rows = []
    for kernel in module._kernels.values():
        first, _, _ = kernel._signature.documentation.strip().partition("\n")
        rows.append(f"{kernel.signature}" + (f"\n    {first}" if first else ""))
    return "\n".join([f"{visible_name(module._source.file)}, compiled for {module.target}:", "", *rows])


# As for kernels: a class whose docstring is that of its instances.
KernelModule.__doc__ = property(_documentation)  # type: ignore[assignment]
