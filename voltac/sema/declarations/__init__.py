"""Variables, types and functions: what declarations make known (language 5, 7, 10)."""
