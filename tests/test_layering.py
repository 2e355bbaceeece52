"""Folders know only those to their left, and the heavy libraries are imported where they are needed, late."""

import ast
import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "voltac"
ORDER = (
    "records | system | messages | target_info | options | pass_runs | syntax | sema | interpreter | ir | lower | passes | llvm"
    " | codegen | targets | report | pipeline driver | python | opencl dask testing notebook packaging explorer editors | cli"
)
PLACE = {name: place for place, names in enumerate(ORDER.split("|")) for name in names.split()}
OWNER = {"llvmlite": "llvm", "lark": "syntax", "IPython": "notebook", "pygls": "editors", "lsprotocol": "editors"}
FILES = sorted(path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] not in ("__init__.py", "__main__.py"))

INDENTED_IMPORT = re.compile(r"^\s+(import|from)\b", re.MULTILINE)


@cache
def imports_in(path: Path) -> list[ast.Import | ast.ImportFrom]:
    """All of a file, those inside functions included."""
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, (ast.Import, ast.ImportFrom))]


def imported(path: Path) -> list[tuple[ast.stmt, str]]:
    found: list[tuple[ast.stmt, str]] = []
    for node in imports_in(path):
        if isinstance(node, ast.Import):
            found += [(node, alias.name) for alias in node.names]
        else:
            assert node.level <= 1, f"{path}:{node.lineno} is a relative import from outside its folder"
            found.append((node, "" if node.level else node.module or ""))
            found += [(node, f"{node.module}.{alias.name}") for alias in node.names if node.module == "voltac"]
    return found


def test_a_module_imports_only_from_its_left() -> None:
    for path in FILES:
        check_imports(path)


def check_imports(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    for node, name in imported(path):
        other = name.split(".")[1] if name.startswith("voltac.") else ""
        if other in PLACE:
            assert PLACE[other] <= PLACE[own], f"{path}:{node.lineno} imports {name}, which is to the right of {own}"
        library = name.split(".")[0]
        assert OWNER.get(library, own) == own, f"{path}:{node.lineno} imports {library}; only {OWNER.get(library)} may"


def imports_of_modules() -> dict[str, set[str]]:
    """Module -> the modules of voltac that it imports, those for types and inside functions included."""
    paths = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    found: dict[str, set[str]] = {}
    for module, path in paths.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        names: set[str] = set()
        for node in imports_in(path):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                base = ".".join(filter(None, (package if node.level else "", node.module)))
                members = {f"{base}.{alias.name}" for alias in node.names}
                names |= {name if name in paths else base for name in members}
        found[module] = (names & paths.keys()) - {module}
    return found


def cycles(edges: dict[str, set[str]]) -> list[set[str]]:
    """The sets of modules that import each other, directly or not."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for name in edges[waiting.pop()] - seen:
                seen.add(name)
                waiting.append(name)
        return seen

    ways = {module: reached(module) for module in edges}
    rings = {frozenset(other for other in ways[module] if module in ways[other]) for module in edges if module in ways[module]}
    return sorted(map(set, rings), key=min)


REMAINING: tuple[str, ...] = ()
"""The import cycles there are, each with its reason; a new one is a mistake, and so is a row that no longer holds."""


def test_import_cycles_are_the_known_ones() -> None:
    known = [{name if name == "voltac" else f"voltac.{name}" for name in row.split()} for row in REMAINING]
    assert cycles(imports_of_modules()) == known


def unexplained_imports(text: str) -> list[int]:
    """Lines of imports inside functions without a comment: beside them, or above the first of those in a row."""
    if not INDENTED_IMPORT.search(text):
        return []
    lines = text.split("\n")
    found = []
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    statements = [node for function in functions for node in ast.walk(function) if hasattr(node, "body")]
    for block in {id(block): block for node in statements for block in blocks_of(node)}.values():
        said = False
        for before, node in zip([None, *block], block, strict=False):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                if not isinstance(before, (ast.Import, ast.ImportFrom)):
                    said = lines[node.lineno - 2].lstrip().startswith("#")
                beside = any("#" in line for line in lines[node.lineno - 1 : node.end_lineno])
                said = said or beside
                if not said:
                    found.append(node.lineno)
    return sorted(found)


def blocks_of(node: ast.AST) -> list[list[ast.stmt]]:
    fields = (getattr(node, name, []) for name in ("body", "orelse", "finalbody"))
    return [block for block in fields if isinstance(block, list)]


def test_an_import_inside_a_function_says_why() -> None:
    assert [f"{path}:{line}" for path in FILES for line in unexplained_imports(path.read_text())] == []


def device_folders() -> list[Path]:
    return sorted(path.parent for path in (ROOT / "targets").glob("*/facts.py"))


SHORT_NAMES = {"naplespu": r"\w*naplespu\w*|npu(?=[._])"}
"""Other names of a device, in its functions' names."""


@pytest.mark.parametrize("folder", device_folders(), ids=lambda folder: folder.name)
def test_only_a_devices_own_folder_names_it(folder: Path) -> None:
    name = re.compile(rf"\b{SHORT_NAMES.get(folder.name, folder.name)}\b", re.IGNORECASE)
    outside = [path for path in ROOT.rglob("*.py") if folder not in path.parents]
    assert [str(path) for path in outside if name.search(path.read_text())] == []


def loaded_after(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    return set(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split())


def test_importing_voltac_is_light() -> None:
    assert loaded_after("import voltac").isdisjoint({"llvmlite", "lark", "numpy"})


def test_importing_llvm_and_syntax_folders_is_light() -> None:
    assert loaded_after("import voltac.llvm, voltac.syntax, voltac.driver").isdisjoint({"llvmlite", "lark", "numpy"})


def needs(*packages: str) -> pytest.MarkDecorator:
    """For tests that compile: an interpreter without the project's own dependencies can check the imports only."""
    missing = [name for name in packages if find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed for {sys.executable}: {', '.join(missing)}")


@needs("llvmlite")
def test_a_plain_compile_does_not_import_numpy(tmp_path: Path) -> None:
    source = tmp_path / "f.ispc"
    source.write_text("export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] += 1; }\n")
    command = f"from voltac.cli.command import main\nassert main(['{source}', '-o', '{tmp_path}/f.o', '--target=sse4']) == 0"
    assert "numpy" not in loaded_after(command)


@needs("llvmlite", "numpy")
def test_kernels_of_the_host_need_nothing_of_devices() -> None:
    code = """import numpy as np, voltac
k = voltac.compile('export void f(uniform float a[]) { a[0] = 1; }', target='sse4-i32x4', cache=False)
k.f(np.zeros(1, np.float32))
names = [name for name in sys.modules if name.startswith(('voltac.codegen', 'voltac.targets.'))]
assert not names, names"""
    assert "numpy" in loaded_after(code)


@needs("llvmlite")
def test_an_object_for_the_host_is_made_without_devices(tmp_path: Path) -> None:
    source = tmp_path / "f.ispc"
    source.write_text("export void f(uniform float a[], uniform int n) { foreach (i = 0 ... n) a[i] += 1; }\n")
    code = f"""from voltac.cli.command import main
assert main(['{source}', '-o', '{tmp_path}/f.o', '--target=sse4']) == 0
names = [name for name in sys.modules if name.startswith('voltac.targets.')]
assert not names, names"""
    assert "voltac" in loaded_after(code)
