"""Passes over the lanes of values: their order, those in scalars, those of single registers."""
