"""Assembly text of vertices → programs (IPU 7)."""
