// a[i] += scale * b[i] of floats and halves by six workers, and a sum: written as libraries of vertices are, with the
// preprocessor and the assembler's own macros at once; it's the apostrophes, too.
#ifdef __IPU__

/* State of ScaledAdd: a, b, number of elements, scale (float);
 * of Sum: x, number of elements (a multiple of 4, and not 0), result. */

#include "poplibs_support/TileConstants.hpp"
#include "poplar/StackSizeDefs.hpp"
#include <arch/gc_tile_defines.h>
#include "poplar/AvailableVTypes.h"

// Symbols
#define MANGLE_3(base, t1, t2, c) __runCodelet_popops__##base##___##t1##_##t2##_##c
#define MANGLE(...) MANGLE_3(__VA_ARGS__)
#define FLOAT_SYMBOL MANGLE(ScaledAdd, float, float, true)
#define HALF_SYMBOL  MANGLE(ScaledAdd, half, half, true)

// Constants
#define A_OFFSET 0
#define B_OFFSET 4
#define SIZE_OFFSET 8
#define SCALE_OFFSET 12
#define TOTAL \
        (SCALE_OFFSET + \
         4)
#if TOTAL != 16
#error "wrong size"
#elif !defined(CTXT_WORKERS) || (CTXT_WORKERS * 2 == 13)
#error what
#endif

// Registers
#define mA        m0
#define mB        m1
#define mSize     m2
#define mStride   m3
#define mWorker   m4
#define mRem      m5
#define mIn       m6:7
#define mIn0      m6
#define mT        m8
#define mT2       m9

#define aA        a0:1
#define aALo      a0
#define aB        a2:3
#define aBLo      a2
#define aScale    a4
#define aR        a6:7
#define aRLo      a6

#define LOAD_STATE(reg, off) ld32 $reg, $mvertex_base, $mzero, (off)/4
#define LOG2_ATOM 3

.equ DIV6_MUL, ((1 << 18) / CTXT_WORKERS) + 1
.equiv DIV6_SHIFT, 18
.set   ATOM, 1 << LOG2_ATOM

// ---------------------------------------------------------------
.macro FN_ENTRY label:req, stack=0, type=worker
  .section ".text.\label", "ax", @progbits
  .globl   \label
  .type    \label, @function
  .\type
  .p2align 3
  .ifnb \stack
    DEF_STACK_USAGE \stack, \label
  .endif
\label:
.endm

.macro FN_EXIT label
.Lend_\label\():
  .size \label, .Lend_\label - \label
.endm

// n elements, log2 of elements per atom
.macro SPLIT  n, log2, count, rem, t
  get    \t, $WSR
  and    \t, \t, CSR_W_WSR__CTXTID_M1__MASK
  shr    \count, \n, \log2
  add    \count, \count, (CTXT_WORKERS - 1)
  sub    \count, \count, \t
  setzi  \rem, DIV6_MUL
  mul    \count, \count, \rem
  shr    \count, \count, DIV6_SHIFT
.endm

.macro CHOOSE T:req float_:req half_:req rest:vararg
  .ifc \T, float
    \float_
  .else
  .ifnc \T, half
    .error "unknown type \T"
  .endif
    \half_
  .endif
.endm

.macro SCALED_ADD T sym
  FN_ENTRY \sym 0
  LOAD_STATE(mA, A_OFFSET)
  LOAD_STATE(mB, B_OFFSET)
  { LOAD_STATE(mSize, SIZE_OFFSET)
    mov $aScale, $azero }
  ld32  $aScale, $mvertex_base, $mzero, SCALE_OFFSET/4;  /* two */ CHOOSE \T, "nop", "mov $a5, $a4"
  .ifc \T, float
    .equ log2_per_atom, 1
  .else
    .equ log2_per_atom, 2
    f32tof16 $aScale, $aScale
  .endif
  SPLIT n=$mSize, log2=log2_per_atom, count=$mStride, rem=$mT2, t=$mWorker
  shl   $mT, $mWorker, LOG2_ATOM
  add   $mA, $mA, $mT
  add   $mB, $mB, $mT
  mov   $mIn0, $mA               # output pointer: it's the same array
  brz   $mStride, .Lrem\@
  .balign 8
  { rpt $mStride, (2f - 1f) / 8 - 1 ; fnop }
1:
  { ld64step $aB, $mzero, $mB+=, CTXT_WORKERS ; fnop }
  .ifc \T, float
  { ld64step $aA, $mzero, $mA+=, CTXT_WORKERS ; f32v2mul $aB, $aScale:B, $aB }
  { nop                                     ; f32v2add $aR, $aA, $aB }
  .else
  { ld64step $aA, $mzero, $mA+=, CTXT_WORKERS ; f16v4mul $aB, $aScale:BL, $aB }
  { nop                                     ; f16v4add $aR, $aA, $aB }
  .endif
  { st64step $aR, $mzero, $mIn0+=, CTXT_WORKERS ; fnop }
