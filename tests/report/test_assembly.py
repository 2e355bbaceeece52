"""Instructions are counted as what they do; the kinds below follow from the instruction set manuals."""

import pytest

from voltac.report.assembly import functions, kind_of

KINDS = {
    "load": [
        "vmovups (%rsi,%r9), %zmm1",
        "vaddps (%rdi,%rax,4), %ymm0, %ymm1",
        "movdqu 16(%rdi), %xmm0",
        "movl (%rdi), %eax",
        "vpmovsxbd (%rdi), %zmm0",
        "vblendps $146, -32(%r15), %ymm1, %ymm1",
    ],
    "store": ["vmovups %zmm1, -192(%rdx,%r9)", "movss %xmm0, (%rdi)", "vpmovdb %zmm0, (%rdi)"],
    "masked load": ["vmovups (%rdx,%r9), %zmm5 {%k1} {z}", "vmaskmovps (%rdi), %ymm1, %ymm2"],
    "masked store": ["vmovups %zmm4, (%rdx,%r9) {%k4}", "vpmaskmovd %ymm1, %ymm0, (%rdi)"],
    "gather": ["vgatherdps (%rdi,%zmm0,4), %zmm1 {%k1}", "vpgatherdd %ymm2, (%rdi,%ymm0,4), %ymm1"],
    "scatter": ["vscatterdps %zmm1, (%rdi,%zmm0,4) {%k1}"],
    "blend": ["vblendvps %ymm2, %ymm1, %ymm0, %ymm0", "vaddps %zmm1, %zmm2, %zmm3 {%k1}", "blendvps %xmm0, %xmm1, %xmm2"],
    "mask arithmetic": ["vcmpltps %zmm1, %zmm0, %k1", "kortestw %k0, %k1", "vmovmskps %ymm0, %eax", "vptest %ymm0, %ymm0"],
    "shuffle": [
        "vpblendw $85, %xmm1, %xmm0, %xmm0",
        "vblendps $146, %ymm1, %ymm2, %ymm3",
        "vpermps %ymm1, %ymm2, %ymm3",
        "vbroadcastss %xmm0, %ymm0",
        "vunpcklps %ymm1, %ymm0, %ymm2",
    ],
    "vector arithmetic": ["vfmadd213ps %zmm1, %zmm2, %zmm0", "vpaddd %ymm1, %ymm0, %ymm0", "vmovaps %zmm0, %zmm1"],
    "scalar": ["addq $256, %r9", "leaq 192(%rdi), %rdx"],
    "control": ["jne .LBB0_10", "retq"],
    "call": ["callq expf@PLT"],
}


@pytest.mark.parametrize(("kind", "instruction"), [(kind, one) for kind, them in KINDS.items() for one in them])
def test_an_instruction_is_counted_as_what_it_does(kind: str, instruction: str) -> None:
    assert kind_of(instruction) == kind


TEXT = """\
\t.text
\t.globl\tf
\t.type\tf,@function
f:                                      # @f
# %bb.0:                                # %entry
\ttestl\t%edi, %edi
\tjle\t.LBB0_3
.LBB0_1:                                # %foreach_3_5.all_on
                                        # =>This Inner Loop Header: Depth=1
\tvmovups\t(%rsi), %ymm0                  # a comment
\tjne\t.LBB0_1
.LBB0_2:                                # %body
                                        #   in Loop: Header=BB0_1 Depth=1
\tnop
.LBB0_3:                                # %done
\tretq
.Lfunc_end0:
\t.size\tf, .Lfunc_end0-f
"""


def test_blocks_carry_names_and_loops() -> None:
    blocks = functions(TEXT)["f"]
    assert [(block.label, block.name, block.loops) for block in blocks] == [
        ("", "entry", ()),
        (".LBB0_1", "foreach_3_5.all_on", ("BB0_1",)),
        (".LBB0_2", "body", ("BB0_1",)),
        (".LBB0_3", "done", ()),
    ]
    assert blocks[1].instructions == ["vmovups (%rsi), %ymm0", "jne .LBB0_1"]


def test_instructions_have_the_lines_of_the_source_where_they_are_known() -> None:
    text = TEXT.replace("\ttestl", "\t.loc\t1 3 5                           # f.ispc:3:5\n\ttestl").replace(
        "\tnop", "\t.loc\t2 38 8   # <stdlib>/a.ispc:38:8 @[ ./f.ispc:5:13 ]\n\tnop"
    )
    text = text.replace("\tretq", "\t.loc\t2 38 8   # <stdlib>/a.ispc:38:8\n\tretq")
    assert [block.lines for block in functions(text, "f.ispc")["f"]] == [[3, 3], [3, 3], [5], [0]]
    assert [block.lines for block in functions(TEXT)["f"]] == [[0, 0], [0, 0], [0], [0]]
