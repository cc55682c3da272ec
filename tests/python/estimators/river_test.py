"""Estimators for river."""

import copy
import math
import pickle

import pytest

import prequel

pytest.importorskip("river")

from river import checks, datasets, evaluate, metrics  # noqa: E402

from prequel.river import PrequelClassifier, PrequelRegressor  # noqa: E402


def all_checks():
    for estimator in (PrequelRegressor(), PrequelClassifier()):
        for i, check in enumerate(checks.yield_checks(estimator)):
            identity = f"{type(estimator).__name__}-{check.__name__}-{i}"
            yield pytest.param(estimator, check, id=identity)


@pytest.mark.parametrize(("estimator", "check"), all_checks())
def test_rivers_own_checks(estimator, check, server):
    check(estimator.clone())


def test_regression(server):
    estimator = PrequelRegressor()
    metric = evaluate.progressive_val_score(
        datasets.TrumpApproval().take(300), estimator, metrics.MAE()
    )
    assert metric.get() < 1.5
    x, _ = next(iter(datasets.TrumpApproval()))
    mean, std = estimator.predict_std_one(x)
    assert mean == estimator.predict_one(x) and 0 < std < 5


def test_classification_of_texts(server):
    estimator = PrequelClassifier()
    assert estimator.predict_proba_one({"word": "a"}) == {}
    assert estimator.predict_one({"word": "a"}) is None
    for _ in range(20):
        estimator.learn_one({"word": "a", "x": 1}, "yes")
        estimator.learn_one({"word": "b", "x": None}, "no")
    assert estimator.predict_one({"word": "a"}) == "yes"
    assert math.isclose(sum(estimator.predict_proba_one({"word": "new"}).values()), 1)


def test_features_that_emerge(server):
    estimator = PrequelRegressor(spare=1)
    for i in range(40):
        estimator.learn_one({"a": 1.0} if i < 5 else {"a": 1.0, "b": i % 2, "c": 9}, 5 * (i % 2))
    assert estimator.predict_one({"a": 1.0, "b": 1}) > estimator.predict_one({"a": 1.0, "b": 0}) + 3


def test_copies_are_the_same_model(server):
    estimator = PrequelRegressor()
    estimator.learn_one({"a": 1.0}, 1.0)
    for made in (pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator)):
        made.learn_one({"a": 2.0}, 2.0)
    assert estimator.remote.describe().examples == 3


def test_what_is_refused(server):
    estimator = PrequelClassifier(max_classes=2)
    estimator.learn_one({"a": 1.0}, "x")
    estimator.learn_one({"a": 1.0}, "y")
    with pytest.raises(prequel.InvalidArgument, match="one more than the 2 that there is room for"):
        estimator.learn_one({"a": 1.0}, "z")
    with pytest.raises(prequel.InvalidArgument, match="feature 'a': 'high' is no number"):
        estimator.learn_one({"a": "high"}, "x")
