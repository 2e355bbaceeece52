"""What editors and pages ask of the language: its lexer for Pygments."""
