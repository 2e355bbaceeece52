"""Loops over gangs: their parts recognised, and blocks copied, widened or moved to functions of their own."""
