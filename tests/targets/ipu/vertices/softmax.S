.macro FN name
    .section .text.\name, "ax"
    .align 4
    .globl \name
    .type \name, @function
\name:
.endm
.macro ENDFN name
    .size \name, .-\name
.endm
.macro LOAD_FIELDS first, regs:vararg
    .set .Lfield, \first
    .irp r, \regs
        ld32 \r, $mvertex_base, $mzero, .Lfield
        .set .Lfield, .Lfield + 1
    .endr
.endm
    .equ LOG2E_LO, 0x3fb8aa3b & 0xfffff
    .equ LOG2E_HI, 0x3fb8aa3b & ~0xfffff
FN __runCodelet_Softmax
    get $m9, $WSR
    and $m9, $m9, 7
    brnz $m9, .Lout            // worker 0 only
    LOAD_FIELDS 0, $m0, $m1, $m2, $m3
    // m0 = x, m1 = out, m2 = sum, m3 = n
    mov $m4, $m0
    ld32 $a0, $m4, $mzero, 0   // running maximum
    add $m5, $m3, -1

0:  ld32step $a1, $mzero, $m4+=, 1
    { brnzdec $m5, 0b
      f32max $a0, $a0, $a1 }
    setzi $a2, LOG2E_LO
    { add $m5, $m3, -1 ; or $a2, $a2, LOG2E_HI }
    { mov $m4, $m0; zero $a5 }
0:  ld32step $a1, $mzero, $m4+=, 1
    f32sub $a1, $a1, $a0
    f32mul $a1, $a1, $a2
    f32exp2 $a1, $a1
    { st32step $a1, $mzero, $m1+=, 1
      f32add $a5, $a5, $a1 }
    brnzdec $m5, 0b
    st32 $a5, $m2, $mzero, 0
.Lout:
    exitz $mzero
ENDFN __runCodelet_Softmax
    DEF_STACK_USAGE 0, __runCodelet_Softmax
