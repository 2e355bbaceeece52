"""What holds for values and memory: ranges, bounds, divisors, effects."""
