"""Assembly language ⇄ bundles."""
