"""Assembly text as people write it, with macros, conditions and expressions → sections of words and data."""
