"""Nothing imports this.

Its ``.pyc`` is where compiled forms are kept (``system/compiled_forms.py``):
installers remove that with the module.
"""
