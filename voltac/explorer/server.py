"""The explorer over HTTP on 127.0.0.1: ``GET /TOKEN/`` is the page, ``POST /TOKEN/QUESTION`` takes and gives JSON.

Only who knows the token is answered, and only pages of this server may ask: the address in ``Host`` has to be the
server's own (else a page of another name that is made to lead here could read answers), and so has ``Origin``.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from voltac.explorer.page import content_policy, page
from voltac.explorer.workers import Superseded, WorkerFailed, Workers

_LONGEST = 1 << 20
"""Bytes of a question: more than anybody types."""
_DIGITS, _MOST_READ = 9, 16 << 20
"""What is read of a question that is too long, so that its sender hears of it."""
_IDLE_SECONDS = 60
"""A connection on which nothing is said is closed."""

_CANCEL = "cancel"
"""What is asked for to end another question, whose name stands in ``question``."""

Answer = Callable[[Mapping[str, Any]], dict[str, Any]]


class ExplorerServer(ThreadingHTTPServer):
    """Serves on ``port``, 0 for any that is free; OSError if it is taken."""

    daemon_threads = True

    def __init__(self, port: int, beginning: Mapping[str, str], answers: Mapping[str, Answer], workers: Workers) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.token = secrets.token_urlsafe(24)
        self.beginning, self.answers, self.workers = beginning, answers, workers
        names = ("127.0.0.1", "localhost")
        self.hosts = frozenset(f"{name}:{self.server_port}" for name in names)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"


class _Refused(Exception):
    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class _Handler(BaseHTTPRequestHandler):
    server: ExplorerServer
    timeout = _IDLE_SECONDS
    server_version = "voltac"
    sys_version = ""

    def do_GET(self) -> None:
        self._guarded(self._page)

    def do_POST(self) -> None:
        self._guarded(self._question)

    def log_message(self, *_: object) -> None:
        """Nothing: the token stands in the addresses."""

    def _guarded(self, body: Callable[[str], None]) -> None:
        try:
            body(self._path())
        except _Refused as refused:
            self.close_connection = True
            self._send(refused.status, "application/json", json.dumps({"error": refused.text}).encode())

    def _path(self) -> str:
        """What is asked for, behind the token."""
        if self.headers.get("Host") not in self.server.hosts:
            raise _Refused(HTTPStatus.FORBIDDEN, "this is not the server's address")
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.hosts:
            raise _Refused(HTTPStatus.FORBIDDEN, "only the server's own page may ask")
        token, slash, rest = self.path.removeprefix("/").partition("/")
        if not slash or not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _Refused(
                HTTPStatus.FORBIDDEN, "the address has no or another token: use the one that 'voltac explorer' printed"
            )
        return rest

    def _page(self, path: str) -> None:
        if path:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is one page only")
        nonce = secrets.token_urlsafe(16)
        content = page(self.server.beginning, nonce).encode()
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", content, content_policy(nonce))

    def _question(self, path: str) -> None:
        question = self._body()
        if path == _CANCEL:
            self.server.workers.end(_kind(question.get("question", ""), question))
            self._send(HTTPStatus.OK, "application/json", b"{}")
            return
        if path not in self.server.answers:
            raise _Refused(HTTPStatus.NOT_FOUND, f"no such question; there are: {', '.join(self.server.answers)}")
        try:
            answer = self.server.workers.ask(_kind(path, question), self.server.answers[path], question)
        except Superseded as superseded:
            # No failure: browsers would write one to the console.
            answer = {"superseded": str(superseded)}
        except WorkerFailed as failed:
            answer = {"error": str(failed), "diagnostics": []}
        self._send(HTTPStatus.OK, "application/json", json.dumps(answer).encode())

    def _body(self) -> dict[str, Any]:
        # A page of another origin cannot send this type without asking first, and is not answered then.
        if self.headers.get_content_type() != "application/json":
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a question is application/json")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "a question says how long it is")
        if len(length) > len(str(_LONGEST)) or int(length) > _LONGEST:
            # Who is still sending would not read the answer.
            self.rfile.read(min(int(length[:_DIGITS]), _MOST_READ))
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a question has at most {_LONGEST} bytes")
        try:
            question = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _Refused(HTTPStatus.BAD_REQUEST, "the question is no JSON") from None
        texts = all(isinstance(value, str) for value in question.values()) if isinstance(question, dict) else False
        if not texts or "source" not in question:
            raise _Refused(HTTPStatus.BAD_REQUEST, "a question is an object of texts, among them 'source'")
        found: dict[str, Any] = question
        return found

    def _send(self, status: HTTPStatus, kind: str, content: bytes, policy: str = "default-src 'none'") -> None:
        self.send_response(status)
        headers = {
            "Content-Type": kind,
            "Content-Length": str(len(content)),
            "Content-Security-Policy": policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def _kind(name: str, question: Mapping[str, Any]) -> str:
    """Of one page, which has one question of a kind at a time."""
    return f"{name} of {question.get('session', '')}"
