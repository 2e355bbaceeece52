"""Expressions: operators, conversions, selection, and what ``print`` makes of values."""
