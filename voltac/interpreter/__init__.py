"""Runs the typed tree on numpy, statement by statement, with the set of active lanes explicit.

This is the living definition of the language: simple enough to be checked by
reading against section 1 of the language, and sharing no code with ``lower/``.

=================  ==========================================================
``memory.py``      objects at fake addresses; every access is checked
``values.py``      how values are represented by numpy scalars and arrays
``arithmetic.py``  the operators, exact in the types of the language
``machine.py``     places: how values of every type lie in memory
``expressions.py`` what every value node means
``statements.py``  what every statement means: lanes in, lanes out
``builtins.py``    what the meanings of builtins are given
``interpreter.py`` calls from Python
``trace.py``       the trace of a run as text
``work.py``        how many operations a call does, how many bytes it touches
=================  ==========================================================
"""

from .interpreter import Interpreter
from .machine import InterpreterError, ProgramAborted, Trace
from .trace import TextTrace
from .work import Work, work_of

__all__ = ["Interpreter", "InterpreterError", "ProgramAborted", "TextTrace", "Trace", "Work", "work_of"]
