"""Writes ``stdlib/index.json`` anew: ``python -m voltac.sema.library.generate``, to be run when the library has changed."""

from voltac.sema.library.index import write

if __name__ == "__main__":
    write()
