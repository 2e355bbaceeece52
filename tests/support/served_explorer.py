"""A running ``voltac explorer``, and questions to it as the page asks them."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit


class Explorer:
    """``voltac explorer`` as a process, with its address."""

    def __init__(self, *words: str) -> None:
        command = [sys.executable, "-m", "voltac", "explorer", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        parts = urlsplit(self.address)
        assert parts.hostname == "127.0.0.1" and parts.port
        self.port, self.token = parts.port, parts.path.strip("/")

    def request(
        self, method: str, path: str, body: str | bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of one request to this port."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, body, {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        found = response.status, dict(response.getheaders()), response.read().decode()
        connection.close()
        return found

    def ask(self, question: str, source: str, options: str = "--target=avx2-i32x8", **more: str) -> Any:
        """The answer to a question of the page."""
        body = json.dumps({"source": source, "options": options, **more})
        status, _, text = self.request("POST", f"/{self.token}/{question}", body)
        assert status == 200, text
        return json.loads(text)

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """As Ctrl-C does it."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGINT)
            self.process.communicate(timeout=60)
