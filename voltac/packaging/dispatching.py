"""Several compilations of one source, one a target → the functions that pick the best version when they are called first."""

from __future__ import annotations

from collections.abc import Sequence

from voltac.driver import compile_source
from voltac.llvm.dispatch import dispatcher
from voltac.options import Options
from voltac.pipeline import Compilation
from voltac.records import replace
from voltac.target_info import find_target


def dispatching(jobs: Sequence[Compilation], file: str) -> Compilation:
    """The functions that C programs call."""
    names = [function.name for function in jobs[0].program.entries]
    text = dispatcher(names, [job.options.target for job in jobs], jobs[0].results["passes"])
    return compile_source(text, file, for_any_cpu(jobs[0].options), begin="late")


def for_any_cpu(options: Options) -> Options:
    """The options for code that runs before anything is known of the CPU."""
    plain = "neon" if options.target.architecture == "aarch64" else "sse2"
    target = replace(find_target(plain), triple=options.target.triple, pointer_bits=options.target.pointer_bits)
    return replace(options, target=target, symbol_suffix="", stack_protector="")
