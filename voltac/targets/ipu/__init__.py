"""The Graphcore IPU's tile (docs/ipu.md)."""
