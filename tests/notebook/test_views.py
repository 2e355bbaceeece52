"""What notebooks show of kernels and modules."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import PHONE, launched, needs_browser, opened, width_of
from html_page import Page

import voltac

SOURCE = """\
// Takes elements <anywhere>.
export void pick(uniform float a[], uniform int index[n], uniform float out[n], uniform int n) {
    foreach (i = 0 ... n)
        out[i] = a[index[i]];
}
static void shared(float &x) { x += 1; }
export void plain(uniform float a[n], uniform int n) {
    foreach (i = 0 ... n) {
        float x = a[i];
        shared(x);
        a[i] = x;
    }
}
"""


@pytest.fixture(scope="module")
def module() -> voltac.KernelModule:
    return voltac.compile(SOURCE, target="avx2")


def test_a_kernel_shows_what_there_is_to_know(module: voltac.KernelModule) -> None:
    page = Page(module.pick._repr_html_())
    for words in (
        "void pick(uniform float * uniform a",
        "target avx2-i32x8",
        "call pick(a, index, out, [n])",
        "Takes elements <anywhere>.",
        "read-only array of int32",
        "8 scalar loads; under a mask a gather",
        "foreach in line 3",
        "vgatherdps",
        "pick.compare() measures both",
    ):
        assert words in page.words, words
    assert "shared" not in page.words
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids) and "script" not in page.names


def test_a_module_shows_its_kernels(module: voltac.KernelModule) -> None:
    page = Page(module._repr_html_())
    for words in ("kernels 2", "void pick(", "void plain(", "Warnings", "needs a gather", "static void shared(float &x)"):
        assert words in page.words, words


@pytest.mark.parametrize(
    "source",
    [
        "export uniform int one() { return 1; }",
        "static int x;",
        '#include "part.isph"\n',
        "export void f(uniform float a[]) {}",
    ],
)
def test_programs_with_less_to_show(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    part = tmp_path / "part.isph"
    part.write_text("export void included(uniform float a[n], uniform int n) { foreach (i = 0 ... n) a[i] = 0; }\n")
    program = voltac.compile(source, target="sse4")
    for kernel in [program[name] for name in program]:
        assert kernel.__name__ in Page(kernel._repr_html_()).words
    assert "target sse4.2-i32x4" in Page(program._repr_html_()).words
    if "included" in program:
        assert "a vector store" in Page(program.included._repr_html_()).words
        part.unlink()
        assert "It cannot be compiled again" in Page(program.included._repr_html_()).words


def test_a_kernel_of_a_device() -> None:
    kernel = voltac.compile(SOURCE, target="naplespu").pick
    assert "target naplespu" in Page(kernel._repr_html_()).words


def test_a_comparison_is_a_part_of_a_page(module: voltac.KernelModule) -> None:
    text = module.plain.compare(rounds=3, elements=64)._repr_html_()
    assert text.startswith("<div class=voltac>") and "vmaskmov" in Page(text).words


@needs_browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_outputs_fit_a_phone_and_follow_the_theme(module: voltac.KernelModule, dark: bool) -> None:
    shown = (module._repr_html_() + module.pick._repr_html_()).replace("<details>", "<details open>")
    head = "<!doctype html><meta name=viewport content='width=device-width'>"
    with launched() as browser, opened(browser, PHONE, dark) as page:
        page.set_content(f"{head}<body>{shown}")
        assert width_of(page) == PHONE
        # A caret stands below what it is about: no line of the source is broken.
        breaks = page.eval_on_selector_all(
            ".excerpt", "all => all.filter(one => getComputedStyle(one).whiteSpace !== 'pre').length"
        )
        assert page.locator(".excerpt").count() and breaks == 0
        back = "getComputedStyle(document.querySelector('.voltac')).backgroundColor"
        assert page.evaluate(back) == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
        # The theme of JupyterLab has the last word.
        page.set_content(f"{head}<body data-jp-theme-light={str(dark).lower()}>{shown}")
        assert page.evaluate(back) == ("rgb(255, 255, 255)" if dark else "rgb(13, 17, 23)")
