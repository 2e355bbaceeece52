"""Debug information: places, scopes, variables and types of the source as LLVM metadata."""
