"""--diagnostics=sarif: what SARIF 2.1.0 requires of the document, and that it says what the text says."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SOURCE = """int twice(int x) { return x + x; }
int twice(int x) { return 2 * x; }
export void f(uniform int n) {
    int n2 = n;
    { int n2 = 1; }
    missing = n2;
}
"""


def document(folder: Path, *words: str) -> tuple[dict[str, Any], int]:
    done = subprocess.run([sys.executable, "-m", "voltac", *words], cwd=folder, capture_output=True, text=True, check=False)
    found: dict[str, Any] = json.loads(done.stderr)
    require_sarif(found)
    return found, done.returncode


def require_sarif(found: dict[str, Any]) -> None:
    """The required properties, and the limits of those that are written."""
    assert found["version"] == "2.1.0" and found["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = found["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "voltac" and driver["version"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids)) and all(rule["shortDescription"]["text"] for rule in driver["rules"])
    for result in run["results"]:
        assert result["message"]["text"] and result["level"] in ("none", "note", "warning", "error")
        assert ids[result["ruleIndex"]] == result["ruleId"]
        for place in (*result.get("locations", ()), *result.get("relatedLocations", ())):
            physical = place["physicalLocation"]
            assert physical["artifactLocation"]["uri"].isascii() and " " not in physical["artifactLocation"]["uri"]
            region = physical.get("region", {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1})
            begin, end = (region["startLine"], region["startColumn"]), (region["endLine"], region["endColumn"])
            assert (1, 1) <= begin <= end and min(*begin, *end) >= 1


@pytest.mark.parametrize("words", (["--diagnostics=sarif"], ["--diagnostics", "sarif"]))
def test_one_document_has_all_messages_with_their_places_and_notes(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "my file.ispc").write_text(SOURCE)
    found, code = document(tmp_path, "my file.ispc", "-o", "f.o", "--target=sse4-i32x4", *words)
    results = found["runs"][0]["results"]
    errors = [result for result in results if result["level"] == "error"]
    assert code == 1 + len(errors) == 3
    (shadow,) = (result for result in results if result["ruleId"] == "shadow")
    place = shadow["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "my%20file.ispc"
    assert place["region"] == {"startLine": 5, "startColumn": 11, "endLine": 5, "endColumn": 13}
    assert shadow["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 4
    assert any("'missing' is not declared" in result["message"]["text"] for result in errors)


def test_a_program_without_mistakes_gives_a_document_without_results(tmp_path: Path) -> None:
    (tmp_path / "f.ispc").write_text("export void f() { }\n")
    found, code = document(tmp_path, "f.ispc", "-o", "f.o", "--target=sse4-i32x4", "--diagnostics=sarif")
    assert (found["runs"][0]["results"], code) == ([], 0)


@pytest.mark.parametrize(
    ("words", "code", "text"),
    (
        (["f.ispc", "--no-such-option", "--diagnostics=sarif"], 2, "--no-such-option"),
        (["nowhere.ispc", "-o", "f.o", "--target=sse4", "--diagnostics=sarif"], 1, "nowhere.ispc"),
        (["f.ispc", "-o", "no/folder/f.o", "--target=sse4", "--diagnostics=sarif"], 1, "no/folder"),
    ),
)
def test_what_is_wrong_outside_the_program_is_in_the_document(tmp_path: Path, words: list[str], code: int, text: str) -> None:
    (tmp_path / "f.ispc").write_text("export void f() { }\n")
    found, given = document(tmp_path, *words)
    (result,) = (result for result in found["runs"][0]["results"] if result["level"] == "error")
    assert given == code and text in result["message"]["text"]
