"""voltac: a compiler for SPMD programs, one program run on every lane of a SIMD gang."""
