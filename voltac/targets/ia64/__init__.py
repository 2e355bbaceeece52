"""IA-64 (Itanium 2): predicates, bundles and rotating registers; its machine is described in docs/ia64.md."""
