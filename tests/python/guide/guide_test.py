"""docs/python.md, run line by line."""

import doctest
import warnings
from pathlib import Path

import pytest

import prequel

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "python.md"


def test_the_guide():
    pytest.importorskip("sklearn")
    pytest.importorskip("river")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", prequel.InferenceNote)
        result = doctest.testfile(
            str(GUIDE), module_relative=False, optionflags=doctest.ELLIPSIS, encoding="utf-8"
        )
    assert result.attempted > 60
    assert result.failed == 0
