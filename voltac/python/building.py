"""What kernels and the measuring of kernels ask of each other, said apart from both: how a source becomes kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from voltac.python.cache import FileAnswers
from voltac.python.numpy_formats import Dtype
from voltac.python.signatures import KernelParameter
from voltac.python.source import Source


class Callee(Protocol):
    """A kernel, as far as arguments for it are made up."""

    @property
    def parameters(self) -> tuple[KernelParameter, ...]:
        """What it takes."""

    def dtype(self, parameter: str) -> Dtype:
        """Of the array that a pointer parameter takes."""


class Built(Protocol):
    """A module of kernels."""

    def __getitem__(self, name: str, /) -> Any:
        """The kernel of that name."""

    @property
    def answers(self) -> FileAnswers:
        """What the file system said while it was compiled."""


class Build(Protocol):
    """What makes kernels of a source: :func:`voltac.python.build.build_module`."""

    def __call__(
        self, source: Source, /, *, functions: Mapping[str, object] | None = None, launch: Mapping[str, Any] | None = None
    ) -> Built:
        """Compile it, or find it in the cache; ``functions`` are C functions it is given, ``launch`` is for devices."""
