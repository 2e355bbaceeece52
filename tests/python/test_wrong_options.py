"""What is no option, or no value of one, is refused with its name before anything is compiled."""

from __future__ import annotations

import ctypes
import enum
import math
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import voltac
from voltac.messages.visible import visible_value
from voltac.options import Options
from voltac.options.checks import CHECKS
from voltac.python import make_options
from voltac.python.call_options import CompileOptions
from voltac.records import replace
from voltac.target_info import TARGETS, find_target

SOURCE = "export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] = 7; }"
TARGET = find_target("sse4-i32x4")
ROOT = Path(__file__).resolve().parents[2]
HUGE = 10**5000
"""Python does not write so many digits."""
PUTS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p)
FIELDS = Options.__match_args__
SWITCHES = [name for name in FIELDS if isinstance(getattr(Options(TARGET), name), bool)]

VALUES: dict[str, tuple[list[Any], list[Any]]] = {
    "target": ([TARGET], [find_target("sse4").name + "x", replace(TARGET, cpu="foo"), replace(TARGET, features="+foo")]),
    "level": ([0, 1, 2, 3, np.int8(2)], [-1, 4, 10**30]),
    "defines": (
        [(), (("A", "1"), ("B", ""), ("F(x)", "x"))],
        [(("1A", "1"),), (("A B", "1"),), (("A", "1\n2"),), (("A", "\0"),)],
    ),
    "include_directories": ([(), ("/tmp",)], [("/tmp\0",)]),
    "addressing": ([32, 64], [48, 0, -32, 16]),
    "dwarf_version": ([2, 3, 4, 5], [9, 1, 0, -1]),
    "debug_prefix_map": ([(), (("/home", "."), ("a", ""))], [(("a\0", "b"),), (("", "b"),)]),
    "sample_profile": (["", "f:1:1\n 1: 5\n"], ["\0"]),
    "position_independent": (["", "small", "large"], ["huge", "SMALL", "pic"]),
    "math_library": (["default", "fast", "system"], ["svml", "", "Fast"]),
    "fast_math": (["", "legacy", "balanced", "aggressive"], ["agressive", "true", "on"]),
    "print_function": (["", "puts", "_f1"], ["1f", "a b", "f()", "@f", '"', "ä"]),
    "checked": ([True, False, (), "races", ("accesses", "nonfinite")], ["acesses", "", "all", ("x",)]),
    "cpu": (["", "skx", "haswell", "znver4", "skylake-avx512"], ["foo", "SKX", "apple-m1"]),
    "force_alignment": ([0, 1, 64, 4096, 1 << 30], [3, -1, 24, 1 << 31, 1 << 80]),
    "symbol_suffix": (["", "_avx2"], [" ", "-a", "ä", '"']),
    "code_model": (["", "small", "large"], ["medium", "kernel", "tiny"]),
    "stack_protector": (["", "none", "on", "strong", "all"], ["weak", "ON", "off"]),
    "instrument": (["", "calls", "counts"], ["on", "count", "CALLS"]),
    **{name: ([True, False], []) for name in SWITCHES},
}
"""Field -> values that are allowed, and some of the right type that are not."""

OF_NO_TYPE: list[Any] = [None, 1.5, b"x", [], {}, object(), 1j, np.zeros(3), lambda: 0, ...]
"""Values that no option has."""


def test_every_field_has_a_check_and_a_row_here() -> None:
    assert list(CHECKS) == list(FIELDS)
    assert set(VALUES) == set(FIELDS)


