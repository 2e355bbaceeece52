"""Builtins of the library: the table of them, and by subject the code that takes more than a line."""
