"""Nothing imports this: its ``.pyc`` is where the library's index (``voltac/sema/library/index.py``) is kept, so that installers remove it."""
