// y[i] = half(x[i]), four in two bundles (IPU 5.5): state is x, y, number of fours. The first worker does it all.
.section .text.to_half, "ax"
.globl __runCodelet_ToHalf
.type __runCodelet_ToHalf, @function
.align 8
DEF_STACK_USAGE 0, __runCodelet_ToHalf
__runCodelet_ToHalf:
    get $m3, $WSR
    and $m3, $m3, 7
    brnz $m3, 9f
    ld32 $m0, $mvertex_base, $mzero, 0
    ld32 $m1, $mvertex_base, $mzero, 1
    ld32 $m2, $mvertex_base, $mzero, 2
    brz $m2, 9f
    add $m2, $m2, -1
    ld64 $a2:3, $m0, 1
    add $m6, $m0, 3 * 8
    ld64step $a0:1, $mzero, $m0+=, 2
    setzi $m7, 2                            # the first field of the stride: two atoms
    tapack $m4:5, $m6, $mzero, $m1
    .align 8
    { rpt $m2, (2f - 1f) / 8 - 1 ; fnop }
1:  { ld64step $a0:1, $mzero, $m0+=, 2 ; f32v4tof16 $a4:5, $a0:3 }
    { ldst64pace $a2:3, $a4:5, $m4:5+=, $m7, 0b0001 ; fnop }
2:  f32v4tof16 $a4:5, $a0:3
    st64pace $a4:5, $m4:5+=, $mzero, 0
9:  exitz $mzero
.size __runCodelet_ToHalf, . - __runCodelet_ToHalf
