"""A shell as notebooks and the terminal have it, with the extension loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output


@pytest.fixture(autouse=True, scope="session")
def settings_of_this_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        yield


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance(colors="nocolor", history_manager=None)
    made.run_line_magic("load_ext", "voltac")
    yield made
    made.run_line_magic("unload_ext", "voltac")
    InteractiveShell.clear_instance()


Shows = Callable[[str], str]


@pytest.fixture
def shows(shell: InteractiveShell) -> Shows:
    """What a cell prints, its errors included."""

    def run(cell: str) -> str:
        with capture_output() as caught:
            shell.run_cell(cell, store_history=True)
        return str(caught.stdout + caught.stderr)

    return run
