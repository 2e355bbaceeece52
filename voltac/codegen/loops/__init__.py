"""Legal IR to legal IR: loops and their addresses, for machines that have no address with an index and no out-of-order core."""
