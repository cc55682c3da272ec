"""What is shipped: in step with the contract, typed, and whole."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import prequel

PACKAGE = Path(prequel.__file__).parent
PROJECT = PACKAGE.parent


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_messages_are_in_step_with_the_contract():
    protoc = shutil.which("protoc")
    if protoc is None or " 3.21." not in run(protoc, "--version"):
        pytest.skip("protoc 3.21 is not installed")
    run(sys.executable, "generate.py", "--check")


def test_all_is_exported():
    for name in prequel.__all__:
        assert getattr(prequel, name).__doc__, name


@pytest.mark.parametrize("tool", [("ruff", "check", "--no-cache"), ("ruff", "format", "--check")])
def test_style(tool):
    pytest.importorskip("ruff")
    run(sys.executable, "-m", *tool, ".")


def test_types(tmp_path):
    pytest.importorskip("mypy")
    run(sys.executable, "-m", "mypy", f"--cache-dir={tmp_path}", "prequel")


def test_wheel(tmp_path, server):
    """Built, unpacked elsewhere, and five lines to the first prediction."""
    pytest.importorskip("hatchling")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path))
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        file.extractall(tmp_path / "site")
    for needed in ("py.typed", "v1/messages.binpb", "v1/__init__.pyi", "aio/client.py"):
        assert f"prequel/{needed}" in names
    assert not any("__pycache__" in name for name in names)
    five_lines = """
import prequel
with prequel.serve() as client:
    model = client.create("line", [[0.0], [1.0], [2.0], [3.0]], [0.1, 1.2, 1.9, 3.1])
    model.learn([[0.0], [1.0], [2.0], [3.0]], [0.1, 1.2, 1.9, 3.1])
    print(prequel.__file__, model.predict([[1.5]]).mean)
"""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    out = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", five_lines],
        env=environment, capture_output=True, text=True, check=True, cwd=tmp_path,
    ).stdout  # fmt: skip
    assert out.startswith(str(tmp_path))
    assert 1 < float(out.split("[")[1].rstrip("]\n")) < 2
