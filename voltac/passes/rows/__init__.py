"""Passes over loops in which each lane goes along a row of its own."""
