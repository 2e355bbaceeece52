"""The campaign of changed programs: what is changed are mostly still programs, and wrong code of them is found."""

import changed_judge
import numpy as np
import pytest
from changed_programs import HEAD, changed_program, originals
from run_programs import OUTPUTS, NativeRunner

TEXT = f"{HEAD}) {{ foreach (k = 0 ... n) out[k] = i[k] * 2; }}"
UNDEFINED = f"{HEAD}) {{ int k[2]; out[programIndex] = k[1]; }}"


def test_a_seed_is_one_text_which_is_changed() -> None:
    texts = [changed_program(seed) for seed in range(40)]
    assert texts == [changed_program(seed) for seed in range(40)]
    assert all(HEAD in text for text in texts)
    assert sum(text in originals() for text in texts) < 10


def test_wrong_code_is_found_and_the_code_of_what_is_undefined_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert changed_judge.judge_changed(1, TEXT) == ""
    wrong = np.ones(OUTPUTS), ""
    monkeypatch.setattr(NativeRunner, "run", lambda runner, jobs: [wrong for _ in jobs])
    assert changed_judge.judge_changed(1, TEXT).startswith("wrong machine code: ")
    assert changed_judge.judge_changed(1, UNDEFINED) == ""
    assert changed_judge.judge_changed(1, "no program") == ""
