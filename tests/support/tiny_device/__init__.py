"""A scalar machine with three registers and no vectors, made by the recipe for devices: ``tests/test_recipes.py`` puts the
folder into a copy of the compiler."""
