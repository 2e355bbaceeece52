"""LLVM text: values and types, functions instruction by instruction, modules section by section."""
