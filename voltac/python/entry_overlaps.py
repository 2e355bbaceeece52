"""The test of :func:`voltac.python.array_rules.check_overlaps` as LLVM text: what may share memory goes the slow way."""

from __future__ import annotations

from voltac.python import interpreter_layout as layout
from voltac.python.entry_values import EntryWriter
from voltac.python.signatures import Signature


def check_overlaps(out: EntryWriter, signature: Signature) -> None:
    """Go on if the arrays ``%o<position>`` at ``%v<position>`` that have to be apart are."""
    for position in sorted({number for apart in signature.apart for number in (apart.written, apart.other)}):
        elements = out.element_count(position)
        out.load(f"%itemsize{position}", "i64", f"%d{position}", layout.DESCRIPTOR_SIZE)
        out.put(f"%bytes{position} = mul i64 {elements}, %itemsize{position}")
        out.put(f"%start{position} = ptrtoint ptr %v{position} to i64")
        out.put(f"%end{position} = add i64 %start{position}, %bytes{position}")
    for number, apart in enumerate(signature.apart):
        one, other = apart.written, apart.other
        out.put(f"%before{number} = icmp ule i64 %end{one}, %start{other}")
        out.put(f"%behind{number} = icmp ule i64 %end{other}, %start{one}")
        out.put(f"%apart{number} = or i1 %before{number}, %behind{number}")
        result = f"%apart{number}"
        if apart.may_be_same:
            out.put(f"%at.once{number} = icmp eq i64 %start{one}, %start{other}")
            out.put(f"%harmless{number} = or i1 {result}, %at.once{number}")
            result = f"%harmless{number}"
        out.require(result)
