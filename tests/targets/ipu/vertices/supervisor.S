// The supervisor unpacks the state to its stack and starts six workers, each of which scales the pairs
// w, w + 6, w + 12 ... of x (IPU 4.1): state is x, number of pairs, address of the scale.
#include "common.h.S"

#define STATE     m0
#define FRAME     16
#define ENTRY     m4

DEF_STACK_SIZE_OWN FRAME __runCodelet_Scale
.section .text.scale
.globl __runCodelet_Scale
.type __runCodelet_Scale, @function
.align 4
.supervisor
__runCodelet_Scale:
    add   $sp, $sp, -FRAME
    ld32  $m1, $STATE, $mzero, 0
    ld32  $m2, $STATE, $mzero, 1
    ld32  $m3, $STATE, $mzero, 2
    ld32  $m3, $m3, $mzero, 0               // the scale itself
    st32  $m1, $sp, $mzero, 0
    st32  $m2, $sp, $mzero, 1
    st32  $m3, $sp, $mzero, 2
    setzi $ENTRY, .Lscale_worker
    runall $ENTRY, $sp, 0
    add   $sp, $sp, FRAME
    sync  TEXCH_SYNCZONE_LOCAL
    br    $lr

.worker
.align 4
.Lscale_worker:
    get   $m0, $WSR
    and   $m0, $m0, CSR_W_WSR__CTXTID_M1__MASK
    ld32  $m1, $mvertex_base, 0
    ld32  $m2, $mvertex_base, 1
    ld32  $a4, $mvertex_base, 2
    // (pairs + 5 - w) / 6
    sub   $m3, 5, $m0
    add   $m3, $m3, $m2
    setzi $m4, 0xAAAB
    mul   $m3, $m3, $m4
    shr   $m3, $m3, 18
    ld64step $azeros, $mzero, $m1+=, $m0
    mov   $m5, $m1
    brnzdec $m3, .Lsome
    bri   .Lnone
.Lsome:
    ld64step $a0:1, $mzero, $m1+=, 6
    REPEAT_FROM __runCodelet_Scale $m3
1:
    { ld64step $a0:1, $mzero, $m1+=, 6
      f32v2mul $a2:3, $a4:B, $a0:1 }
    { st64step $a2:3, $mzero, $m5+=, 6
      fnop }
2:
    f32v2mul $a2:3, $a4:B, $a0:1
    st64step $a2:3, $mzero, $m5+=, 6
.Lnone:
    exitz $mzero
.size __runCodelet_Scale, . - __runCodelet_Scale
