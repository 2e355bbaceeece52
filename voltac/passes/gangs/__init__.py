"""Passes over loops of gangs: how many at once, where they begin and end, what their indices do."""
