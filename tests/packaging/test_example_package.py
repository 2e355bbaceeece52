"""The example of a package: its wheel, installed where there is neither voltac nor llvmlite, is right next to numpy."""

import shutil
import subprocess
import sys
import venv
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "package"

CALLS = """\
import importlib.util, sys
import numpy as np
import smooth
assert all(importlib.util.find_spec(name) is None for name in ("voltac", "llvmlite", "lark"))
row = np.random.default_rng(1).random(1001, np.float32)
expected = row.astype(float)
for _ in range(3):
    expected = np.concatenate([expected[:1], np.convolve(expected, np.ones(3) / 3, "valid"), expected[-1:]])
np.testing.assert_allclose(smooth.smoothed(row, 3), expected, rtol=1e-5)
try:
    smooth.kernels.smooth(row, np.zeros(1001, np.float32), 2000)
except ValueError as error:
    print(error)
"""


def test_a_wheel_that_needs_numpy_only(tmp_path: Path) -> None:
    assert "voltac" in entry_points(group="hatch").names, "voltac was installed before it had a hook: pip install -e ."
    project = tmp_path / "project"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("kernels", "dist", "__pycache__"))
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", str(tmp_path), str(project)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("smooth-*.whl")
    assert wheel.name == "smooth-1.0-py3-none-manylinux2014_x86_64.whl"
    home = tmp_path / "env"
    venv.create(home)
    (site,) = home.glob("lib/python*/site-packages")
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    numpy = find_spec("numpy")
    assert numpy is not None and numpy.origin is not None
    for name in ("numpy", "numpy.libs"):
        if (found := Path(numpy.origin).parent.parent / name).exists():
            (site / name).symlink_to(found)
    done = subprocess.run([home / "bin" / "python", "-I", "-c", CALLS], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "argument 1 'row' (uniform float * uniform) must be longer" in done.stdout
