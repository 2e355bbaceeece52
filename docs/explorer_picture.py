"""Takes the picture of docs/explorer.md: ``python docs/explorer_picture.py`` writes docs/explorer.png, by Chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import expect, sync_playwright

PICTURE = Path(__file__).with_name("explorer.png")
COLOURS = 200
STEP = 10
"""The step that is shown: half of the lanes are in the loop still."""
SIZE = {"width": 1280, "height": 640}  # pixels of the window


def main() -> None:
    command = [sys.executable, "-m", "voltac", "explorer", "--target=avx2-i32x8"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as explorer, sync_playwright() as playwright:
        assert explorer.stdout is not None
        address = explorer.stdout.readline().strip()
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(address)
        page.click("[data-panel=stepper]")
        expect(page.locator("#count")).to_contain_text("1 of", timeout=60_000)
        for _ in range(STEP - 1):
            page.keyboard.press("ArrowRight")
        picture = page.screenshot()
        browser.close()
        explorer.terminate()
    # A quarter of the bytes, and nothing to see of it.
    Image.open(BytesIO(picture)).convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
