"""What the shared legalization has to know of the machine."""

from __future__ import annotations

from voltac.codegen.legalize.machine_facts import MachineFacts

FACTS = MachineFacts(
    "IA-64", "ia64.", accesses=(1, 2, 4, 8), scalar_results=4, has_double=True, word_bits=64,
)  # fmt: skip
"""Numbers are computed in registers of 64 bits; lanes of vectors are scalars."""
