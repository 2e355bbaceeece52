"""What a device's program says of its kernels: their signatures, as a note in the ELF file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from voltac.codegen.elf_read import BadElf
from voltac.python.describe import signature
from voltac.python.signatures import Signature, from_json, to_json
from voltac.sema.layout import Layout

if TYPE_CHECKING:
    from voltac.options import Options
    from voltac.sema.tree import Program


def signatures_note(program: Program, options: Options) -> bytes:
    """The note's text."""
    layout = Layout(options.target)
    return json.dumps([to_json(signature(function, layout)) for function in program.exports]).encode()


def signatures_of(notes: Mapping[str, bytes]) -> dict[str, Signature]:
    """Kernels by name; empty for a file that does not say."""
    try:
        found = [from_json(item) for item in json.loads(notes.get("kernels", b"[]"))]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BadElf("what it says of its kernels makes no sense") from None
    return {item.name: item for item in found}
