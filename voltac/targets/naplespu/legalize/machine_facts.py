"""NaplesPU as the shared legalization sees it."""

from __future__ import annotations

from voltac.codegen.legalize.machine_facts import MachineFacts

LANES = 16
"""Of a vector register (NaplesPU 1.1)."""
FACTS = MachineFacts("NaplesPU", "npu.", LANES, scalar_results=6, vector_results=6)
"""Registers for results: NaplesPU 3.2."""
