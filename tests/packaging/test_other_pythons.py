"""What the command makes is the same, byte for byte, by another version of Python: ``VOLTAC_OTHER_PYTHON``, where it is set."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

OTHER = os.environ.get("VOLTAC_OTHER_PYTHON", "")
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "programs" / "large" / "terms_with_slopes.ispc"
WAYS = {
    "object and header": ["--target=avx2-i32x8", "-O2", "--pic", "-o", "program.o", "-h", "program.h"],
    "several targets": ["--target=sse4-i32x4,avx512skx-x16", "-O1", "-g", "-o", "program.o"],
    "assembly": ["--target=neon-i32x4", "-O3", "--emit-asm", "-o", "program.s"],
    "a device": ["--target=ia64-x1", "-o", "program.s"],
}


def made(python: str, words: list[str], folder: Path) -> dict[str, bytes]:
    """The files that a command writes."""
    folder.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["PYTHONPATH"] = str(ROOT)
    subprocess.run([python, "-m", "voltac", "--woff", *words], cwd=folder, env=environment, check=True, capture_output=True)
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.skipif(not OTHER, reason="VOLTAC_OTHER_PYTHON names no other Python that has llvmlite, lark and numpy")
@pytest.mark.parametrize("way", WAYS)
def test_another_python_makes_the_same(way: str, tmp_path: Path) -> None:
    text = PROGRAM.read_text()
    if way == "a device":
        text = "export void scale(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] *= 1.25f; }\n"
    (tmp_path / "program.ispc").write_text(text)
    words = [*WAYS[way], "../program.ispc"]
    ours, others = made(sys.executable, words, tmp_path / "ours"), made(OTHER, words, tmp_path / "other")
    assert ours and ours == others
    told = subprocess.run([OTHER, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True, check=True)
    assert told.stdout.strip() != str(sys.version_info[:2]), "it is the same version"
