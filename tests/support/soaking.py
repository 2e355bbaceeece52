"""Processes of ``soaking_process.py`` side by side, with one cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROCESS = Path(__file__).with_name("soaking_process.py")
PATIENCE = 280
"""Seconds until a process that should have ended is taken to hang, on a busy machine too."""


def soaked(folder: Path, seed: int, processes: int, threads: int, seconds: float = 0) -> list[tuple[int, str, str]]:
    """Exit status, output and errors of each process with anything wrong; every second one ends while its threads work, if
    they work for some seconds."""
    environment = {**os.environ, "VOLTAC_CACHE_DIR": str(folder / "cache")}
    running = []
    for number in range(processes):
        end = "running" if seconds and number % 2 else "joined"
        words = [sys.executable, str(PROCESS), str(seed * processes + number), str(threads), str(seconds), end, str(folder)]
        running.append(
            subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder)
        )
    ended = []
    for process in running:
        try:
            texts = process.communicate(timeout=seconds + PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            texts = process.communicate()
            texts = (texts[0] + "hangs", texts[1])
        ended.append((process.returncode, *texts))
    return [end for end in ended if end != (0, "done\n", "")]
