"""Masks of targets whose registers have none: how wide their lanes are, and which lanes are masks."""
