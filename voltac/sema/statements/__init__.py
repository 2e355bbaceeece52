"""Statements (language 9)."""
