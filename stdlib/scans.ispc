// Exclusive scans over the active lanes.
#include "scan_steps.isph"
#include "types.isph"

#define SCAN_ADD(T) SCAN(exclusive_scan_add, T, BY_ADD, 0)
#define SCAN_AND(T) SCAN(exclusive_scan_and, T, BY_AND, -1)
#define SCAN_OR(T) SCAN(exclusive_scan_or, T, BY_OR, 0)
NUMBERS(SCAN_ADD)
INTEGERS(SCAN_AND)
INTEGERS(SCAN_OR)
