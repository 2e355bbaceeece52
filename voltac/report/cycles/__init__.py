"""Assembly language of a loop → cycles an iteration, and what they are bounded by: for reports, x86-64 only.

    instructions  one line of assembly → its kind, the registers it reads and writes, the bytes it moves
    families      kind → the ports that can do it and how long its result takes, a table by family
    loops         a function's blocks → its innermost loops, each with the bounds

An estimate is the greatest of three bounds: what enters a core in a cycle, the busiest ports, and the longest chain of results
that one iteration hands to the next. Everything is taken to be in the first-level cache, and branches to be foreseen.
A new processor is a row in ``families``; a mnemonic that is taken for the wrong kind, one in ``instructions``.
"""
