"""Expressions: names, operators, calls, casts (language 8)."""
