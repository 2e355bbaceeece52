"""What the shared legalization has to know of a worker."""

from __future__ import annotations

from voltac.codegen.legalize.machine_facts import MachineFacts

FACTS = MachineFacts("The IPU", "ipu.", has_high_product=False, scalar_results=4)
"""Lanes are scalars: pairs of floats are made of them where a loop is worth it."""
