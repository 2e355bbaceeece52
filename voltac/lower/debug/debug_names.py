"""How debug information names a source file: as it was named to the compiler, relative names from the folder ``.``.

So an object is the same in whatever folder it is compiled, and a debugger that runs there finds the sources.
``--debug-prefix-map`` records other names: those of the folder where the sources will be.
"""

from __future__ import annotations

import os

from voltac.options import Options

_HERE = "."


def folder_and_name(file: str, options: Options) -> tuple[str, str]:
    """What is recorded of a file: the folder of the compilation, and the name from there."""
    return _mapped(_HERE, options), _mapped(file, options)


def recorded(file: str, options: Options) -> str:
    """The two in one, to find the file again."""
    return os.path.join(*folder_and_name(file, options))


def _mapped(path: str, options: Options) -> str:
    # Of several prefixes that fit the last one given counts, as with other compilers.
    for old, new in reversed(options.debug_prefix_map):
        if path == old:
            return new or _HERE
        prefix = old if old.endswith("/") else old + "/"
        if path.startswith(prefix):
            rest = path[len(prefix) :]
            return os.path.join(new, rest) if new else rest
    return path
