"""A fresh process with an empty cache compiles a small file in a few times of what importing LLVM takes."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

LIMIT = 4.0
FUNCTION = """\
export void kernel{number}(uniform float a[], uniform float b[], uniform int n, uniform float s) {{
    foreach (i = 0 ... n) {{
        float x = a[i];
        if (x > s)
            x = sqrt(x) + b[i];
        else
            x = x * s - b[2 * i];
        b[i] = x;
    }}
}}
"""


@pytest.mark.long
def test_a_file_of_sixty_lines_compiles_within_four_imports_of_llvmlite(tmp_path: Path) -> None:
    source = tmp_path / "kernels.ispc"
    source.write_text("".join(FUNCTION.format(number=number) for number in range(6)))
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def seconds(*words: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, *words], check=True, env=environment)
        return time.perf_counter() - start

    compile_words = ("-m", "voltac", str(source), "-o", str(tmp_path / "kernels.o"), "--target=host", "--woff")
    import_words = ("-c", "import llvmlite.binding")
    seconds(*compile_words)
    seconds(*import_words)
    ratios = [seconds(*compile_words) / seconds(*import_words) for _ in range(15)]
    assert statistics.median(ratios) <= LIMIT
