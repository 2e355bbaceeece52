"""The tables that are shipped are those of the grammar, and no compilation needs lark."""

import logging
import subprocess
import sys
from pathlib import Path

import lark
import pytest

from voltac.syntax.generate import generate
from voltac.syntax.lexer import TOKEN, kinds
from voltac.syntax.statements import StatementBuilder
from voltac.syntax.tables import TABLES_FILE, load


def test_the_tables_are_up_to_date() -> None:
    assert Path(TABLES_FILE).read_text() == generate(), "run python -m voltac.syntax.generate"


def test_the_grammar_has_the_two_conflicts_of_the_reference(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
        generate()
    conflicts = {record.args[0] for record in caplog.records if isinstance(record.args, tuple) and "conflict" in record.msg}
    assert conflicts == {"ELSE", "__ATTRIBUTE__"}


def test_every_rule_has_a_builder() -> None:
    missing = {rule.method for rule in load().rules if not rule.passes_on and not hasattr(StatementBuilder, rule.method)}
    assert missing == set()


def test_the_lexer_knows_every_spelling_of_the_grammar() -> None:
    for name, spellings in load().spellings.items():
        for spelling in spellings:
            assert TOKEN.findall(spelling) == [spelling]
            assert load().terminals[kinds()[spelling]] == name


def test_parsing_imports_no_lark() -> None:
    script = (
        "import sys; from voltac.messages.diagnostics import Diagnostics; from voltac.options import Options\n"
        "from voltac.target_info import find_target; from voltac.syntax import parse, preprocess\n"
        "o = Options(target=find_target('sse4')); d = Diagnostics()\n"
        "parse(preprocess('int x = 1;', 't', o, d), o, d)\n"
        "assert not {'lark', 'llvmlite', 'numpy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