@pytest.mark.parametrize("field", FIELDS)
def test_each_field_takes_its_values_and_refuses_all_others(field: str) -> None:
    allowed, wrong = VALUES[field]
    plain = Options(TARGET, catch_failures=True)  # which checked runs need
    for value in allowed:
        assert getattr(replace(plain, **{field: value}), field) is not None
    of_types = {type(value) for value in allowed}
    types: list[Any] = [value for value in (*OF_NO_TYPE, True, 5, "x", ()) if type(value) not in of_types]
    for value in types:
        with pytest.raises(TypeError, match=f"{field} must be "):
            replace(plain, **{field: value})
    for value in wrong:
        with pytest.raises(ValueError if field != "target" or not isinstance(value, str) else TypeError) as raised:
            replace(plain, **{field: value})
        assert len(str(raised.value)) > 20


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cpu": "foo"}, ValueError, "unknown CPU 'foo'; supported CPUs are, for x86-64: x86-64, "),
        ({"cpu": "haswel"}, ValueError, "did you mean 'haswell'"),
        ({"cpu": "skx", "target": "neon"}, ValueError, "'skx' is a CPU for x86-64 and 'neon-i32x4' a target for aarch64"),
        ({"cpu": "skx", "target": "naplespu"}, ValueError, "'skx' is a CPU and 'naplespu' a device"),
        (
            {"cpu": "graviton2", "target": "avx2"},
            ValueError,
            "'neoverse-n1' is a CPU for aarch64 and 'avx2-i32x8' a target for x86-64",
        ),
        ({"target": replace(TARGET, cpu="cortex-a72")}, ValueError, "'cortex-a72' is a CPU for aarch64"),
        ({"debug_info": True, "dwarf_version": 9}, ValueError, "dwarf_version must be 2, 3, 4 or 5, not 9"),
        ({"fast_math": True}, TypeError, "fast_math must be '', 'legacy', 'balanced' or 'aggressive', not True"),
        ({"fast_math": "agressive"}, ValueError, "not 'agressive'; did you mean 'aggressive'?"),
        ({"addressing": 48}, ValueError, "addressing must be 32 or 64, not 48"),
        ({"addressing": "64"}, TypeError, "addressing must be 32 or 64, not '64'"),
        ({"position_independent": "huge"}, ValueError, "position_independent must be '', 'small' or 'large', not 'huge'"),
        ({"print_function": 5}, TypeError, "print_function must be the name of a C function, not 5"),
        ({"sample_profile": "x"}, ValueError, "sample_profile must be the text of a sample profile: line 1"),
        ({"target": None}, TypeError, "target must be the name of a target or its TargetInfo, not None"),
        ({"target": "sse4,avx2"}, ValueError, "unknown target 'sse4,avx2'"),
        ({"target": replace(TARGET, cpu="skylak")}, ValueError, "unknown CPU 'skylak'; did you mean 'skylake'"),
        ({"opt": "3"}, TypeError, "opt must be 0, 1, 2 or 3, not '3'"),
        ({"opt": True}, TypeError, "opt must be 0, 1, 2 or 3, not True"),
        ({"debug_info": 1}, TypeError, "debug_info must be True or False, not 1"),
        ({"level": 3}, TypeError, "there is no option 'level'; it is called 'opt' here"),
        ({"include_directories": ()}, TypeError, "there is no option 'include_directories'; it is called 'include' here"),
        ({"math_lib": "fast"}, TypeError, "there is no option 'math_lib'; did you mean 'math_library'"),
        ({"masked_paths": False}, TypeError, "there is no option 'masked_paths'"),
        ({"include": 5}, TypeError, "include must be the path of a folder or several of them, not 5"),
        ({"include": [None]}, TypeError, "include must be the path"),
        ({"include": {"a": 1}}, TypeError, "include must be the path"),
        ({"include": ["/tmp", "/a\0b"]}, ValueError, r"include must be .* '/a\\x00b' is none: it has a null character"),
        ({"debug_prefix_map": 5}, TypeError, r"debug_prefix_map must be a mapping of paths, or pairs .*, not 5"),
        ({"debug_prefix_map": None}, TypeError, r"debug_prefix_map must be a mapping .*, not None"),
        ({"debug_prefix_map": "a=b"}, TypeError, r"debug_prefix_map must be a mapping .*, not 'a=b'"),
        ({"debug_prefix_map": ["a=b"]}, TypeError, r"debug_prefix_map must be a mapping .*, and 'a=b' is none"),
        ({"debug_prefix_map": ["ab"]}, TypeError, r"debug_prefix_map must be a mapping .*, and 'ab' is none"),
        ({"debug_prefix_map": [("a",)]}, TypeError, r"debug_prefix_map must be a mapping .*, and \('a',\) is none"),
        ({"debug_prefix_map": {"a": 5}}, TypeError, r"debug_prefix_map must be a mapping .*, and \('a', 5\) is none"),
        ({"debug_prefix_map": {"": "b"}}, ValueError, r"debug_prefix_map must be .* nothing in the place of the old path"),
        ({"debug_prefix_map": [["a", "\0"]]}, ValueError, r"debug_prefix_map must be .* has a null character"),
        ({"defines": 5}, TypeError, "defines must be a mapping, or texts NAME or NAME=VALUE, not 5"),
        ({"defines": {5: 1}}, TypeError, "the names of macros in defines must be str, not 5"),
        ({"defines": {"A": []}}, TypeError, r"the value of macro 'A' .* not \[\]"),
        ({"defines": {"A": "1\n#error"}}, ValueError, "the value of macro 'A' must be one line of text"),
        ({"defines": ["A-B=1"]}, ValueError, "'A-B' is no identifier"),
        ({"cache": "no"}, TypeError, "cache must be True or False, not str 'no'"),
        ({"functions": [1]}, TypeError, "functions must be a mapping from names, or None, not a list"),
        ({"functions": {"puts": 0}}, ValueError, r"functions\['puts'\] .* not a null pointer"),
        ({"functions": {"puts": PUTS(0)}}, ValueError, "an address, not a null pointer"),
        ({"functions": {"puts": -1}}, ValueError, "an address, not int -1"),
        ({"functions": {"puts": 1 << 64}}, ValueError, "an address, not int 18446744073709551616"),
        ({"functions": {"puts": HUGE}}, ValueError, "an address, not int 0x31e2"),
        (
            {"functions": {"puts": "puts"}},
            TypeError,
            r"functions\['puts'\] must be a function of Python or ctypes, or an address",
        ),
        ({"launch": 3}, TypeError, "launch must be a mapping from names, or None, not int 3"),
        ({"file": None}, TypeError, "file must be a str"),
        ({"opt": HUGE}, ValueError, "opt must be 0, 1, 2 or 3, not 0x31e2"),
        ({"cpu": HUGE}, TypeError, "cpu must be the name of a CPU, not 0x31e2"),
        ({"target": HUGE}, TypeError, "target must be the name of a target or its TargetInfo, not 0x31e2"),
        ({"cache": HUGE}, TypeError, "cache must be True or False, not int 0x31e2"),
        ({"cache": np.bool_(True)}, TypeError, "cache must be True or False, not a numpy.bool"),
        ({"debug_info": np.bool_(True)}, TypeError, "debug_info must be True or False, not a numpy.bool"),
        ({"include": HUGE}, TypeError, "include must be the path of a folder or several of them, not 0x31e2"),
        ({"include": [HUGE]}, TypeError, "include must be the path of a folder or several of them, not a list"),
        ({"launch": {"cores": 2}}, TypeError, "launch={'cores': 2} is for devices"),
        ({"target": "naplespu", "launch": {"cores": HUGE}}, ValueError, "cores must be 1 to 8, not 0x31e2"),
        ({"target": "naplespu", "launch": {"fpu": np.array(["rtl", "rtl"])}}, TypeError, "fpu must be one of ideal, rtl, not "),
        ({"target": "naplespu", "reset_ftz_daz": True}, ValueError, "no floating-point state to reset on the device"),
        ({"defines": {"A": HUGE}}, ValueError, "the value of macro 'A' in defines must be a number of at most 64 bits"),
        ({"defines": {"A": math.nan}}, ValueError, "the value of macro 'A' in defines must be finite, not nan"),
        ({"defines": {"A": np.float32("inf")}}, ValueError, "must be finite, not np.float32.inf"),
        ({"defines": {"A": np.complex64(1)}}, TypeError, "must be text, a number, a bool or None, not np.complex64"),
        ({"defines": {"A": np.timedelta64(1, "s")}}, TypeError, "must be text, a number, a bool or None, not np.timedelta64"),
        ({"defines": {"A\x1b": []}}, TypeError, r"macro 'A\\x1b' in defines"),
    ],
    ids=lambda value: re.sub(r" at 0x[0-9a-f]+", "", visible_value(value)),  # the same in every process
)
def test_messages_name_the_option_what_it_takes_and_what_was_given(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        voltac.compile(SOURCE, **options)


class Text(str):
    """Printed as something else, as the members of some enums are."""

    def __str__(self) -> str:
        return "another"

    __repr__ = __str__


def test_texts_of_other_classes_and_numbers_are_what_they_stand_for() -> None:
    """Whatever ``str()`` of them is."""

    class Number(enum.IntEnum):
        X = 1

    defines = {Text("A"): Text("7"), "B": Number.X, "C": np.int8(-3), "D": np.float32(0.5), "E": True}
    words: dict[str, Any] = {"math_library": "fast", "print_function": "printer", "cpu": "haswell", "code_model": "large"}
    given: dict[str, Any] = {name: Text(word) for name, word in words.items()}
    options = make_options(Text("avx2-i32x8"), defines, debug_prefix_map={Text("A"): Text("7")}, **given)
    plain = make_options("avx2-i32x8", ["A=7", "B=1", "C=-3", "D=0.5", "E"], debug_prefix_map={"A": "7"}, **words)
    assert repr(options) == repr(plain)
    module = voltac.compile("export uniform int f() { return A; }", defines={Text("A"): Text("7")}, file=Text("a_class.ispc"))
    assert module.f() == 7 and "'a_class.ispc'" in repr(module)


def test_what_is_about_debug_information_asks_for_some() -> None:
    assert make_options(dwarf_version=4).debug_info and make_options(profiling=True).debug_info
    assert not make_options().debug_info


def is_allowed(field: str, value: object) -> bool:
    return any(value is allowed for allowed in VALUES[field][0])


def test_random_options_compile_or_are_refused() -> None:
    """Whatever is given, it is a kernel that does what it should, or one of Python's two exceptions for wrong arguments."""
    choice = random.Random(12)
    unheard = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint64)(lambda *told: None)
    names = [name for name in VALUES if name not in ("target", "level", "defines", "include_directories")]
    ran = 0
    for _ in range(80):
        options: dict[str, Any] = {"opt": choice.choice([0, 2]), "target": choice.choice(["sse4", "avx2"])}
        for name in choice.sample(names, 3):
            allowed, wrong = VALUES[name]
            options[name] = choice.choice([*allowed * 4, *wrong, *OF_NO_TYPE][: 6 * len(allowed) + 4])
        if choice.random() < 0.7:
            options = {name: value for name, value in options.items() if name not in VALUES or is_allowed(name, value)}
        try:
            kernels = voltac.compile(SOURCE, functions={"ISPCInstrument": unheard}, **options)
        except (TypeError, ValueError):
            continue
        a = np.zeros(5, np.float32)
        kernels.f(a, 5)
        assert a.tolist() == [7] * 5, options
        ran += 1
    assert ran > 20


