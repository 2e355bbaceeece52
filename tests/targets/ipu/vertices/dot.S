// partial[w] = sum of x[i] * y[i] over the pairs of worker w (IPU 5.5): state is x, y, number of pairs, partial.
// x and y lie in different elements. Floats and halves from one macro.
#include "common.h.S"

.macro DOT name load operation words
WORKER_FUNCTION \name
    ld32  $m0, $mvertex_base, 0
    ld32  $m1, $mvertex_base, 1
    ld32  $m2, $mvertex_base, 2
    setzi $a0, ZAACC_MASK
    { ld32  $m9, $mvertex_base, 3
      uput  $FP_CLR, $a0 }
    SHARE_OF $m2 $m3 $m4 $m5 $m6
    shl   $m3, $m3, 3
    add   $m0, $m0, $m3
    add   $m1, $m1, $m3
    tapack $m6:7, $m0, $m1, $mzero
    \load $a0:1, $a2:3, $m6:7+=, $mzero, 0
    REPEAT_FROM \name\()_begin $m4
1:
    { \load $a0:1, $a2:3, $m6:7+=, $mzero, 0b0000
      \operation $a0:\words, $a2:3 }
2:
    f32v2gina $a0:1, $azeros, 0
    f32add $a0, $a0, $a1
    st32  $a0, $m9, $mzero, $m5
    exitz $mzero
END_FUNCTION \name
.endm

DOT NAME_OF(float, Dot) ld2x64pace f32v2mac 1
DOT NAME_OF(half, Dot), ld2x64pace, f16v4cmac words=1
