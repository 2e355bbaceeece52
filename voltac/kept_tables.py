"""Nothing imports this.

Its ``.pyc`` is where the grammar's tables are kept (``syntax/tables.py``):
installers remove that with the module.
"""
