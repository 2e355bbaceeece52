"""The cycle model's numbers (NaplesPU 6). What a row's result takes stands in the row."""

from __future__ import annotations

BRANCH = 9
"""From the issue of a taken branch to that of the next useful instruction."""
WRONG_PATH = 3
"""Slots behind a taken branch in which instructions of the wrong path may issue."""

LOAD_HIT = 9
MISS_LEAVES = 8
"""From issue until the request stands before the cache controller."""
PORT = 4
"""The controller's own cycles for a line that is read, beside the memory's latency,"""
PORT_WRITE = 1
"""and for one that is written, beside the time memory takes to accept it: reading and writing one line takes 47 at L = 40."""
LINE_ARRIVES = 4
"""From the end of the request to the first reader: a miss takes MISS_LEAVES + PORT + L + LINE_ARRIVES = 16 + L."""
FETCH_MISS = 10
"""An instruction line takes this + L."""

QUEUE = 5
"""Memory instructions of a thread in flight; the scratchpad has a queue of its own."""
QUEUE_CYCLES = 9
"""A hit leaves the queue after these."""

BARRIER_SERVICE = 3
"""A barrier's home takes so long for each arrival,"""
BARRIER_RELEASE = 7
"""and so long to let the threads go: 10 for one thread alone, 24 after the last of eight in a row."""

REASONS = ("integer", "float", "memory", "scratchpad", "branch", "barrier", "instruction miss", "memory queue")
"""What a thread waits for; a result by the unit that makes it. What is left of its cycles is contention for the issue slot."""
INTEGER, FLOAT, MEMORY, SCRATCHPAD, BRANCHED, BARRIER, FETCH, FULL_QUEUE = range(len(REASONS))

UNITS = {"integer": INTEGER, "float": FLOAT, "memory": MEMORY, "scratchpad": SCRATCHPAD, "control": INTEGER}
"""A row's unit as a reason."""
