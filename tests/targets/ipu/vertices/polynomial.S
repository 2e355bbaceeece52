// y[i] = c0 + c1 x[i] + ... + cd x[i]^d for pairs of floats, by six workers; one vertex for each degree, made by macros.
//
// state: x, y, coefficients, number of pairs. The table of the coefficients' sums and the names are there for the directives.
#include "common.h.S"

    .include "polynomial.inc"

    .equiv  PAIR_BYTES, 8
    .set    LARGEST_DEGREE, 3

// ---------------------------------------------------------------------------------------------------------------------
// Where things lie, by the other macros: names without a backslash, numbers that are computed, labels of their own.

    .altmacro

// One word: Horner's rule from the highest coefficient on. Coefficients are in registers from $a4 on.
.macro HORNER value, sum, degree
    LOCAL step
    .set step, degree
    f32v2mul sum, $a4:B, value
    .rept degree - 1
    .set step, step - 1
    HORNER_STEP value, sum, %(degree - step)
    .endr
.endm

.macro HORNER_STEP value, sum, number
    ADD_COEFFICIENT sum, number
    f32v2mul sum, sum, value
.endm

.macro ADD_COEFFICIENT sum, number
    .if number == 1
    f32v2add sum, $a5:B, sum
    .elseif number == 2
    f32v2add sum, $a6:B, sum
    .elseif number == 3
    f32v2add sum, $a7:B, sum
    .else
    .error "there are four coefficients"
    .endif
.endm

// Loads of the coefficients, the highest first.
.macro LOAD_COEFFICIENTS from, degree
    LOCAL at
    .set at, degree
    .irp register, 4, 5, 6, 7
    .if at >= 0
    LOAD_ONE $a&register, from, %at
    .endif
    .set at, at - 1
    .endr
.endm

.macro LOAD_ONE register, from, place
    ld32 register, $mzero, from, place
.endm

.macro POLYNOMIAL name, degree
    LOCAL loop, done, begin
    .if degree > LARGEST_DEGREE
    .error <a polynomial of too high a degree>
    .endif
    WORKER_FUNCTION __runCodelet_&name, 8, <>, 0
begin:
    ld32 $m0, $mvertex_base, $mzero, STATE_PAIRS
    SHARE_OF $m0, $m1, $m2, $m3, $m4
    ld32 $m5, $mvertex_base, $mzero, STATE_X
    ld32 $m6, $mvertex_base, $mzero, STATE_Y
    ld32 $m7, $mvertex_base, $mzero, STATE_COEFFICIENTS
    LOAD_COEFFICIENTS $m7, degree
    mul $m4, $m1, PAIR_BYTES
    add $m5, $m5, $m4
    add $m6, $m6, $m4
    brz $m2, done
    add $m2, $m2, -1
loop:
    ld64step $a0:1, $mzero, $m5+=, 1
    HORNER $a0:1, $a2:3, degree
    ADD_COEFFICIENT $a2:3, degree
    st64step $a2:3, $mzero, $m6+=, 1
    brnzdec $m2, loop
done:
    exitz $mzero
    END_FUNCTION __runCodelet_&name
    .pushsection .rodata.names, "a", @progbits
    .asciz "&name"
    .byte (. - polynomial_names) & 0xff, degree
    .popsection
.endm

    .section .rodata.names, "a", @progbits
polynomial_names:
    .text

    POLYNOMIAL <Linear>, %(LARGEST_DEGREE - 2)
    POLYNOMIAL name=Quadratic, degree=2
    POLYNOMIAL Cubic, %(1 << 1 | 1)

    .noaltmacro

// ---------------------------------------------------------------------------------------------------------------------
// The same by hand for degree 3, with numeric labels: an unrolled loop that is left in the middle.

    .purgem HORNER_STEP

.macro step number, last=0, rest:vararg
    .ifb \rest
    .ifeq \last
    f32v2mul $a2:3, $a2:3, $a0:1
    .endif
    .else
    \rest
    .endif
    f32v2add $a2:3, $a\number:B, $a2:3
.endm

    WORKER_FUNCTION __runCodelet_CubicByHand
    ld32 $m0, $mvertex_base, $mzero, STATE_PAIRS
    SHARE_OF $m0 $m1 $m2 $m3 $m4
    .irpc d, 567
    ld32 $m\d, $mvertex_base, $mzero, \d - 5
    .endr
    .irp d, 4, 5, 6, 7
    ld32 $a\d, $mzero, $m7, 7 - \d
    .endr
    shl $m4, $m1, 3
    add $m5, $m5, $m4
    add $m6, $m6, $m4
    brz $m2, 9f
    bri 2f
    .p2align 3,, 4
1:  st64step $a2:3, $mzero, $m6+=, 1
2:  ld64step $a0:1, $mzero, $m5+=, 1
    { add $m2, $m2, -1 ; f32v2mul $a2:3, $a4:B, $a0:1 }
    step 5, 1
    step 6
    step 7
    brnz $m2, 1b
    st64step $a2:3, $mzero, $m6+=, 1
9:  exitz $mzero
    END_FUNCTION __runCodelet_CubicByHand

    .lcomm  scratch_of_polynomials, 6 * PAIR_BYTES, 8
    .if 0
    .include "not there"
    .endif
    .end
what stands here is not read
