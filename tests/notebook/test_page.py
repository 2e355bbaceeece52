"""The cells of docs/notebook.md, executed as the notebook they are."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from html_page import Page
from nbclient import NotebookClient

PAGE = Path(__file__).resolve().parents[2] / "docs" / "notebook.md"


def executed(cells: list[str], folder: Path) -> nbformat.NotebookNode:
    book: nbformat.NotebookNode = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(book, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    return book


@pytest.mark.filterwarnings("ignore")
def test_the_page_is_a_notebook_that_runs(tmp_path: Path) -> None:
    cells = re.findall(r"^```ipython\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    book = executed(cells, tmp_path)
    assert len(book.cells) == len(cells) > 5
    assert [one for cell in book.cells for one in cell.outputs if one.output_type == "stream"] == []
    shown = [one["data"] for cell in book.cells for one in cell.outputs]
    assert [sorted(one) for one in shown] == [["text/html", "text/plain"]] * 2
    kernel, comparison = (Page(one["text/html"]).words for one in shown)
    assert "saxpy(s, x, y, out, [n])" in kernel and "a vector store" in kernel and "foreach in line 4" in kernel
    assert "Measured on generated arguments: n = 1024" in comparison
