// What the vertices of these tests share.
#ifndef COMMON_H
#define COMMON_H

#define ZAACC_MASK (CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT)
#define FLOAT_ONE 0x3F800000
#define NAME_OF(type, operation) __runCodelet_ ## operation ## __ ## type

// A section, symbol and alignment for a worker's function.
.macro WORKER_FUNCTION name alignment=8 filler="" stack=0
.ifnc "\stack", "NONE"
    DEF_STACK_USAGE \stack \name
.endif
    .section .text.\name, FUNCTION_IS_WORKER
    .globl \name
    .type \name, @function
    .align \alignment
    .worker
\name\()_begin:
\filler
\name:
.endm

.macro END_FUNCTION name
    .size \name, . - \name\()_begin
.endm

// A repeat that is a bundle or not, as the place of its body asks for.
.macro REPEAT_FROM start count
.if (. - \start) & 7
    rpt \count, (2f - 1f) / 8 - 1
.else
    { rpt \count, (2f - 1f) / 8 - 1
      fnop }
.endif
.endm

// begin = first unit of this worker, count = how many: contiguous shares of n units (IPU 4.6).
.macro SHARE_OF n begin count worker scratch
    get   \worker, $WSR
    and   \worker, \worker, CSR_W_WSR__CTXTID_M1__MASK
    setzi \scratch, 0xAAAB
    mul   \begin, \n, \scratch
    shr   \begin, \begin, 18              // quotient
    mul   \scratch, \begin, CTXT_WORKERS
    sub   \scratch, \n, \scratch          // remainder
    cmpult \count, \worker, \scratch
    min   \scratch, \scratch, \worker
    add   \count, \count, \begin
    mul   \begin, \begin, \worker
    add   \begin, \begin, \scratch
.endm

#endif
