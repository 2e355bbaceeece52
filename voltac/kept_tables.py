"""Nothing imports this: its ``.pyc`` is where the grammar's tables (``voltac/syntax/tables.py``) are kept, so that installers remove it."""
