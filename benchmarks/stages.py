"""A source file → CPU seconds of each stage of its compilation, and the memory it took, measured in a fresh process.

CPU seconds instead of seconds: other work on the machine counts less. Run as a script, it is that process::

    python benchmarks/stages.py FILE TARGET[,TARGET...] LEVEL
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from voltac.driver import compile_source, read_source
from voltac.messages.diagnostics import Diagnostics
from voltac.options import Options
from voltac.pipeline import STAGE_NAMES, Watch
from voltac.target_info import find_target

FRONT_END = ("preprocess", "parse", "check", "lower")
STAGES = (*STAGE_NAMES, "object")


@dataclass(frozen=True)
class Costs:
    """What a compilation took."""

    seconds: dict[str, float]
    """Stage -> CPU seconds."""
    process_seconds: float
    """CPU seconds of the whole process, with the start of Python and of LLVM."""
    megabytes: float
    """The most memory the process had."""

    @property
    def front_end(self) -> float:
        return sum(self.seconds[name] for name in FRONT_END)


def measure(path: str, target: str = "avx2-i32x8", level: int = 2) -> Costs:
    """Compile the file in a process of its own."""
    command = [sys.executable, __file__, path, target, str(level)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    made = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, env=environment).stdout
    return Costs(**json.loads(made))


class _Clock(Watch):
    """Collects CPU seconds instead of printing."""

    seconds: dict[str, float]

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        start = time.process_time()
        yield
        self.seconds[name] = self.seconds.get(name, 0) + time.process_time() - start


def main() -> None:
    path, targets, level = sys.argv[1:]
    seconds: dict[str, float] = {}
    clock = _Clock()
    object.__setattr__(clock, "seconds", seconds)
    # What is imported at the first use belongs to no stage.
    start = "export void nothing(uniform float a[]) { a[programIndex] = sin(a[0]); }"
    compile_source(start, "start.ispc", Options(find_target(targets.split(",")[0]))).optimized.object_code()
    for target in targets.split(","):
        options = Options(find_target(target), level=int(level))
        made = compile_source(read_source(path), path, options, Diagnostics(warnings=False), watch=clock)
        with clock.timed("object"):
            made.optimized.object_code()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    costs = {"seconds": seconds, "process_seconds": usage.ru_utime + usage.ru_stime, "megabytes": usage.ru_maxrss / 1024}
    print(json.dumps(costs))


if __name__ == "__main__":
    main()
