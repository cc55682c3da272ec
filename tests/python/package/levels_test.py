"""Quantiles and intervals of the levels that were answered, and of others."""

import asyncio
import pickle

import numpy as np
import pytest

import prequel


@pytest.fixture
def learned(line):
    model, X, y = line
    model.learn(X, y)
    return model, X[:4]


def counted(model, monkeypatch):
    calls = []
    run = model._connection.run
    monkeypatch.setattr(model._connection, "run", lambda o: (calls.append(o), run(o))[1])
    return calls


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95, 0.99])
def test_an_interval_is_of_the_quantiles_that_were_answered(learned, monkeypatch, level):
    model, X = learned
    ends = [round((1 - level) / 2, 6), round((1 + level) / 2, 6)]
    prediction = model.predict(X, quantiles=ends)
    calls = counted(model, monkeypatch)
    lower, upper = prediction.interval(level)
    np.testing.assert_array_equal(lower, prediction.quantile(ends[0]))
    np.testing.assert_array_equal(upper, prediction.quantile(1 - ends[0]))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(prediction)).interval(level)[0], lower)
    assert not calls


def test_what_is_answered_by_default_has_an_interval(learned, monkeypatch):
    model, X = learned
    prediction = model.predict(X)
    calls = counted(model, monkeypatch)
    prediction.interval(0.9)
    assert not calls


def test_an_awaited_prediction_has_its_intervals(server, learned):
    model, X = learned

    async def ask():
        async with prequel.AsyncClient(server.address) as client:
            remote = client.model(model.name)
            return await remote.predict(X), await remote.predict(X, quantiles=[0.1, 0.9])

    usual, asked = asyncio.run(ask())
    assert (usual.interval(0.9)[0] < usual.interval(0.9)[1]).all()
    np.testing.assert_array_equal(asked.interval(0.8)[1], asked.quantile(0.9))


def test_levels_near_the_ends_stay_what_they_are(learned):
    model, X = learned
    prediction = model.predict(X)
    assert (prediction.quantile(1 - 1e-13) >= prediction.quantile(1 - 1e-9)).all()


def test_what_is_no_level(learned):
    model, X = learned
    prediction = model.predict(X)
    for wrong, text in (
        (95, r"level: 95 is not between 0 and 1; did you mean 0\.95\?"),
        (1.0, "1.0 is not between 0 and 1$"),
        ("0.5", "level: '0.5' is not one number"),
        ([0.5, 0.9], r"level: \[0.5, 0.9\] is not one number"),
        (None, "level: None is not one number"),
    ):
        with pytest.raises(prequel.InvalidArgument, match=text):
            prediction.interval(wrong)
    for ask in (prediction.quantile, lambda level: model.predict(X, quantiles=level)):
        for wrong in (50, "0.5", ["0.5"], [0.1, 90]):
            with pytest.raises(prequel.InvalidArgument, match=r"^level: "):
                ask(wrong)
    median = prediction.quantile(np.float64(0.5))
    np.testing.assert_array_equal(median, prediction.quantile([0.5])[:, 0])
    with pytest.raises(prequel.InvalidArgument, match="size: 'x' is not a whole number"):
        prediction.sample("x")


def test_what_was_not_asked_says_how_to_ask(client, name, learned):
    model, X = learned
    only = model.predict(X, queries="quantiles")
    with pytest.raises(prequel.NotAnswered, match=r'quantiles; predict\(X, queries=\["moments"'):
        only.std
    with pytest.raises(prequel.NotAnswered, match="a model of values has mean"):
        only.entropy
    classes = client.create(name + "-c", inputs=1, target="y", likelihood="bernoulli")
    answer = classes.predict([[1.0]], queries=["probabilities"])
    with pytest.raises(prequel.NotAnswered, match="a model of classes has proba"):
        answer.mean
    with pytest.raises(prequel.NotAnswered, match=r'queries=\["entropy", …\]\) asks for it'):
        answer.entropy
    with pytest.raises(prequel.InvalidArgument, match="queries: 5 is no name of a query"):
        model.predict(X, queries=[5])
