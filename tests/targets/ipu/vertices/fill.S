// Bytes: x[i] = value for 'count' bytes at any address, by the first worker. Stores have 32 bits, so the words at both
// ends keep what is not to change: state is x, count, value (0 to 255).
#define PTR    m0
#define COUNT  m1
#define VALUE  m2
#define WORD   m3
#define MASK   m4
#define FIRST  m5
#define TMP    m6

.set ALL_ONES, -1

// MASK = ones in 'bytes' low bytes, moved up by 'skip' bytes.
.macro MASK_OF bytes:req skip:req
    add   $MASK, $mzero, ALL_ONES
    sub   $TMP, 4, \bytes
    mul   $TMP, $TMP, 8
    shr   $MASK, $MASK, $TMP
    mul   $TMP, \skip, 8
    shl   $MASK, $MASK, $TMP
.endm

// The word at PTR gets VALUE where MASK has ones.
.macro MERGE
    ld32  $WORD, $PTR, 0
    andc  $WORD, $WORD, $MASK
    and   $TMP, $VALUE, $MASK
    or    $WORD, $WORD, $TMP
    st32step $WORD, $mzero, $PTR+=, 1
.endm

.section .text.fill, "ax", @progbits
.globl __runCodelet_Fill
.type __runCodelet_Fill, @function
.align 8
DEF_STACK_USAGE (2 * 4), __runCodelet_Fill
__runCodelet_Fill:
    get   $m7, $WSR
    and   $m7, $m7, 7
    brnz  $m7, .Lout
    ld32  $PTR, $mvertex_base, 0
    ld32  $COUNT, $mvertex_base, 1
    ldz8  $VALUE, $mvertex_base, 8
    shuf8x8lo  $VALUE, $VALUE, $VALUE
    sort4x16lo $VALUE, $VALUE, $VALUE
    brz   $COUNT, .Lout
    and   $FIRST, $PTR, 3
    brz   $FIRST, .Laligned
    andc  $PTR, $PTR, 3
    sub   $m8, 4, $FIRST
    cmpult $TMP, $COUNT, $m8
    movz  $m8, $TMP, $COUNT
    MASK_OF $m8, $FIRST
    MERGE
    sub   $COUNT, $COUNT, $m8
.Laligned:
    shr   $m8, $COUNT, 2
    brz   $m8, .Lrest
    st32  $VALUE, $mworker_base, 0
    ld32  $a0, $mworker_base, 0
    rpt   $m8, 0
    { st32step $VALUE, $mzero, $PTR+=, 1
      fnop }
.Lrest:
    and   $COUNT, $COUNT, 3
    brz   $COUNT, .Lout
    MASK_OF skip=$mzero, bytes=$COUNT
    MERGE
.Lout:
    exitz $mzero
    .size __runCodelet_Fill, . - __runCodelet_Fill
