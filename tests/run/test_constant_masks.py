"""Lanes that are packed under masks of which only the code generator sees that they are constant."""

from pathlib import Path

import pytest
from run_programs import NativeRunner, at_level, compile_for, natively

from voltac.target_info import find_target

TEXT = """export void test(uniform double out[], uniform float f[], uniform int32 i[], uniform int n) {
    uniform TYPE kept[64];
    uniform int count = 0;
    foreach (k = 0 ... 31)
        if ((k & 3) != 0)
            count += packed_store_active(&kept[count], (TYPE)(k * 3 & 127));
    for (uniform int j = 0; j < 23; j++)
        out[j] = kept[j] + 100 * count;
}
"""


@pytest.mark.parametrize(
    ("target", "type"),
    [
        *((target, "int32") for target in ("avx512skx-x8", "avx512skx-x16", "avx512icl-x16", "avx2-i32x8")),
        *(("sse4-i8x16", type) for type in ("int8", "int16", "int32")),
        *(("avx2-i8x32", type) for type in ("int8", "int16")),
        ("sse2-i32x8", "int8"),
    ],
)
@pytest.mark.parametrize("level", [0, 1, 2])
def test_they_are_stored_whatever_is_folded_first(level: int, target: str, type: str) -> None:
    """LLVM 22 folds its compressions with such a mask to what passes through, at -O0 behind the front end of -O2."""
    job = compile_for(Path("packed.ispc"), TEXT.replace("TYPE", type), find_target(target))
    out = NativeRunner().run([natively(at_level(job, level))])[0][0]
    assert out[:23].tolist() == [2300 + (3 * k & 127) for k in range(31) if k & 3]
