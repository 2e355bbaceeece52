// Sum of n floats by six workers: each leaves its part in a scratch array, the host adds them up.
#include "poplar/TileConstants.hpp"
#include "poplar/StackSizeDefs.hpp"

/* state:
 *   0: pointer to the data
 *   4: number of elements
 *   8: pointer to partial sums (6 floats)
 */
#define STATE_IN 0
#define STATE_N 1
#define STATE_OUT 2

#define wid m0
#define n      m1
#define base   m2
#define count  m3
#define rest   m4
#define tmp    m5
#define acc0   a0:1
#define val    a2:3

.macro GET_WORKER_ID reg
    get \reg, $WSR
    and \reg, \reg, CSR_W_WSR__CTXTID_M1__MASK
.endm

// \num / 6 for small numbers
.macro DIV_BY_WORKERS dst:req, src:req, scratch=$m11
    setzi \scratch, 0xaaab
    mul \dst, \src, \scratch
    shr \dst, \dst, 18
.endm

.equ LOG2_ATOM, 1
.set ATOM, 1 << LOG2_ATOM

.section .text.__runCodelet_SumWorkers, "ax"
.align 8
.globl __runCodelet_SumWorkers
.type __runCodelet_SumWorkers, @function
.worker
DEF_STACK_USAGE 0 __runCodelet_SumWorkers
__runCodelet_SumWorkers:
    GET_WORKER_ID $wid
    ld32 $n, $mvertex_base, $mzero, STATE_N
    ld32 $base, $mvertex_base, $mzero, STATE_IN
    shr $count, $n, LOG2_ATOM            // pairs
    add $count, $count, CTXT_WORKERS - 1
    sub $count, $count, $wid
    DIV_BY_WORKERS $count, $count
    shl $tmp, $wid, 3
    add $base, $base, $tmp
    { setzi $m6, CTXT_WORKERS ; zero $acc0 }
    brz $count, .Ltail
    add $count, $count, -1
1:  ld64step $val, $mzero, $base+=, $m6
    { brnzdec $count, 1b ; f32v2add $acc0, $acc0, $val }
.Ltail:
    and $rest, $n, ATOM - 1
    brz $rest, 2f
    brnz $wid, 2f
    // the last element
    add $tmp, $n, -1
    ld32 $m2, $mvertex_base, $mzero, STATE_IN
    ld32 $a2, $m2, $mzero, $tmp
    f32add $a0, $a0, $a2
2:  f32add $a0, $a0, $a1
    ld32 $m2, $mvertex_base, $mzero, STATE_OUT
    st32 $a0, $m2, $mzero, $wid
    exitz $mzero
.size __runCodelet_SumWorkers, . - __runCodelet_SumWorkers
