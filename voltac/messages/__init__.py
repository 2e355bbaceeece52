"""What users are told: diagnostics and their layout, the warnings by name, text made safe for terminals, spelling."""
