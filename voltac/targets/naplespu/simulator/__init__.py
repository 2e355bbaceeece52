"""The NaplesPU simulator: programs as Python functions of their blocks, with threads, caches and cores by the cycle."""
