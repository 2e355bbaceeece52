"""The campaigns: what each promises, where its texts come from, and who judges them."""

from __future__ import annotations

import cache_faults
import changed_judge
import judges
import machine_judges
import program_judges
from campaign import Campaign
from changed_programs import changed_program
from random_sums import random_sums

CAMPAIGNS: dict[str, Campaign] = {
    row.name: row
    for row in (
        Campaign(
            "programs",
            "random programs give the same interpreted and as machine code, at every width, level and instruction set",
            program_judges.judge_program,
            program_judges.program_text,
        ),
        Campaign(
            "changed",
            "programs of the suite, changed at random, give the same interpreted and as machine code, if they are defined",
            changed_judge.judge_changed,
            changed_program,
        ),
        Campaign(
            "machines",
            "random programs have objects at every level for SVE, RISC-V, WebAssembly and 32-bit x86, and do there as anywhere",
            machine_judges.judge_on_machine,
            program_judges.alone_text,
            seconds=300,
            gigabytes=32,  # node sets aside ten for the memory of a module
        ),
        Campaign(
            "options",
            "options that are not about what a program means do not change it",
            program_judges.judge_options,
            program_judges.program_text,
        ),
        Campaign(
            "gangs",
            "sums of products have the same bits at every gang size and level, wherever products are fused with them",
            program_judges.judge_gangs,
            random_sums,
        ),
        Campaign(
            "declarations",
            "random overloads, enums and declarations mean what the rules of the language make of them",
            program_judges.judge_declarations,
        ),
        Campaign(
            "passes",
            "what each pass makes of a random program means what it meant before, by the interpreter of the IR",
            program_judges.judge_passes,
            program_judges.alone_text,
            seconds=300,
        ),
        Campaign(
            "accesses",
            "loops with random indices read and write what numpy says, and touch nothing behind the ends of arrays",
            program_judges.judge_accesses,
        ),
        Campaign(
            "devices",
            "random programs do on the simulated devices what the interpreter says",
            program_judges.judge_on_device,
            program_judges.device_text,
            seconds=300,
        ),
        Campaign(
            "texts",
            "broken sources end in an object or in errors that have a place: no crash, no hang, no traceback",
            judges.judge_text,
            judges.broken_text,
            seconds=60,
            gigabytes=2,
        ),
        Campaign(
            "calls",
            "wrong calls from Python end in an exception that names the kernel, with every array as it was",
            judges.judge_calls,
        ),
        Campaign(
            "checked",
            "checked kernels on arrays that are too short raise, and touch nothing behind them",
            judges.judge_checked,
        ),
        Campaign(
            "cache",
            "files change between and during compilations; the cache gives what a fresh compilation would",
            judges.judge_cache,
        ),
        Campaign(
            "faults",
            "the cache's folder is damaged, planted, full or written by a process that is killed: the right program runs",
            cache_faults.judge_faults,
        ),
        Campaign(
            "threads",
            "threads and processes compile, load, call, launch, fork, are interrupted, exit: right results, flat memory",
            judges.judge_threads,
            seconds=300,
        ),
        Campaign(
            "same-bits",
            "an object is the same, byte for byte, in every process, folder and for every hash seed",
            judges.judge_same_bits,
            program_judges.program_text,
        ),
        Campaign(
            "accuracy",
            "elementary functions are within the bounds of their errors, for arguments of every magnitude",
            judges.judge_accuracy,
        ),
    )
}
