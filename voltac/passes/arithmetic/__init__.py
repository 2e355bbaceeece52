"""Passes over what lanes compute: widths, divisions, products, bits."""
