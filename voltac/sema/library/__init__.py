"""The standard library: found by an index of names, parsed and checked piece by piece."""
