"""``-g``: the object's line table names the lines of the source."""

import shutil
import subprocess
from pathlib import Path

import pytest
from lowering import object_code

SOURCE = """static float twice(float x) {
    return x + x;
}
export void f(uniform float a[], uniform int n) {
    foreach (i = 0 ... n) {
        float x = a[i];
        a[i] = twice(x);
    }
}
"""


@pytest.mark.skipif(shutil.which("objdump") is None, reason="binutils are not installed")
def test_the_line_table_names_the_statements(tmp_path: Path) -> None:
    path = tmp_path / "f.o"
    path.write_bytes(object_code(SOURCE, debug_info=True))
    listing = subprocess.run(["objdump", "--dwarf=decodedline", path], capture_output=True, text=True, check=True).stdout
    lines = {int(row.split()[1]) for row in listing.split("\n") if row.startswith("test.ispc ") and row.split()[1].isdigit()}
    assert {2, 5, 6, 7} <= lines


def test_without_g_there_is_no_debug_section() -> None:
    assert b".debug_line" not in object_code(SOURCE)


def test_there_is_no_index_of_names() -> None:
    """Linked objects would have theirs joined to one that gdb refuses with a warning."""
    code = object_code(SOURCE, debug_info=True)
    assert b".debug_line" in code
    assert b".debug_names" not in code
