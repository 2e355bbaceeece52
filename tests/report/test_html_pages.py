"""Pages of reports: whole, legible, and as wide as the screen; read by Python's parser of HTML and by a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import DESK, PHONE, launched, needs_browser, opened, width_of
from html_page import Page
from playwright.sync_api import Browser

from voltac.cli.command import main
from voltac.report.page import style
from voltac.report.source_colours import coloured

pytestmark = pytest.mark.whole

SOURCE = """\
/* A point, <in> two
   lines & a "comment". */
#define SCALE 2.5f
struct Point { float x, y, z; };
static inline float weight(float x) { return x * SCALE; } // not exported
export void strided(uniform Point ps[], uniform float out[], uniform int index[], uniform int n) {
\tforeach (i = 0 ... n) {
\t\tcif (ps[i].x > 0.5)
\t\t\tout[index[i]] = weight(ps[i].y) * 0x10;
\t}
}
export void a_name_that_is_as_long_as_names_of_kernels_may_be_in_programs_that_tools_wrote(uniform float a[n], uniform int n) {
    foreach (i = 0 ... n)
        a[i] += 1;
}
"""


MEASURED = "a_name_that_is_as_long_as_names_of_kernels_may_be_in_programs_that_tools_wrote"
COMMANDS = ("explain", "compare", "profile", "bench")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("pages")
    source = folder / "f.ispc"
    source.write_text(SOURCE)
    for command in ("explain", "compare"):
        assert main([command, str(source), "--target=avx2", "--html", str(folder / f"{command}.html")]) == 0
    profiled = ["profile", str(source), "--target=avx2", "--function", "strided", "random:64", "zeros:64", "range:64", "64"]
    assert main([*profiled, "--html", str(folder / "profile.html")]) == 0
    measured = ["bench", str(source), "--function", MEASURED, "--sizes=L1,L2", "--targets=sse4", "--rounds", "1"]
    assert main([*measured, "--html", str(folder / "bench.html")]) == 0
    return {command: (folder / f"{command}.html").read_text() for command in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_is_whole_and_leads_nowhere_else(pages: dict[str, str], command: str) -> None:
    page = Page(pages[command])
    assert len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert "script" not in page.names and "http" not in pages[command]
    for function in ("strided", "a_name_that_is_as_long"):
        assert function in page.words or command == "bench"
    own = {"explain": "not exported", "compare": "foreach in line 7", "profile": "lanes on", "bench": "GFLOP/s"}
    assert own[command] in page.words


def test_the_explanation_has_source_facts_and_legend(pages: dict[str, str]) -> None:
    words = Page(pages["explain"]).words
    for line in SOURCE.splitlines():
        assert line.replace("\t", "    ") in words
    assert "lane by lane" in words and "out[index[i]]" in words and "f-strided" in pages["explain"]


def test_pieces_of_a_source() -> None:
    lines = coloured(["uniform float<3> x = 0x1p-3; // c", "/* a", '*/ if (x) "s" \'', "# define X \\", "/**/ varying /*"])
    assert ["".join(text for text, _ in line) for line in lines][2] == '*/ if (x) "s" \''
    kinds = [[(text, kind) for text, kind in line if kind] for line in lines]
    assert kinds[0] == [("uniform", "rate"), ("float", "type"), ("3", "number"), ("0x1p-3", "number"), ("// c", "comment")]
    assert kinds[1] == [("/* a", "comment")]
    assert kinds[2] == [("*/", "comment"), ("if", "keyword"), ('"s"', "string")]
    assert kinds[3] == [("# define", "directive")]
    assert kinds[4] == [("/**/", "comment"), ("varying", "rate"), ("/*", "comment")]


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_stands_out_from_its_background() -> None:
    themes = [dict(re.findall(r"--(\w+):(#\w{6})", block)) for block in re.findall(r"\{[^{}]*--ink:[^{}]*\}", style())]
    assert len(themes) == 3
    for theme in themes:
        for background in (theme.pop("back"), theme.pop("panel")):
            for name in theme.keys() - {"line"}:
                low, high = sorted((luminance(background), luminance(theme[name])))
                assert (high + 0.05) / (low + 0.05) >= 4.5, (name, theme[name], background)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@needs_browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
@pytest.mark.parametrize("command", ["explain", "compare"])
def test_a_page_fits_the_screen(browser: Browser, pages: dict[str, str], command: str, width: int, dark: bool) -> None:
    with opened(browser, width, dark) as page:
        page.set_content(pages[command])
        assert width_of(page) == width
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)"
        )
        assert page.locator(".legend .swatch").count() >= 4 and page.locator(".index a").count() >= 2


@needs_browser
def test_paths_stand_side_by_side_where_there_is_room(browser: Browser, pages: dict[str, str]) -> None:
    for width, beside in ((DESK, True), (PHONE, False)):
        with opened(browser, width) as page:
            page.set_content(pages["compare"])
            on, masked = (one.bounding_box() for one in page.locator(".paths").first.locator("section").all())
            assert on and masked and (on["y"] == masked["y"]) == beside
            for track in page.locator(".track").all():
                bar = track.bounding_box()
                assert bar and bar["width"] >= 200


@needs_browser
def test_branches_and_the_index_lead_to_their_places(browser: Browser, pages: dict[str, str], tmp_path: Path) -> None:
    for command in ("compare", "explain"):
        (tmp_path / f"{command}.html").write_text(pages[command])
        with opened(browser) as page:
            page.goto(f"file://{tmp_path}/{command}.html")
            for link in page.locator(".index a").all() + page.locator(".listing a").all()[:3]:
                link.click()
                place = page.evaluate("document.getElementById(location.hash.slice(1)).getBoundingClientRect().top")
                assert -1 <= place < 844
