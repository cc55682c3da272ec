"""Tests that are skipped are told apart from tests that passed."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def run(tmp_path, *tests):
    environment = {**os.environ, "PREQUEL_SKIPPED": str(tmp_path / "skipped")}
    environment.pop("PREQUEL_DATA_DIR", None)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c"]
    made = subprocess.run(
        [*command, str(TESTS / "pytest.ini"), *(str(TESTS / test) for test in tests)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = subprocess.run(
        [TESTS / "skipped.sh", tmp_path / "skipped"], capture_output=True, text=True, check=False
    )
    return made, told


def test_a_run_that_skips_everything_is_skipped(tmp_path):
    made, told = run(tmp_path, "package/inference_test.py::test_public_streams")
    assert made.returncode == 77 and "SKIPPED [1]" in made.stdout
    assert told.returncode == 0


def test_what_is_skipped_beside_others_is_told(tmp_path):
    public = "package/inference_test.py::test_public_streams"
    made, told = run(tmp_path, public, "package/inference_test.py::test_matrices")
    assert made.returncode == 0
    assert told.returncode == 77
    assert told.stdout == f"{public}: Skipped: PREQUEL_DATA_DIR is not set\n"
    made, told = run(tmp_path, "package/inference_test.py::test_matrices")
    assert (made.returncode, told.returncode) == (0, 0)
