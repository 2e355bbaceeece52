"""Loops over streams, which become functions of their own with a pipelined repeat (IPU 5)."""
