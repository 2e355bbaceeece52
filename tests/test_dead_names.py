"""Every name that voltac defines is used in voltac: functions, classes, constants, methods, fields.

A use is a name or an attribute that is read, anywhere but in the definition itself; an import is none. What a decorator
takes is used by it. A field counts as read by a call that names it only where something reads it too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "voltac"

FOR_OTHERS = {
    "IRInterpreter": "the oracle of the tests: what LLVM text means",
    "_fields_": "ctypes",
    "_ipython_key_completions_": "IPython",
    "_repr_html_": "notebooks",
    "create_module": "importlib",
    "daemon_threads": "http.server",
    "do_GET": "http.server",
    "do_POST": "http.server",
    "enqueue": "callers of opencl",
    "exec_module": "importlib",
    "global_bytes": "callers of the interpreter: what a program left in a global variable",
    "log_message": "http.server",
    "local_memory_size": "callers of opencl",
    "object_hook": "json",
    "object_pairs_hook": "json",
    "parse_constant": "json",
    "parse_float": "json",
    "parse_int": "json",
    "server_version": "http.server",
    "slow_load": "the code that the simulator writes",
    "IspcLexer": "Pygments",
    "KERNELS": "packages that voltac built",
    "aliases": "Pygments",
    "filenames": "Pygments",
    "get_tokens_unprocessed": "Pygments",
    "mimetypes": "Pygments",
    "PLUGIN_NAME": "hatchling",
    "slow_store": "the code that the simulator writes",
    "run_vertex": "callers of the IPU's assembler and simulated tile",
    "load2x64": "the code that the simulator writes",
    "store64": "the code that the simulator writes",
    "sys_version": "http.server",
    "timeout": "http.server",
    "target_choice": 'callers from Python: why target="auto" took it',
}
"""Names that others use than voltac itself, and who."""
COMMAND = "_command"
"""What the functions of subcommands end in, looked up by that."""


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    """Names of a module and of its classes, with what defines them."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        scope = waiting.pop()
        for node in ast.iter_child_nodes(scope):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                if not node.decorator_list or isinstance(node, ast.ClassDef) or _is_plain(node):
                    yield node.name, node
                if isinstance(node, ast.ClassDef):
                    waiting.append(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    for name in ast.walk(target):
                        if isinstance(name, ast.Name):
                            yield name.id, node
            elif isinstance(node, ast.If | ast.Try | ast.With):
                waiting.append(node)


def _is_plain(function: ast.FunctionDef) -> bool:
    """Decorated by Python's own, which register nothing."""
    own = {"property", "cached_property", "staticmethod", "classmethod", "contextmanager", "cache", "lru_cache", "overload"}
    names = {node.id for item in function.decorator_list for node in ast.walk(item) if isinstance(node, ast.Name)}
    return names <= own


def uses(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Names that are read, and texts that may be names: of attributes looked up, of functions to import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id, node
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node.attr, node
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for word in node.value.replace(":", " ").replace(".", " ").split()[:2]:
                yield word, node
        elif isinstance(node, ast.MatchClass):
            yield from ((name, node) for name in node.kwd_attrs)


@pytest.mark.whole
def test_every_name_is_used() -> None:
    trees = {path: ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}
    used: dict[str, list[ast.AST]] = {}
    for tree in trees.values():
        for name, node in uses(tree):
            used.setdefault(name, []).append(node)
    grammar = set(re.findall(r"\w+", (ROOT / "syntax" / "grammar.lark").read_text()))
    unused = set()
    for path, tree in trees.items():
        for name, definition in definitions(tree):
            inside = set(map(id, ast.walk(definition)))
            if name.startswith("__") and name.endswith("__"):
                continue
            if name not in grammar and not name.endswith(COMMAND) and all(id(node) in inside for node in used.get(name, ())):
                unused.add((name, f"{path.relative_to(ROOT.parent)}:{definition.lineno}"))
    assert {item for item in unused if item[0] not in FOR_OTHERS} == set()
    assert FOR_OTHERS.keys() <= {name for name, _ in unused}, "these are used, or gone"
