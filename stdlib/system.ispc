// Hints and the machine.

void assume(uniform bool c) { }
void fastmath() { }
void memory_barrier() { __fence(); }
uniform int64 clock() { return __clock(); }
uniform int32 num_cores() { return __processors(); }
