"""docs/stories.ipynb, run as a person would."""

import os
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[3] / "docs" / "stories.ipynb"


@pytest.mark.parametrize("market", ["read", "made up"])
def test_the_stories(monkeypatch, market):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    if market == "made up":
        monkeypatch.delenv("PREQUEL_DATA_DIR", raising=False)
    elif not os.environ.get("PREQUEL_DATA_DIR"):
        pytest.skip("PREQUEL_DATA_DIR is not set")
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "strip the outputs"
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    plots = sum(
        "image/png" in output.get("data", {})
        for cell in notebook.cells
        for output in cell.get("outputs", [])
    )
    assert plots == 4
