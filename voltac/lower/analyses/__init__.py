"""What is known of the typed tree before code is written for it: escapes, costs, lifetimes, aliasing, failures."""
