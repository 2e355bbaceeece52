"""What the device code generators share: rows, selection, scheduling, register allocation, assembler, simulator core."""
