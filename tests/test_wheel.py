"""The built wheel carries everything: installed alone into an empty environment it compiles a kernel."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

KERNEL = """\
export void scale(uniform float a[], uniform float s, uniform int n) {
    foreach (i = 0 ... n)
        a[i] = sqrt(max(a[i] * s, 0.0f));
}
"""

CALL = """\
import numpy as np, sys, voltac
a = np.arange(19, dtype=np.float32)
voltac.load(sys.argv[1]).scale(a, 4.0, len(a))
assert np.array_equal(a, np.sqrt(np.arange(19, dtype=np.float32) * 4)), a
"""


@pytest.mark.whole
def test_an_installed_wheel_compiles_and_calls(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("voltac-*.whl")
    assert wheel.name.endswith("py3-none-any.whl")
    home = tmp_path / "env"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", wheel], check=True, capture_output=True)
    kernel = tmp_path / "scale.ispc"
    kernel.write_text(KERNEL)
    out = tmp_path / "scale.o"
    subprocess.run([home / "bin" / "voltac", kernel, "--target=sse4", "-o", out], check=True, cwd=tmp_path)
    assert out.stat().st_size > 0
    subprocess.run([python, "-I", "-c", CALL, kernel], check=True, cwd=tmp_path)
    subprocess.run(
        [home / "bin" / "voltac", "explain", kernel, "--target=sse4", "--html", "page.html"], check=True, cwd=tmp_path
    )
    assert "a vector store" in (tmp_path / "page.html").read_text()
