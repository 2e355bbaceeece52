"""Places, variables and objects: addresses, and loads and stores under the mask."""
