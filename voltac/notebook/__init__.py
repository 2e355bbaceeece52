"""``%load_ext voltac``: kernels written in cells of a notebook."""
