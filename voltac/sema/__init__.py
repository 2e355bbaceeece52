"""Tree as written → typed tree: names, types, conversions, overloads, templates, constants. Knows no LLVM.

The checking functions register themselves by node (see ``checker.py``); this file imports
them and runs them over the declarations of a file.
"""

from voltac.sema.check import check

__all__ = ["check"]
