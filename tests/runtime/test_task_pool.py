"""The task pool as an object file, linked with kernels and a C program."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

_KERNELS = """
task void add(uniform int32 out[], uniform int n) { atomic_add_global(&out[taskIndex % n], taskIndex); }
export void sum(uniform int32 out[], uniform int n, uniform int tasks) { launch[tasks] add(out, n); }
task void level(uniform int32 out[], uniform int depth) {
    if (depth == 0) { atomic_add_global(&out[0], 1); return; }
    launch[3] level(out, depth - 1);
}
export void tree(uniform int32 out[], uniform int depth) { launch level(out, depth); }
"""

_PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kernels.h"

static void *work(void *wrong) {
    for (int round = 0; round < 20; ++round) {
        int32_t out[7] = {0}, expected[7] = {0}, leaves = 0;
        for (int i = 0; i < 5000; ++i) expected[i % 7] += i;
        sum(out, 7, 5000);
        tree(&leaves, 6);
        if (memcmp(out, expected, sizeof out) || leaves != 729) *(int *)wrong = 1;
    }
    return NULL;
}

int main(void) {
    int wrong[5] = {0}, status = 0;
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, work, &wrong[i]);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (child == 0) { work(&wrong[4]); _exit(wrong[4]); }
    waitpid(child, &status, 0);
    return wrong[0] | wrong[1] | wrong[2] | wrong[3] | status;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    (folder / "kernels.ispc").write_text(_KERNELS)
    (folder / "main.c").write_text(_PROGRAM)
    voltac = [sys.executable, "-m", "voltac", "--wno-perf"]
    kernels = ["kernels.ispc", "--target=sse4-i32x4", "-o", "kernels.o", "-h", "kernels.h"]
    subprocess.run([*voltac, *kernels], cwd=folder, check=True)
    subprocess.run([*voltac, "--task-pool", "--target=sse2-i32x4", "-o", "tasks.o"], cwd=folder, check=True)
    subprocess.run(["gcc", "main.c", "kernels.o", "tasks.o", "-pthread", "-o", "main"], cwd=folder, check=True)
    return folder / "main"


@pytest.mark.parametrize("threads", ["1", "2", "7"])
def test_threads_of_a_c_program_launch_at_once_and_after_fork(program: Path, threads: str) -> None:
    environment = {**os.environ, "VOLTAC_NUM_THREADS": threads}
    subprocess.run([str(program)], env=environment, check=True, timeout=60)


def test_the_object_defines_the_three_functions_and_nothing_else(program: Path) -> None:
    words = ["nm", "--defined-only", "-g", "tasks.o"]
    symbols = subprocess.run(words, cwd=program.parent, capture_output=True, text=True, check=True)
    assert [line.split()[2] for line in symbols.stdout.splitlines()] == ["ISPCAlloc", "ISPCLaunch", "ISPCSync"]


def test_the_pool_takes_the_place_of_an_input_file(program: Path) -> None:
    words = [sys.executable, "-m", "voltac", "--task-pool", "kernels.ispc"]
    done = subprocess.run(words, cwd=program.parent, capture_output=True, text=True)
    assert done.returncode == 2 and "two input files given, 'kernels.ispc' and" in done.stderr
