// The programming model of NaplesPU: threads and cores, barriers, flushes, control registers (manual; NaplesPU 1.4, 1.8, 4.1).
//
// A kernel that uses one of these is run by every thread of every core as it stands: it looks after its threads itself.

uniform int core_id() { return __read_control(0); }
uniform int thread_id() { return __read_control(2); }
// Of this launch.
uniform int thread_count() { return __read_control(20); }
uniform int core_count() { return __read_control(21); }
uniform int read_control_register(uniform int number) { return __read_control(number); }
void write_control_register(uniform int value, uniform int number) { __write_control(value, number); }
// Waits until as many threads as "count" are at the barrier of that number.
__attribute__((barrier(0))) void barrier(uniform int number, uniform int count) { __barrier(number, count - 1); }
// The host sees what was written to the line of 64 bytes that holds an address.
void flush(const void * uniform address) { __flush((void * uniform)address); }
void flush_and_forget(const void * uniform address) { __invalidate((void * uniform)address); }
// Cycles since the start of the core.
uniform int64 clock() { return (uniform int64)__read_control(5) << 32 | __read_control(4); }
uniform int32 num_cores() { return __read_control(21); }

// The manual's names. Barriers count the other threads there.
__attribute__((barrier(1))) void __builtin_npu_barrier(uniform int number, uniform int others) { __barrier(number, others); }
void __builtin_npu_flush(uniform int address) { __flush((void * uniform)address); }
uniform int __builtin_npu_read_control_reg(uniform int number) { return __read_control(number); }
void __builtin_npu_write_control_reg(uniform int value, uniform int number) { __write_control(value, number); }
