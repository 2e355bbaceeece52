"""Chromium without a window: pages as people see them. What it logs as an error is one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect, sync_playwright

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(PROGRAM is None, reason="there is no chromium: apt-get install chromium")

_OPTIONS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]

# A machine may be busy with other tests.
expect.set_options(timeout=60_000)

PHONE, DESK = 390, 1280
"""Widths of the screens that pages have to fit."""


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser with a profile of its own; in its ``with`` there is an event loop in this thread."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=_OPTIONS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, width: int = DESK, dark: bool = False, expected: str = "") -> Iterator[Page]:
    """An empty page; in the end nothing may have gone wrong on it but what is expected."""
    context = browser.new_context(
        viewport={"width": width, "height": 844},
        color_scheme="dark" if dark else "light",
        is_mobile=width == PHONE,
        has_touch=width == PHONE,
        reduced_motion="reduce",
    )
    wrong: list[str] = []
    page = context.new_page()

    def logged(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            wrong.append(message.text)

    def asked(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    page.on("console", logged)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", asked)
    yield page
    context.close()
    unexpected = [text for text in wrong if not expected or expected not in text]
    assert not unexpected, unexpected


def width_of(page: Page) -> int:
    """Pixels that the page takes; more than the screen's is a page to be moved to and fro."""
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width
