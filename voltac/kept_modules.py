"""Nothing imports this.

Its ``.pyc`` is where the modules that the command imports are kept (``system/packed_modules.py``):
installers remove that with the module.
"""
