"""No instruction makes a claim that docs/claims.md does not give a reason for."""

import re
from pathlib import Path

import pytest
from lowering import AVX2, AVX512, text_after

from voltac.ir.read import read
from voltac.target_info import TargetInfo, find_target

FOLDER = Path(__file__).resolve().parents[1]
PROGRAMS = [*sorted((FOLDER / "lower" / "programs").glob("*.ispc")), *sorted((FOLDER / "run" / "structs").glob("*.ispc"))[::4]]
CLAIMS = {"nsw", "nuw", "nusw", "exact", "disjoint", "inbounds", "nneg", "samesign", "nnan", "ninf", "nsz", "fast"}
ALLOWED = {("add", "nsw"), ("sub", "nsw"), ("mul", "nsw"), ("add", "nuw nsw"), ("sdiv", "exact")}
"""Operation and flags, as the front end writes them."""
ATTRIBUTES = re.compile(r"\b(?:noundef|nonnull|dereferenceable\w*|range\(|nofpclass)|!(?:range|nonnull|noundef|invariant)")


def claims(text: str) -> set[tuple[str, str]]:
    found = set()
    for function in read(text).functions:
        for instruction in function.instructions():
            flags = [] if instruction.parts.unknown else [flag for flag in instruction.parts.flags if flag in CLAIMS]
            if flags:
                found.add((instruction.op, " ".join(flags)))
    return found


@pytest.mark.parametrize("target", [AVX2, AVX512, find_target("naplespu")], ids=lambda target: target.name)
def test_only_claims_that_are_proved_are_written(target: TargetInfo) -> None:
    for path in PROGRAMS:
        source = path.read_text()
        if target.is_device:
            source = re.sub(r"\bdouble\b", "float", source)
            if re.search(r"\b(new|float16|\d+d)\b|f16", source):
                continue
        text = text_after("lower", source, target)
        assert claims(text) <= ALLOWED, path.name
        assert not ATTRIBUTES.search(text), path.name
