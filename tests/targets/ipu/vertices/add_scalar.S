// x[i] += c in place, floats, one bundle for 64 bits (IPU 5.2, 5.3): state is x, number of floats, c.
// x lies in interleaved memory and is aligned to 8 bytes.
#ifdef __IPU__
#include "common.h.S"

#define BASE     m0
#define COUNT    m1
#define BEGIN    m2
#define PAIRS    m3
#define WORKER   m4
#define SCRATCH  m5
#define PACKED   m6:7
#define LOAD     m8

#define X0       a0:1
#define X1       a2:3
#define C        a4:5
#define C_LOW    a4
#define C_HIGH   a5

WORKER_FUNCTION __runCodelet_AddScalar
    ld32  $BASE, $mvertex_base, 0
    ld32  $COUNT, $mvertex_base, 1
    { ld32  $C_LOW, $mvertex_base, 2
      or    $a6, $azero, FLOAT_ONE }
    { shr   $PAIRS, $COUNT, 1
      uput  $TAS, $a6 }
    mov   $m9, $PAIRS
    SHARE_OF $m9 $BEGIN $PAIRS $WORKER $SCRATCH
    { shl   $BEGIN, $BEGIN, 3
      mov   $C_HIGH, $C_LOW }
    add   $BEGIN, $BASE, $BEGIN
    brz   $PAIRS, .Ltail
    cmpult $SCRATCH, $PAIRS, 2
    brz   $SCRATCH, .Lmany

    // One pair by itself.
    ld64  $X0, $BEGIN, 0
    f32v2add $X0, $X0, $C
    st64  $X0, $BEGIN, 0
    bri   .Ltail

.Lmany:
    mov   $LOAD, $BEGIN
    ld64step $X0, $mzero, $LOAD+=, 1
    { ld64step $X1, $mzero, $LOAD+=, 1
      f32v2axpy $azeros, $X0, $C }
    { ld64step $X0, $mzero, $LOAD+=, 1
      f32v2axpy $X1, $X1, $C }
    tapack $PACKED, $LOAD, $mzero, $BEGIN
    add   $SCRATCH, $PAIRS, -2
    shr   $SCRATCH, $SCRATCH, 1
    REPEAT_FROM __runCodelet_AddScalar_begin $SCRATCH
1:
    { ldst64pace $X1, $X1, $PACKED+=, $mzero, 0
      f32v2axpy  $X0, $X0, $C }
    { ldst64pace $X0, $X0, $PACKED+=, $mzero, 0
      f32v2axpy  $X1, $X1, $C }
2:
    and   $SCRATCH, $PAIRS, 1
    brnz  $SCRATCH, .Lodd
    { st64pace $X1, $PACKED+=, $mzero, 0
      f32v2axpy $X0, $X0, $azeros }
    st64pace $X0, $PACKED+=, $mzero, 0
    bri   .Ltail
.Lodd:
    { ldst64pace $X1, $X1, $PACKED+=, $mzero, 0
      f32v2axpy  $X0, $X0, $C }
    { st64pace $X0, $PACKED+=, $mzero, 0
      f32v2axpy $X1, $X1, $azeros }
    st64pace $X1, $PACKED+=, $mzero, 0

.Ltail:
    // The last worker adds to the last of an odd number of floats.
    cmpeq $SCRATCH, $WORKER, CTXT_WORKERS - 1
    and   $SCRATCH, $SCRATCH, $COUNT
    brz   $SCRATCH, .Lend
    add   $COUNT, $COUNT, -1
    ld32  $a0, $BASE, $mzero, $COUNT
    f32add $a0, $a0, $C_LOW
    st32  $a0, $BASE, $mzero, $COUNT
.Lend:
    exitz $mzero
END_FUNCTION __runCodelet_AddScalar
#endif // __IPU__
