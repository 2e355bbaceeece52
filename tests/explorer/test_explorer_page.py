"""The explorer in a browser: typing, looking, stepping, by keyboard and on a phone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from browser import DESK, PHONE, launched, needs_browser, opened, width_of
from playwright.sync_api import Browser, Page, expect
from served_explorer import Explorer

pytestmark = [pytest.mark.whole, needs_browser]

SOURCE = """\
export void half(uniform float x[n], uniform float out[n], uniform int n) {
    foreach (i = 0 ... n) {
        float v = x[i];
        int steps = 0;
        while (v > 1) {
            v = v / 2;
            steps++;
        }
        out[i] = v + 10 * steps;
    }
}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as found:
        yield found


@pytest.fixture
def page(browser: Browser, explorer: Explorer) -> Iterator[Page]:
    """The page with SOURCE in it."""
    with opened(browser) as found:
        begin(found, explorer)
        yield found


def begin(page: Page, explorer: Explorer, source: str = SOURCE) -> None:
    page.goto(explorer.address)
    page.fill("#source", source)
    expect(page.locator("#status")).to_contain_text("ms")
    expect(page.locator("#explanation .fact").first).to_be_visible()
    # That of the file before is gone.
    expect(page.locator("#explanation")).to_contain_text("foreach")


def choose(page: Page, panel: str) -> None:
    page.click(f"[data-panel={panel}]")


def halved(x: np.ndarray) -> np.ndarray:
    """What SOURCE says, in numpy."""
    steps = np.maximum(np.ceil(np.log2(np.maximum(x, 1))), 0)
    found: np.ndarray = x / 2**steps + 10 * steps
    return found


def row(page: Page, name: str) -> list[str]:
    """The cells of a variable, or of the mask."""
    return page.locator(f"#state tr:has(th:text-is('{name}')) td").all_inner_texts()


def marked(page: Page, name: str, kind: str) -> list[int]:
    cells = page.locator(f"#state tr:has(th:text-is('{name}')) td").all()
    return [lane for lane, cell in enumerate(cells) if kind in (cell.get_attribute("class") or "").split()]


def step_to(page: Page, number: int) -> None:
    page.locator("#place").fill(str(number - 1))
    expect(page.locator("#count")).to_contain_text(f"{number} of")


def stepping(page: Page) -> None:
    choose(page, "stepper")
    expect(page.locator("#count")).to_contain_text("1 of")


def test_messages_follow_what_is_typed_and_lead_to_their_place(page: Page) -> None:
    page.fill("#source", SOURCE.replace("int steps = 0;", "int steps = nothing;"))
    message = page.locator("#messages li")
    expect(message).to_contain_text("line 4:21 error: 'nothing' is not declared")
    expect(page.locator("#paint .wrong")).to_have_text("nothing")
    expect(page.locator("#gutter .error")).to_have_text("4")
    expect(page.locator("#explanation")).to_have_class(re.compile("stale"))
    message.click()
    assert page.evaluate("source.selectionStart") == SOURCE.index("0;\n        while")
    page.keyboard.press("Escape")
    page.evaluate("source.setSelectionRange(0, 0)")
    page.keyboard.press("F8")
    assert page.evaluate("source.selectionStart") == SOURCE.index("0;\n        while")
    page.keyboard.press("Shift+F8")
    page.fill("#source", SOURCE)
    expect(message).to_have_count(0)
    expect(page.locator("#explanation")).not_to_have_class(re.compile("stale"))


def test_the_text_lies_on_its_colours(page: Page) -> None:
    """The coloured text below has the letters of the text area, in lines of the same height."""
    assert page.locator("#paint").evaluate("one => [...one.children].map(row => row.textContent).join('\\n')") == (
        SOURCE + "\u200b"
    )
    heights = page.evaluate("[$('paint').scrollHeight, $('gutter').scrollHeight, source.scrollHeight]")
    assert len(set(heights)) == 1
    expect(page.locator("#paint .rate").first).to_have_text("uniform")


