"""A server for the tests of a run, and a name for each model; and what the run skipped."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest

import prequel

_count = itertools.count()


_SKIPPED = 77  # as ctest knows it


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    """A run that skipped everything has passed nothing. What another one skipped, and why, is left
    in the file PREQUEL_SKIPPED: see skipped.sh."""
    stats = session.config.pluginmanager.get_plugin("terminalreporter").stats
    skipped = [f"{report.nodeid}: {report.longrepr[2]}" for report in stats.get("skipped", [])]
    nothing_failed = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    if skipped and nothing_failed and not stats.get("passed"):
        session.exitstatus = _SKIPPED
    elif os.environ.get("PREQUEL_SKIPPED"):
        Path(os.environ["PREQUEL_SKIPPED"]).write_text("".join(f"{line}\n" for line in skipped))


@pytest.fixture(scope="session")
def server():
    with prequel.Server() as running:
        os.environ["PREQUEL_SERVER"] = running.address
        yield running


@pytest.fixture
def client(server):
    with server.client() as made:
        yield made


@pytest.fixture
def name():
    return f"test-{next(_count)}"


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture
def line(client, name, rng):
    """A model of y = x·(1, −2, 3) + noise, and 640 examples; it has learned nothing yet."""
    X = rng.normal(size=(640, 3))
    y = X @ [1.0, -2.0, 3.0] + 0.1 * rng.normal(size=640)
    return client.create(name, X, y), X, y
