"""Kernels compiled ahead of time, for those who have no voltac: shared libraries, extension modules and packages."""