def test_lines_lead_to_the_explanation_and_the_assembly_and_back(page: Page) -> None:
    page.click("#explanation .fact:has-text('a vector store')")
    assert page.evaluate("cursorLine()") == 9
    expect(page.locator("#explanation .here")).to_contain_text("a vector store")
    choose(page, "assembly")
    expect(page.locator("#assembly .here .line").first).to_have_text("9")
    page.locator("#assembly .listing [data-line='3']").first.click()
    assert page.evaluate("cursorLine()") == 3
    page.focus("#tab-assembly")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("cursorLine()") == 9
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("cursorLine()") == 2


def test_both_paths_stand_side_by_side(page: Page) -> None:
    choose(page, "paths")
    expect(page.locator(".pair > div")).to_have_count(2)
    on, masked = page.locator(".pair > div").all()
    assert "vmaskmov" in masked.inner_text() and "vmaskmov" not in on.inner_text()
    left, right = on.bounding_box(), masked.bounding_box()
    assert left and right and left["y"] == right["y"] and left["x"] + left["width"] <= right["x"]
    counts = {cells[0]: cells[1:] for cells in (one.split("\t") for one in page.locator("#paths tr").all_inner_texts())}
    assert counts["masked store"][0] == "0" and int(counts["masked store"][1]) >= 1
    assert sum(int(one[0]) for one in list(counts.values())[1:]) == int(on.locator(".quiet").inner_text().split()[0])
    link = on.locator("a").first
    link.click()
    label = page.evaluate("location.hash.slice(1)")
    assert page.locator(f"#{label}").inner_text().strip() == f"{link.inner_text()}:"
    masked.locator("[data-line='6']").first.click()
    assert page.evaluate("cursorLine()") == 6
    # What is asked for is asked for again when the source is another one.
    page.fill("#source", SOURCE.replace("foreach (i", "foreach (j").replace("[i]", "[j]"))
    expect(page.locator("#paths h3")).to_have_text("foreach in line 2: foreach (j = 0 ... n) {")


def test_steps_show_lanes_values_and_changes(page: Page) -> None:
    """x = 0, 1, ... 11: lanes 2 to 7 halve, 3, 5, 6 and 7 of them twice."""
    stepping(page)
    page.focus("#forward")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert page.locator("#state .statement").inner_text() == "line 6 v = v / 2;"
    assert row(page, "mask") == ["○", "○", "●", "●", "●", "●", "●", "●"]
    assert row(page, "v") == ["0", "1", "1", "1.5", "2", "2.5", "3", "3.5"]
    assert marked(page, "v", "changed") == [2, 3, 4, 5, 6, 7] and marked(page, "v", "off") == [0, 1]
    assert row(page, "n") == ["12"] and marked(page, "steps", "changed") == []
    expect(page.locator("#gutter .step")).to_have_text("6")
    expect(page.locator("#paint .step")).to_have_text("            v = v / 2;")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#state .statement").inner_text() == "line 5 while (v > 1) {"
    assert row(page, "v") == [str(lane) for lane in range(8)] and marked(page, "v", "changed") == []
    page.keyboard.press("End")
    expect(page.locator("#count")).to_have_text(re.compile(r"^(\d+) of \1$"))
    out = page.locator("#state .cells").nth(1).locator("div")
    assert [float(one.get_attribute("title") or "") for one in out.all()] == halved(np.arange(12.0)).tolist()
    assert [one.get_attribute("class") for one in out.all()] == [""] * 8 + ["changed"] * 4
    page.keyboard.press("Home")
    expect(page.locator("#count")).to_contain_text("1 of")
    assert [one.get_attribute("title") for one in out.all()] == ["0"] * 12


