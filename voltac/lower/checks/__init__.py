"""What a checked run looks at besides what the language asks for: one module a check, used where such code is lowered."""
