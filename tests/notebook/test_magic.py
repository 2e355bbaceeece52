"""``%%voltac`` in a shell of IPython: kernels, options, errors, warnings, completion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import voltac

Shows = Callable[[str], str]

SAXPY = """\
// The sum of a line and an array.
export void saxpy(uniform float s, uniform float x[n], uniform float y[n], uniform float out[n], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = s * x[i] + y[i];
}
export uniform int twice(uniform int a) { return LIMIT + a; }
"""


def defined(shell: InteractiveShell, name: str) -> voltac.Kernel:
    kernel = shell.user_ns[name]
    assert isinstance(kernel, voltac.Kernel)
    return kernel


def test_a_cell_defines_its_functions(shell: InteractiveShell, shows: Shows) -> None:
    shell.push({"limit": 40})
    assert shows(f'%%voltac k, target="sse4-i32x4", opt=2, defines={{"LIMIT": limit}}\n{SAXPY}') == ""
    x, out = np.arange(7, dtype=np.float32), np.zeros(7, np.float32)
    defined(shell, "saxpy")(2, x, x, out)
    assert out.tolist() == (3 * np.arange(7)).tolist()
    assert defined(shell, "twice")(2) == 42
    module = shell.user_ns["k"]
    assert isinstance(module, voltac.KernelModule)
    assert module.saxpy is defined(shell, "saxpy") and module.options.level == 2 and module.target == "sse4.2-i32x4"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("targett='avx2'", "TypeError: there is no option 'targett'; did you mean 'target'?"),
        ("target='avx3'", "UnknownTarget: unknown target 'avx3'; did you mean 'avx"),
        (
            "target=avx2",
            "UsageError: %%voltac target=avx2: name 'avx2' is not defined; as a text it stands in quotes: target='",
        ),
        ("opt=7", "ValueError: opt must be 0, 1, 2 or 3, not 7"),
        ("opt=1 / 0", "ZeroDivisionError: division by zero"),
        ("--target=avx2", "UsageError: %%voltac takes a name for the module"),
        ("k, m", "UsageError: %%voltac takes a name for the module"),
        ("'k'", "UsageError: %%voltac takes a name for the module"),
        ("**options", "UsageError: %%voltac takes a name for the module"),
        ("source='x'", "UsageError: %%voltac takes a name for the module"),
        (") + (", "UsageError: %%voltac takes a name for the module"),
    ],
)
def test_a_wrong_option_is_one_line(shows: Shows, line: str, said: str) -> None:
    printed = shows(f"%%voltac {line}\n{SAXPY}").strip()
    assert printed.startswith(said) and "\n" not in printed


def test_an_error_shows_place_and_caret_alone(shows: Shows) -> None:
    shows("1")
    assert shows("%%voltac target='sse4'\n\nexport void f(uniform float a[]) {\n    a[0] = y;\n}") == (
        "CompileError: In[2]:4:12: Error: 'y' is not declared\n    a[0] = y;\n           ^\n"
    )


MANY = "''.join(f'export void f{i}(uniform float a[]) {{ a[0] = y; }}\\n' for i in range(50))"


def test_an_error_of_compile_names_the_callers_line(shows: Shows) -> None:
    printed = shows(f"import voltac\ndef g():\n    voltac.compile({MANY}, target='sse4')\ng()")
    lines = printed.rstrip().split("\n")
    assert lines[:5] == [
        "Cell In[1], line 4",
        "    g()",
        "Cell In[1], line 3, in g",
        f"    voltac.compile({MANY}, target='sse4')",
        "CompileError: <string>:1:44: Error: 'y' is not declared",
    ]
    assert len(lines) <= 30 and "lines more" in lines[-1]


def test_colours_are_those_of_the_shell(shell: InteractiveShell, shows: Shows) -> None:
    shell.colors = "neutral"
    printed = shows("%%voltac target='sse4'\nexport void f(uniform float a[]) { a[0] = y; }")
    assert "\033[31mCompileError\033[0m" in printed and "\033[1;31mError\033[0m" in printed


def test_a_wrong_argument_is_shown_without_internal_frames(shows: Shows) -> None:
    shows(f"%%voltac k, target='sse4', defines={{'LIMIT': 1}}\n{SAXPY}")
    calls = [
        ("saxpy(1, [0.0], [0.0], [0.0])", "TypeError: saxpy(): argument 2 'x'"),
        ("saxpy()", "TypeError: saxpy()"),
        ("k['saxp']", "did you mean 'saxpy'?; it has: saxpy, twice"),
        ("import voltac; voltac.compile(' ;', opt=9)", "ValueError: opt must be"),
    ]
    for number, (call, said) in enumerate(calls, 2):
        printed = shows(call)
        assert said in printed and "voltac/python" not in printed
        assert printed.startswith(f"Cell In[{number}], line 1\n    {call}\n")


def test_a_warning_is_a_python_warning_with_the_cells_lines(shows: Shows) -> None:
    with pytest.warns(voltac.VoltacWarning) as caught:
        shows(
            "%%voltac target='avx2'\n"
            "export void f(uniform float a[n], uniform int index[n], uniform int n) {\n"
            "    foreach (i = 0 ... n)\n"
            "        a[i] = a[index[i]];\n"
            "}"
        )
    (warning,) = caught
    assert (warning.filename, warning.lineno) == ("In[1]", 1)
    assert str(warning.message).startswith("In[1]:4:16: Performance Warning: this load needs a gather")
    assert "        a[i] = a[index[i]];\n               ^^^^^^^^^^^" in str(warning.message)


def test_a_misspelt_kernel_names_the_nearest_and_all(shows: Shows) -> None:
    shows(f"%%voltac k, target='sse4', defines={{'LIMIT': 1}}\n{SAXPY}")
    printed = shows("k.saxp")
    assert "'module with saxpy, twice' object has no attribute 'saxp'" in printed
    assert "In[1] exports no function 'saxp'; did you mean 'saxpy'?; it has: saxpy, twice" in printed
    assert "exports no function" not in shows("k.saxpy.nothing")


def completions(shell: InteractiveShell, line: str) -> list[str]:
    return [one.text for one in shell.Completer._completions(line, len(line), _timeout=1e9)]


@pytest.mark.filterwarnings("ignore")
def test_names_are_completed(shell: InteractiveShell, shows: Shows) -> None:
    shows(f"%%voltac k, target='sse4', defines={{'LIMIT': 1}}\n{SAXPY}")
    assert completions(shell, "k.sax") == ["saxpy"]
    assert completions(shell, "k['tw") == ["twice"]
    assert {"s=", "x=", "y=", "out=", "n="} <= {*completions(shell, "saxpy(")}
    assert completions(shell, "%%voltac tar") == ["target="]
    assert "avx2-i32x8" in completions(shell, "%%voltac target='avx2")
    assert completions(shell, "%%voltac opt=") == ["0", "1", "2", "3"]


def test_help_shows_signature_and_comment(shell: InteractiveShell, shows: Shows) -> None:
    shows(f"%%voltac target='sse4', defines={{'LIMIT': 1}}\n{SAXPY}")
    told = shell.object_inspect_text("saxpy")
    assert "saxpy(s, x, y, out, n=None)" in told
    assert "The sum of a line and an array." in told and "out: array of float32" in told


def test_help_of_a_module_lists_its_kernels(shell: InteractiveShell, shows: Shows) -> None:
    shows(f"%%voltac k, target='sse4', defines={{'LIMIT': 1}}\n{SAXPY}")
    told = shell.object_inspect_text("k")
    assert "In[1], compiled for sse4.2-i32x4:" in told and "void saxpy(uniform float s" in told
    assert "    The sum of a line and an array." in told and "uniform int32 twice(" in told


def test_unloading_takes_the_magic_away(shell: InteractiveShell, shows: Shows) -> None:
    shows("%unload_ext voltac")
    assert "Cell magic `%%voltac` not found" in shows("%%voltac\nexport void f() {}")
    shows("%load_ext voltac")
