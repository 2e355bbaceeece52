"""Passes over structs of each lane, and what takes their members apart and puts them together."""
