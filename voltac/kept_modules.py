"""Nothing imports this: its ``.pyc`` is where the modules that the command imports (``voltac/system/packed_modules.py``) are kept, so that installers remove it."""
