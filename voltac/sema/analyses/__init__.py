"""What is found out about the typed tree when it is complete: warnings, and facts for the stages behind."""
