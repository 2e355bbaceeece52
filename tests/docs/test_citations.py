"""What code, tests and pages cite is in the repository: sections of docs/language.md and docs/naplespu.md, files, modules.

Code says ``(language 6.2)``, ``(NaplesPU 2.8)``, ``section 6.2 of the language``, ``sections 2.2, 2.6 of the NaplesPU page``;
``appendix A 231`` is a row of the language's checklist. Pages say ``[language](language.md), 6.2``; within a page that has
numbered sections itself numbers are its own.
"""

from __future__ import annotations

import functools
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FOLDERS = ("voltac", "stdlib", "runtime", "benchmarks", "tests", "docs", "examples")
FILES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *ROOT.glob("*.toml"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")))
    if path.suffix in {".py", ".md", ".toml", ".ispc", ".isph", ".c", ".h", ".lark"} and "programs" not in path.parts
)
NUMBER = r"(?:[AB]\.)?\d+(?:\.\d+)*"
NUMBERS = rf"{NUMBER}(?:(?:, | to | and |, and ){NUMBER})*"
SECTION = re.compile(
    rf"\b(?P<page>language|NaplesPU) (?P<named>{NUMBERS})(?![\w%])"
    rf"|(?i:\b(?:sections?|reference),? )(?P<numbers>{NUMBERS})(?![\w%=]| is not)(?: of the (?P<of>language|NaplesPU page))?"
    rf"|\((?P<link>\w+)\.md\),? (?:section )?(?P<linked>{NUMBERS})"
    rf"|appendix A (?P<rows>{NUMBERS})"
)
PAGES = {"language": "language", "NaplesPU": "naplespu", "NaplesPU page": "naplespu"}
HEADING = re.compile(r"^#+ (?:Appendix )?((?:[AB]|\d+)(?:\.\d+)*)\.? ", re.MULTILINE)
PATH = re.compile(r"(?<![\w/.-])((?:[\w-]+/)+[\w-]+\.(?:py|md|ispc|isph|lark|json|png))\b")
MODULE = re.compile(r"\bvoltac(?:\.[a-z_]\w*)+")
ROLE = re.compile(r":(?:mod|func|class|data|meth|attr):`~?(voltac\.[\w.]+)`")


def text_of(path: Path) -> str:
    """On one line: a citation may be broken by the end of a line."""
    return re.sub(r"\s*\n\s*(?:// |# )?", " ", path.read_text(errors="replace"))


@functools.cache
def sections(page: str) -> set[str]:
    file = DOCS / f"{page}.md"
    return set(HEADING.findall(file.read_text())) if file.exists() else set()


def cited_sections(path: Path) -> Iterator[tuple[str, str]]:
    """Page and number; the page is empty where none is named."""
    own = path.stem if path.parent == DOCS and sections(path.stem) else ""
    for found in SECTION.finditer(text_of(path)):
        if not found["rows"]:
            page = found["link"] or PAGES.get(found["page"] or found["of"] or "") or own
            numbers = found["named"] or found["numbers"] or found["linked"]
            yield from ((page, number) for number in re.findall(NUMBER, numbers))
    if path.name == "claims.md":
        yield from (("language", number) for number in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", path.read_text()))


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_cited_sections_are_there() -> None:
    cited = [(path, page, number) for path in FILES for page, number in cited_sections(path)]
    assert len(cited) > 200
    missing = [(path, page, number) for path, page, number in cited if number not in sections(page)]
    assert [f"{named(path)}: {page or 'no page is named for'} {number}" for path, page, number in missing] == []


def test_cited_rows_of_the_checklist_are_there() -> None:
    rows = {int(row) for row in re.findall(r"^- \[.\] (\d+) ", (DOCS / "language.md").read_text(), re.MULTILINE)}
    cited = [(path, found["rows"]) for path in FILES for found in SECTION.finditer(text_of(path)) if found["rows"]]
    missing = [(path, numbers) for path, numbers in cited if not rows.issuperset(map(int, re.findall(NUMBER, numbers)))]
    assert [f"{named(path)}: {numbers}" for path, numbers in missing] == []


def test_cited_files_are_there() -> None:
    """As the root of the project names them, or the folder ``voltac``, or a file beside them."""
    folders = {*FOLDERS, *(path.name for path in (ROOT / "voltac").iterdir() if path.is_dir())}
    missing = [
        f"{named(path)}: {file}"
        for path in FILES
        for file in PATH.findall(path.read_text(errors="replace"))
        if file.split("/")[0] in folders
        and not any((folder / file).exists() for folder in (ROOT, ROOT / "voltac", ROOT / "tests", path.parent))
    ]
    assert missing == []


def test_cited_modules_are_there() -> None:
    """And what is said to be in them."""
    missing = []
    for path in FILES:
        for name in (MODULE if path.suffix == ".md" else ROLE).findall(path.read_text(errors="replace")):
            try:
                pkgutil.resolve_name(name)
            except (ImportError, AttributeError):
                missing.append(f"{named(path)}: {name}")
    assert missing == []


def test_nothing_outside_is_cited() -> None:
    outside = re.compile(r"/work/|\.\./shared|\bdesign\.md")
    assert [named(path) for path in FILES if path != Path(__file__) and outside.search(path.read_text(errors="replace"))] == []
