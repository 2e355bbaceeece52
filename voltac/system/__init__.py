"""What the compiler asks of the operating system: threads with deep stacks, forks, files that may be anything."""
