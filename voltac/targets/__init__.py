"""The devices: one folder each, with the same file names; ``find_device`` knows which there are."""
