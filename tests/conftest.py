"""What holds in every process that tests."""

import gc

# Compilers and interpreters make many objects and few circles: looking for these as often as usual takes a sixth of the time.
gc.set_threshold(100_000, 20, 50)
