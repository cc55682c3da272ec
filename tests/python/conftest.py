"""A server for the tests of a run, and a name for each model."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

import prequel

_count = itertools.count()


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
