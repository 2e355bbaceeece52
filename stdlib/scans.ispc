// Exclusive scans over the active lanes.
#include "attributes.isph"
#include "scan_steps.isph"
#include "types.isph"

#define SCAN_ADD(T) ACTIVE_LANES SCAN(exclusive_scan_add, T, BY_ADD, 0)
#define SCAN_AND(T) ACTIVE_LANES SCAN(exclusive_scan_and, T, BY_AND, -1)
#define SCAN_OR(T) ACTIVE_LANES SCAN(exclusive_scan_or, T, BY_OR, 0)
// Of signed numbers the sums of some lanes may overflow where those of the scan do not.
#define SCAN_ADD_AS(T, U) ACTIVE_LANES T exclusive_scan_add(T v) { return (T)exclusive_scan_add((U)v); }
UNSIGNED_INTEGERS(SCAN_ADD)
FLOATS(SCAN_ADD)
SCAN_ADD_AS(int8, uint8)
SCAN_ADD_AS(int16, uint16)
SCAN_ADD_AS(int32, uint32)
SCAN_ADD_AS(int64, uint64)
INTEGERS(SCAN_AND)
INTEGERS(SCAN_OR)