2:
.Lrem\@:
  // leftovers by worker 0
  brnz  $mWorker, 9f
  LOAD_STATE(mA, A_OFFSET)
  LOAD_STATE(mB, B_OFFSET)
  and   $mRem, $mSize, (1 << log2_per_atom) - 1
  andc  $mT, $mSize, (1 << log2_per_atom) - 1
  .if log2_per_atom == 1
    shl $mT, $mT, 2
  .elseif log2_per_atom == 2
    shl $mT, $mT, 1
  .else
    .err
  .endif
  add $mA, $mA, $mT ; add $mB, $mB, $mT
  .ifc \T, float
  brz   $mRem, 9f
  ld32  $aALo, $mA, $mzero, 0
  { ld32  $aBLo, $mB, $mzero, 0 
    fnop }
  f32mul $aBLo, $aScale, $aBLo
  f32add $aRLo, $aALo, $aBLo
  st32  $aRLo, $mA, $mzero, 0
  .else
  and   $mT, $mRem, 2
  brz   $mT, 8f
  ld32  $aALo, $mA, 0
  ld32step $aBLo, $mzero, $mB+=, 1
  f16v2mul $aBLo, $aScale:BL, $aBLo
  f16v2add $aRLo, $aALo, $aBLo
  st32step $aRLo, $mzero, $mA+=, 1
8:
  and   $mT, $mRem, 1
  brz   $mT, 9f
  ldb16 $aBLo, $mB, $mzero, 0
  ld32  $aALo, $mA, $mzero, 0
  f16v2mul $aBLo, $aScale:BL, $aBLo
  { ldz16 $mT, $mA, $mzero, 1
    f16v2add $aRLo, $aALo, $aBLo }
  sort4x16hi $a1, $azero, $aALo
  sort4x16lo $aRLo, $aRLo, $azero
  or $aRLo, $aRLo, $a1
  st32 $aRLo, $mA, 0
  .endif
9:
  exitz $mzero
  FN_EXIT \sym
.endm

SCALED_ADD float FLOAT_SYMBOL
SCALED_ADD half  HALF_SYMBOL

#undef mA
#undef mB

// ---------------------------------------------------------------
// a table of entries, by .irp and .altmacro-free counters
  .section .rodata.table, "a", @progbits
  .p2align 2
table:
.set index, 0
.irp t, float, half
  .ifc \t, float
  .long MANGLE(ScaledAdd, float, float, true)
  .else
  .long MANGLE(ScaledAdd, half, half, true)
  .endif
  .short index, 1.0h, -2.5h
  .byte  'a', '\n', (index << 1) | 1, ~index & 0xff
  .set index, index + 1
.endr
table_end:
  .size table, table_end - table
  .if (table_end - table) != 28
  .error "two entries of 14 bytes"
  .endif

// sum of a vector by one worker: 128-bit loads if in interleaved memory
#define SUM __runCodelet_Sum
#define ptr m0
#define n   m1
#define out m2
#define tmp m3
.section .text.SUM, FUNCTION_IS_WORKER
.align 8
.globl SUM
.type SUM @function
DEF_STACK_USAGE  0  SUM
  nop
SUM:
  get $tmp, $WSR
  and $tmp, $tmp, CSR_W_WSR__CTXTID_M1__MASK
  brz $tmp, .Lwork
  exitz $mzero
.Lwork:
  ld32 $ptr, $mvertex_base, 0
  ld32 $n,   $mvertex_base, 1
  { ld32 $out, $mvertex_base, 2; setzi $a6, CSR_W_FP_CLR__ZAACC__MASK << CSR_W_FP_CLR__ZAACC__SHIFT }
  uput $FP_CLR, $a6
  shr  $tmp, $ptr, TMEM_BYTE_MAX_ADDRESS_WIDTH - 2
  brz  $tmp, 5f
  shr $n, $n, 2
  ld128step $a0:3, $mzero, $ptr+=, 1
  add $n, $n, -1
  .align 8
  {
    rpt $n, 0
    fnop
  }
  {
    ld128step $a0:3, $mzero, $ptr+=, 1
    f32v4acc  $a0:3
  }
  f32v4acc $a0:3
  bri 6f
5:
  shr $n, $n, 1
  add $n, $n, -1
1: ld64step $a0:1, $mzero, $ptr+=, 1
  mov $a2:3, $azeros
  f32v4acc $a0:3
  brnzdec $n, 1b
6:
  f32v2gina $a0:1, $azeros, 0
  f32v2gina $a2:3, $azeros, 0
  f32v2add $a0:1, $a0:1, $a2:3
  f32add $a0, $a0, $a1
  st32 $a0, $out, $mzero, 0
  exitz $mzero
.size SUM, . - SUM

#endif // __IPU__
