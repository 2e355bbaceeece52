// z[i] = x[i] op y[i] for pairs of floats and fours of halves, and their leftovers: state is x, y, z, number of elements.
// One macro makes a vertex for each type and operation; each calls the function that finds its work.
#include "common.h.S"

#define in1      m0
#define in2      m1
#define out      m2
#define count    m3
#define worker   m4
#define loops    m5
#define left     m6
#define scratch  m7
#define link     m10

#define UNIT_OF_FLOAT 2
#define UNIT_OF_HALF  4
.equ bytes_of_unit, 8

// Leftover elements go to the worker whose turn is next, the one that 'left' says.
.macro DIVIDE_WORK shift
.section .text.divide_by_\shift, "ax"
.align 4
divide_by_\shift\():
    get   $worker, $WSR
    and   $worker, $worker, CSR_W_WSR__CTXTID_M1__MASK
    ld32  $in1, $mvertex_base, 0
    ld32  $in2, $mvertex_base, 1
    ld32  $out, $mvertex_base, 2
    ld32  $count, $mvertex_base, 3
    shr   $scratch, $count, \shift
    add   $loops, $scratch, CTXT_WORKERS - 1
    sub   $loops, $loops, $worker
    setzi $left, (1 << 18) / CTXT_WORKERS + 1
    mul   $loops, $loops, $left
    shr   $loops, $loops, 18
    // Units modulo 6 is the worker that comes next.
    mul   $left, $scratch, $left
    shr   $left, $left, 18
    mul   $left, $left, CTXT_WORKERS
    sub   $left, $scratch, $left
    shl   $scratch, $worker, 3
    add   $in1, $in1, $scratch
    add   $in2, $in2, $scratch
    add   $out, $out, $scratch
    br    $link
.endm

DIVIDE_WORK 1
DIVIDE_WORK 2

.macro LEFTOVER type operation
    cmpeq $scratch, $worker, $left
    brz   $scratch, .Lend\@
.ifc "\type", "float"
    and   $scratch, $count, 1
    brz   $scratch, .Lend\@
    ld32  $a0, $in1, 0
    ld32  $a1, $in2, 0
    f32\operation $a0, $a0, $a1
    st32  $a0, $out, 0
.else
    and   $scratch, $count, 2
    brz   $scratch, .Lone\@
    ld32step $a0, $mzero, $in1+=, 1
    ld32step $a1, $mzero, $in2+=, 1
    f16v2\operation $a0, $a0, $a1
    st32step $a0, $mzero, $out+=, 1
.Lone\@:
    and   $scratch, $count, 1
    brz   $scratch, .Lend\@
    // A half is stored with the half behind it.
    ldb16 $a0, $in1, 0
    ldb16 $a1, $in2, 0
    { ld32  $a2, $out, 0
      f16v2\operation $a0, $a0, $a1 }
    sort4x16hi $a2, $azero, $a2
    sort4x16lo $a0, $a0, $azero
    or    $a0, $a0, $a2
    st32  $a0, $out, 0
.endif
.Lend\@:
    exitz $mzero
.endm

.macro ELEMENTWISE type operation vector shift
WORKER_FUNCTION NAME_OF(\type\(), \operation\()) 8 nop
    call  $link, divide_by_\shift
    brz   $loops, 3f
    REPEAT_FROM NAME_OF(\type\(), \operation\())_begin $loops
1:
    { ld64step $a0:1, $mzero, $in1+=, 6 ; fnop }
    { ld64step $a2:3, $mzero, $in2+=, 6 ; fnop }
    { nop ; \vector\operation $a0:1, $a0:1, $a2:3 }
    { st64step $a0:1, $mzero, $out+=, 6 ; fnop }
2:
3:
    LEFTOVER \type \operation
END_FUNCTION NAME_OF(\type\(), \operation\())
.endm

.irp operation, add, sub, mul, max, min
    ELEMENTWISE float \operation f32v2 1
    ELEMENTWISE half  \operation f16v4 2
.endr
