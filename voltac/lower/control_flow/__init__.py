"""Statements, masks and ways out: which lanes run what, and where those go that leave."""
