"""Masks: how wide their lanes are, which lanes are masks, and the passes over conditions and choices."""
