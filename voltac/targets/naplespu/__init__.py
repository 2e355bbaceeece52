"""NaplesPU: 16 lanes of 32 bits with a mask register, up to 8 threads a core (reference: naplespu.md)."""
