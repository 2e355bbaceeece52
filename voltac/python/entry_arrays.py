"""The table of a call's arrays for a checked kernel (:data:`voltac.python.failures.FAILURE_WORDS`), as LLVM text."""

from __future__ import annotations

from voltac.python import interpreter_layout as layout
from voltac.python.entry_values import EntryWriter
from voltac.python.signatures import Signature


def space_for_arrays(signature: Signature) -> str:
    """Where it lies."""
    return f"  %arrays = alloca [{1 + 2 * len(signature.parameters)} x i64]\n"


def write_arrays(out: EntryWriter, signature: Signature) -> None:
    """Of the arrays ``%o<position>`` at ``%v<position>``; ``%failure`` says where it is."""
    words = [str(len(signature.parameters))]
    for position, parameter in enumerate(signature.parameters):
        if parameter.memory is None:
            words += ["0", "0"]
            continue
        elements = out.element_count(position)
        out.load(f"%array.item{position}", "i64", f"%d{position}", layout.DESCRIPTOR_SIZE)
        out.put(f"%array.bytes{position} = mul i64 {elements}, %array.item{position}")
        out.put(f"%array.start{position} = ptrtoint ptr %v{position} to i64")
        words += [f"%array.start{position}", f"%array.bytes{position}"]
    for number, word in enumerate(words):
        out.put(f"%array.at{number} = getelementptr i64, ptr %arrays, i64 {number}")
        out.put(f"store i64 {word}, ptr %array.at{number}")
    out.put("%arrays.to = getelementptr i64, ptr %failure, i64 3")
    out.put("store ptr %arrays, ptr %arrays.to")
