"""Nothing imports this.

Its ``.pyc`` is where the library's index is kept (``sema/library/index.py``):
installers remove that with the module.
"""
