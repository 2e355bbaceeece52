"""What the shared legalization has to know of the machine."""

from __future__ import annotations

from voltac.codegen.legalize.machine_facts import MachineFacts, PackedType
from voltac.records import replace

FACTS = MachineFacts(
    "IA-64", "ia64.", accesses=(1, 2, 4, 8), scalar_results=4, has_double=True, word_bits=64,
)  # fmt: skip
"""Numbers are computed in registers of 64 bits; lanes of vectors are scalars."""
_WORD, _PAIR = "i64", "<2 x float>"
FACTS_OF = {
    "ia64-x1": FACTS,
    "ia64-f32x2": replace(
        FACTS, vector_results=4, packed=(PackedType("float", 2, _PAIR), PackedType("i32", 2, _WORD), PackedType("i1", 2, _WORD))
    ),
    "ia64-i8x8": replace(FACTS, packed=(PackedType("i8", 8, _WORD), PackedType("i1", 8, _WORD))),
    "ia64-i16x4": replace(FACTS, packed=(PackedType("i16", 4, _WORD), PackedType("i1", 4, _WORD))),
}
"""By target: of the packed ones, registers hold as many numbers as a gang has lanes."""