def test_a_loop_is_seen_again_at_each_iteration(page: Page) -> None:
    stepping(page)
    texts = []
    for _ in range(8):
        texts.append(page.locator("#state .statement").inner_text().split(" ", 2)[2])
        page.click("#forward")
    assert texts == [
        "foreach (i = 0 ... n) {",
        "v = x[i]",
        "steps = 0",
        "while (v > 1) {",
        "v = v / 2;",
        "steps++;",
        "while (v > 1) {next iteration",
        "v = v / 2;",
    ]
    page.evaluate("goTo(9)")
    page.click("#to-line")
    assert page.locator("#state .statement").inner_text() == "line 9 out[i] = v + 10 * steps;"
    page.evaluate("goTo(11)")
    page.click("#to-line")
    expect(page.locator("#told")).to_have_text("no step is at line 11")


def test_the_picture_of_the_masks_leads_to_its_steps(page: Page) -> None:
    stepping(page)
    canvas = page.locator("#timeline")
    box = canvas.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] - 2, box["y"] + 5)
    expect(page.locator("#count")).to_have_text(re.compile(r"^(\d+) of \1$"))
    # The last steps are those of four lanes: the lowest row of the picture is off there.
    colours = canvas.evaluate("""one => {
        const at = (x, y) => [...all.slice(4 * (y * one.width + x), 4 * (y * one.width + x) + 4)].join();
        const all = one.getContext("2d").getImageData(0, 0, one.width, one.height).data;
        return [at(2, 3), at(2, one.height - 3), at(Math.floor(one.width * 0.9), one.height - 3)];
    }""")
    assert colours[0] == colours[1] != colours[2]


def test_the_arguments_are_the_users(page: Page) -> None:
    stepping(page)
    x, _, n = page.locator("#call input").all()
    assert [x.input_value(), n.input_value()] == ["range", "12"]
    n.fill("3")
    x.fill("4, 0.5, 9")
    page.keyboard.press("Enter")
    cells = page.locator("#state .cells").first.locator("div")
    expect(cells).to_have_count(3)
    assert [one.get_attribute("title") for one in cells.all()] == ["4", "0.5", "9"]
    page.click("#forward")
    assert row(page, "mask") == ["●"] * 3 + ["○"] * 5
    n.fill("many")
    page.click("#call button:has-text('Run')")
    expect(page.locator("#told")).to_contain_text("'many' is no value for parameter 'n'")
    # What was typed stays when the source is compiled again.
    page.fill("#source", SOURCE + "\n")
    expect(page.locator("#told")).to_have_text("the source has changed: run it again")
    expect(page.locator("#status")).to_contain_text("no errors")
    assert page.locator("#call input").nth(2).input_value() == "many"


def test_functions_are_chosen_and_calls_gone_into(page: Page) -> None:
    source = "static float twice(float x) { return 2 * x; }\n" + SOURCE.replace("v / 2", "v - twice(v) / 4")
    source += 'export void other(uniform int a[]) {\n    print("%\\n", a[0]);\n    a[0] = 5;\n}\n'
    page.fill("#source", source)
    expect(page.locator("#status")).to_contain_text("no errors")
    stepping(page)
    step_to(page, 6)
    assert page.locator("#state .badge").all_inner_texts() == ["in twice() ← half()"]
    assert row(page, "x") == [str(lane) for lane in range(8)] and row(page, "v") == []
    page.click("#forward")
    assert page.locator("#state .badge").all_inner_texts() == ["back from the call"]
    assert row(page, "v")[2:] == ["1", "1.5", "2", "2.5", "3", "3.5"]
    step_to(page, 5)
    page.click("[title^='over calls']")
    assert "line 8" in page.locator("#state .statement").inner_text()
    page.select_option("#function", "other")
    expect(page.locator("#state .output")).to_have_text("0\n")
    page.keyboard.press("End")


