"""What the device code generators share: instruction rows, selection, scheduling, register allocation, assembler, simulator core."""
