"""The page as one text: nothing of it comes from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

_FOLDER = Path(__file__).parent
_SCRIPTS = ("page.js", "panels.js", "stepper.js", "start.js")

SAMPLE_FILE = "sample.ispc"
SAMPLE = """\
// Change something: messages, explanation and assembly follow.
export void roots(uniform float x[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float v = x[i];
        if (v > 3)
            v = sqrt(v);
        int steps = 0;
        while (v > 1) {
            v = v / 2;
            steps++;
        }
        out[i] = v + steps;
    }
}
"""


def page(beginning: Mapping[str, str], nonce: str) -> str:
    """``page.html`` with style, scripts, and what the page begins with; ``nonce`` marks the script as ours."""
    style, *scripts = ((_FOLDER / name).read_text(encoding="utf-8") for name in ("page.css", *_SCRIPTS))
    # In a script element the data must not end it.
    data = json.dumps(beginning).replace("<", "\\u003c")
    text = (_FOLDER / "page.html").read_text(encoding="utf-8")
    # The user's text last: nothing is looked for in it.
    for mark, content in (("STYLE", style), ("SCRIPT", "".join(scripts)), ("NONCE", nonce), ("BEGINNING", data)):
        text = text.replace(f"%{mark}%", content)
    return text


def content_policy(nonce: str) -> str:
    """What the page may do: run its own script, ask its own server."""
    script = f"script-src 'nonce-{nonce}'"
    return f"default-src 'none'; {script}; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; base-uri 'none'"
