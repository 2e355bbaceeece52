"""What rewrites accesses: how one is read, what it may become, and what writes that."""
