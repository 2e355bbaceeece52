"""The recipe for a library function (docs/contributing.md), followed on a copy of the project."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
USE = """
import numpy as np, voltac
source = "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = thrice(a[i]); }"
k = voltac.compile(source, target="sse4")
a = np.arange(5, dtype=np.float32)
k.f(a, 5)
print(a.tolist())
"""


def test_a_function_written_into_a_file_of_the_library_is_there(tmp_path: Path) -> None:
    for folder in ("voltac", "stdlib", "runtime"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "stdlib" / "logic.ispc").open("a") as file:
        file.write("\nfloat thrice(float v) { return 3 * v; }\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def run(*arguments: str) -> str:
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    before = (tmp_path / "stdlib" / "index.json").read_bytes()
    run("-m", "voltac.sema.library.generate")
    assert (tmp_path / "stdlib" / "index.json").read_bytes() != before
    assert run("-c", USE) == "[0.0, 3.0, 6.0, 9.0, 12.0]\n"