def test_an_endless_loop_is_stopped_and_the_page_goes_on(page: Page) -> None:
    page.fill("#source", SOURCE.replace("v = v / 2;", "v = v + 1;"))
    expect(page.locator("#status")).to_contain_text("no errors")
    choose(page, "stepper")
    expect(page.locator("#told")).to_have_text("the run goes on: it was stopped after 2000 steps", timeout=30_000)
    expect(page.locator("#count")).to_have_text("1 of 2000")
    step_to(page, 2000)
    page.fill("#source", SOURCE)
    expect(page.locator("#status")).to_contain_text("no errors")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#count")).to_have_text(re.compile(r"^1 of \d\d$"))


def test_a_run_can_be_stopped_by_hand(page: Page) -> None:
    slow = "{ double d = 2; for (uniform int k = 0; k < 100000000; k++) d = pow(d, d); v = d; }"
    page.fill("#source", SOURCE.replace("v = v / 2;", slow))
    expect(page.locator("#status")).to_contain_text("no errors")
    choose(page, "stepper")
    page.click("#stop")
    expect(page.locator("#told")).to_have_text("cancelled")
    expect(page.locator("#stop")).to_be_hidden()


def test_a_run_that_fails_says_where(page: Page) -> None:
    page.fill("#source", SOURCE.replace("x[i]", "x[(int)x[i] + 1000]"))
    expect(page.locator("#status")).to_contain_text("no errors")
    choose(page, "stepper")
    expect(page.locator("#told")).to_contain_text("line 3: access to 4 bytes")
    expect(page.locator("#told")).to_have_class(re.compile("failed"))


def test_nothing_of_the_source_becomes_a_part_of_the_page(browser: Browser, explorer: Explorer) -> None:
    evil = "<img src=x onerror=alert(1)><script>alert(2)</script>"
    source = f"// {evil}\n" + SOURCE.replace(
        "int steps = 0;", f'int steps = 0; print("{evil} %", n); assert(n < 100); // {evil}'
    )
    with opened(browser) as page:
        begin(page, explorer, source)
        for panel in ("assembly", "paths", "stepper"):
            choose(page, panel)
        expect(page.locator("#count")).to_contain_text("1 of")
        page.keyboard.press("End")
        expect(page.locator("#state .output")).to_contain_text(evil)
        page.fill("#source", source.replace("n < 100", f'"{evil}" + n'))
        expect(page.locator("#messages li").first).to_be_visible()
        page.fill("#options", f"--{evil}")
        expect(page.locator("#messages")).to_contain_text("onerror")
        assert page.locator("img").count() == 0 and page.locator("script").count() == 1


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_every_view_is_as_wide_as_the_screen(browser: Browser, explorer: Explorer, width: int, dark: bool) -> None:
    with opened(browser, width, dark) as page:
        begin(page, explorer, SOURCE.replace("half", "a_name_that_is_as_long_as_names_of_kernels_may_be_in_programs"))
        for panel, there in [("explanation", ".fact"), ("assembly", ".listing"), ("paths", ".pair"), ("stepper", "#state")]:
            choose(page, panel)
            expect(page.locator(f"#{panel} {there}").first).to_be_visible()
            assert width_of(page) == width
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")


def test_everything_is_reached_by_the_keyboard(page: Page) -> None:
    page.focus("#source")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#count")).to_contain_text("1 of")
    expect(page.locator("#forward")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#count")).to_contain_text("2 of")
    page.focus("#tab-stepper")
    for name in ("paths", "assembly", "explanation", "stepper"):
        page.keyboard.press("ArrowLeft")
        expect(page.locator(f"#tab-{name}")).to_be_focused()
        expect(page.locator(f"#{name}")).to_be_visible()
    page.focus("#source")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") != "source"


def test_a_server_that_is_gone_is_told_of(browser: Browser) -> None:
    with (
        Explorer("--target=avx2-i32x8", "--time-limit=60") as running,
        opened(browser, expected="ERR_CONNECTION_REFUSED") as page,
    ):
        begin(page, running)
        running.end()
        page.fill("#source", SOURCE + "\n")
        expect(page.locator("#messages")).to_contain_text("the server does not answer: has 'voltac explorer' ended?")