def test_every_target_goes_with_its_own_record() -> None:
    for target in TARGETS.values():
        assert Options(target).target is target


@pytest.mark.parametrize(
    "prefixes",
    [{"/home": ".", Path("/a"): ""}, [("/home", "."), (Path("/a"), "")], iter([["/home", "."], ("/a", b"")])],
    ids=["mapping", "list", "iterator"],
)
def test_prefixes_are_a_mapping_or_pairs(prefixes: Any) -> None:
    assert make_options(target="sse4", debug_prefix_map=prefixes).debug_prefix_map == (("/home", "."), ("/a", ""))


def test_folders_may_be_bytes_as_elsewhere_in_python() -> None:
    assert make_options(target="sse4", include=b"/tmp").include_directories == ("/tmp",)
    assert make_options(target="sse4", include=["/tmp", b"/usr"]).include_directories == ("/tmp", "/usr")


@pytest.mark.whole
def test_type_checkers_know_the_options(tmp_path: Path) -> None:
    fields = set(Options.__match_args__) - {"masked_paths", "symbol_suffix", "level", "include_directories"}
    assert set(get_type_hints(CompileOptions)) == fields | {"opt", "include"}
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text("import voltac\nvoltac.load('k.ispc', target='avx2', opt=2, fast_math='balanced', defines={'N': 3})\n")
    wrong.write_text(
        "import voltac\nvoltac.load('k.ispc', targett='avx2')\nvoltac.compile('', fast_math='agressive')\n"
        "voltac.compile('', disable_fma=1.5)\n"
    )
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", os.devnull, "--follow-imports=silent"]
    done = subprocess.run([*command, right, wrong], capture_output=True, text=True, cwd=ROOT)
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line.split(": error:")[0] for line in lines] == [f"{wrong}:{number}" for number in (2, 3, 4)]
