"""A server with its HTTP port, and a model of three features for clients of other makes."""

from __future__ import annotations

import numpy as np
import pytest

import prequel


@pytest.fixture(scope="session")
def server():
    with prequel.Server(flags=["--http=127.0.0.1:0"]) as running:
        yield running


@pytest.fixture
def taught(client, name, rng):
    """The id of a model at revision 10 of y = x0 − 2 x1 + 3 x2 + noise, the model, and inputs."""
    X = rng.normal(size=(640, 3))
    y = X @ [1.0, -2.0, 3.0] + 0.1 * rng.normal(size=640)
    model = client.create(name, inputs=["x0", "x1", "x2"], target="y", likelihood="gaussian")
    model.learn(X, y, batch_size=64)
    return name, model, np.ascontiguousarray(X[:5])
