"""Which function a call means: overload resolution and templates (language 6.3, 10.5)."""
