"""The machine simulated: groups of bundles, predication, the register stack, rotation, speculation, and cycles."""
