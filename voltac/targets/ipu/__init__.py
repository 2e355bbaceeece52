"""The Graphcore IPU's tile (docs/ipu.md). The folder is no device yet: it has no ``facts.py``."""
