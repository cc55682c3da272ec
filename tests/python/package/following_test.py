"""Rows that are learned again, and whether a model follows a world at all."""

import numpy as np


def test_a_second_pass_is_not_scored(client, name):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = X @ [1.0, 0.5, 0.0] + rng.normal(size=200)
    model = client.create(name, X, y)
    model.learn(X, y)
    first = model.evaluation()
    model.learn(X, y, learned_before=True)
    second = model.evaluation()
    assert second.unscored_rows == first.unscored_rows + 200
    assert second.cumulative == first.cumulative
    assert second.revision > first.revision


def test_a_model_that_stands_still_says_so(client, name):
    shape = {"inputs": ["a"], "target": "y", "likelihood": "categorical"}
    assert client.create(f"{name}-few", **shape, classes=10).notes == ()
    many = client.create(f"{name}-many", **shape, classes=64)
    assert "stands still" in many.notes[0]
    asked = client.create(f"{name}-asked", **shape, classes=64, dynamics="static")
    assert asked.notes == ()
