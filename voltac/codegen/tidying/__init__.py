"""Legal IR to less of it: what legalization writes out place by place is made once, and what nobody uses goes."""
