"""The explorer's server: who is answered, and what is said of programs of every kind."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from served_explorer import Explorer

GOOD = """\
export void roots(uniform float x[], uniform int index[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        float v = x[index[i]];
        out[i] = sqrt(v);
    }
}
"""
QUESTION = json.dumps({"source": GOOD})


def test_the_page_needs_nothing_from_elsewhere(explorer: Explorer, file: Path) -> None:
    status, headers, text = explorer.request("GET", f"/{explorer.token}/")
    assert status == 200 and headers["Content-Type"] == "text/html; charset=utf-8"
    assert json.dumps(file.read_text()) in text and "--target=avx2-i32x8" in text
    assert re.findall(r"https?://|\bsrc=|@import|<link(?! rel=\"icon\" href=\"data:)", text) == []
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'nonce-")
    assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Frame-Options"] == "DENY"


def test_a_source_cannot_end_the_script_it_stands_in(tmp_path: Path) -> None:
    path = tmp_path / "evil.ispc"
    path.write_text("// </script><script>alert(1)</script> %SCRIPT%\nexport void f() {}\n")
    with Explorer(str(path)) as running:
        _, _, text = running.request("GET", f"/{running.token}/")
    assert text.count("</script>") == 1 and "\\u003c/script>" in text and "%SCRIPT%" in text


@pytest.mark.parametrize("token", ["", "x", "wrong" * 8, "%", "ä"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_token_is_refused(explorer: Explorer, method: str, token: str) -> None:
    for path in (f"/{token}/".encode().decode("latin-1"), f"/{token}/check".encode().decode("latin-1")):
        line = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{explorer.port}\r\nContent-Length: 0\r\n\r\n"
        with socket.create_connection(("127.0.0.1", explorer.port), timeout=30) as connection:
            connection.sendall(line.encode("latin-1"))
            assert b" 403 " in connection.recv(4096).partition(b"\r\n")[0]


def test_the_token_is_long_and_new_each_time(explorer: Explorer) -> None:
    with Explorer() as other:
        pass
    assert len(explorer.token) >= 32 and explorer.token != other.token


@pytest.mark.parametrize(
    "headers, status",
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:{port}"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": "localhost:{port}"}, 200),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "https://127.0.0.1:{port}"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    ],
    ids=str,
)
def test_only_the_servers_own_page_may_ask(explorer: Explorer, headers: dict[str, str], status: int) -> None:
    """A page elsewhere may know the port, and give its own name this address."""
    made = {name: value.format(port=explorer.port) for name, value in headers.items()}
    assert explorer.request("POST", f"/{explorer.token}/check", QUESTION, made)[0] == status


@pytest.mark.parametrize(
    "body, status",
    [
        (b"", 400),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b"[]", 400),
        (b"{}", 400),
        (b'{"source": 1}', 400),
        (b'{"source": "", "options": []}', 400),
        (b"\xff\xfe", 400),
        (json.dumps({"source": "x" * (1 << 20)}).encode(), 413),
    ],
    ids=["empty", "cut", "deep", "list", "no source", "number", "no text", "no text at all", "huge"],
)
def test_what_is_no_question_is_refused(explorer: Explorer, body: bytes, status: int) -> None:
    found, _, text = explorer.request("POST", f"/{explorer.token}/check", body)
    assert found == status and json.loads(text)["error"]


def test_other_addresses_are_not_there(explorer: Explorer) -> None:
    assert explorer.request("GET", f"/{explorer.token}/../../etc/passwd")[0] == 404
    assert explorer.request("POST", f"/{explorer.token}/nothing", QUESTION)[0] == 404
    assert explorer.request("PUT", f"/{explorer.token}/check", QUESTION)[0] == 501


def test_a_good_program_is_explained_line_by_line(explorer: Explorer, file: Path) -> None:
    found = explorer.ask("check", GOOD)
    assert found["diagnostics"] == [] and found["lanes"] == 8 and found["file"] == str(file)
    facts = {(fact["line"], fact["operation"]): fact["kind"] for fact in found["facts"]}
    assert facts[4, "store"] == "vector" and facts[3, "load"] in ("gather", "scalar", "vector")
    (function,) = found["functions"]
    assert function["name"] == "roots" and [one["name"] for one in function["parameters"]] == ["x", "index", "out", "n"]
    assert [one["kind"] for one in function["parameters"]] == ["array", "array", "array", "number"]


def test_the_assembly_has_the_lines_of_the_source(explorer: Explorer) -> None:
    """The square root is of the library, inlined where line 4 calls it."""
    (function,) = explorer.ask("check", GOOD)["assembly"]
    assert function["function"] == "roots"
    places = {line["text"].split()[0]: line["line"] for line in function["lines"]}
    assert places["vsqrtps"] == 4 and all(0 <= line["line"] <= 6 for line in function["lines"])
    labels = {line["text"].rstrip(":") for line in function["lines"] if line["text"].endswith(":")}
    jumps = {line["text"].split()[1] for line in function["lines"] if re.match(r"j\w+ \.LBB", line["text"])}
    assert labels == jumps


def test_mistakes_have_their_places(explorer: Explorer, file: Path) -> None:
    found = explorer.ask("check", "export void f(uniform float a[]) {\n    a[0] = b;\n    int unused = 1.5;\n}\n")
    (error,) = [item for item in found["diagnostics"] if item["kind"] == "error"]
    assert (error["file"], error["line"], error["column"]) == (str(file), 2, 12) and "b" in error["message"]
    assert "facts" not in found and "error" not in found


@pytest.mark.parametrize(
    "source, said",
    [("", "is empty"), (" \n", "is empty"), ("\ud800", "not UTF-8"), ("}{" * 1000, ""), ("(" * 5000, ""), ("\0" * 100, "")],
    ids=["empty", "blank", "surrogate", "braces", "parentheses", "zeros"],
)
def test_what_is_no_program_is_told_in_words(explorer: Explorer, source: str, said: str) -> None:
    found = explorer.ask("check", source)
    text = found.get("error", "") + "".join(item["message"] for item in found["diagnostics"])
    assert text and said in text and "internal error" not in text


def test_a_large_program_is_answered(explorer: Explorer) -> None:
    source = "".join(f"static float f{n}(float x) {{ return x * {n} + 1; }}\n" for n in range(3000))
    found = explorer.ask("check", source + "export void g(uniform float a[]) { a[programIndex] = f7(2); }\n")
    assert found.get("error", "").startswith("this took longer") or found["functions"][0]["name"] == "g"


@pytest.mark.parametrize(
    "options, said",
    [
        ("--target=av2", "avx2"),
        ("--nothing", "unknown option"),
        ("'", "quotation"),
        ("other.ispc", "is no option"),
        ("-o x", "-o"),
    ],
)
def test_wrong_options_are_told_in_words(explorer: Explorer, options: str, said: str) -> None:
    found = explorer.ask("check", GOOD, options)
    assert said in found["error"] and found["diagnostics"] == []


def test_an_endless_compilation_is_ended_and_the_next_one_is_answered() -> None:
    """A macro that doubles itself sixty times."""
    endless = "#define A0 1 +\n" + "".join(f"#define A{n + 1} A{n} A{n}\n" for n in range(60)) + "int x = A60 1;\n"
    with Explorer("--time-limit=1") as running:
        began = time.monotonic()
        found = running.ask("check", endless)
        text = found.get("error", "") + "".join(item["message"] for item in found["diagnostics"])
        assert text and time.monotonic() - began < 20
        assert running.ask("check", "int x;\n", "")["diagnostics"] == []


def test_the_latest_question_wins(explorer: Explorer) -> None:
    """Of one page; that of another goes on."""
    slow = "".join(f"static float f{n}(float x) {{ return sin(x * {n}) + cos(x); }}\n" for n in range(4000)) + GOOD
    answers: dict[str, object] = {}
    asking = [
        threading.Thread(target=lambda: answers.update(slow=explorer.ask("check", slow, session="a"))),
        threading.Thread(target=lambda: answers.update(other=explorer.ask("check", GOOD, session="b"))),
    ]
    for one in asking:
        one.start()
    time.sleep(0.5)
    assert explorer.ask("check", GOOD, session="a")["functions"]
    for one in asking:
        one.join()
    assert answers["slow"] == {"superseded": "a newer question has come"}
    assert isinstance(answers["other"], dict) and answers["other"]["functions"]


def test_it_ends_with_nothing_left_behind() -> None:
    with Explorer("--time-limit=60") as running:
        assert running.ask("check", GOOD)["functions"]
        processes = subprocess.run(["ps", "-o", "pid=", "--ppid", str(running.process.pid)], capture_output=True, text=True)
        children = [int(word) for word in processes.stdout.split()]
        running.process.send_signal(signal.SIGINT)
        _, err = running.process.communicate(timeout=60)
    assert running.process.returncode == 0 and err == ""
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in children):
            return
        time.sleep(0.1)
    raise AssertionError([pid for pid in children if Path(f"/proc/{pid}").exists()])


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "voltac", "explorer", *words], capture_output=True, text=True, timeout=60)


def test_what_cannot_be_served_is_one_error(explorer: Explorer, tmp_path: Path) -> None:
    missing = command(str(tmp_path / "missing.ispc"))
    assert missing.returncode == 1 and missing.stderr.startswith("Error: file not found: ")
    busy = command(f"--port={explorer.port}")
    assert busy.returncode == 1 and busy.stderr.startswith(f"Error: port {explorer.port} is taken: give another with --port")
    for words, said in [
        (("a", "b"), "takes one file at most"),
        (("--port=x",), "--port"),
        (("--port=99999",), "up to 65535"),
        (("--time-limit=0",), "at least 1"),
        (("--target=av2",), "avx2"),
    ]:
        found = command(*words)
        assert found.returncode == 2 and said in found.stderr and found.stdout == "", found.stderr
    if os.geteuid():
        assert "cannot serve on port 1:" in command("--port=1").stderr
