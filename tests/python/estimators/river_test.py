"""Estimators for river."""

import copy
import math
import pickle
import warnings

import numpy as np
import pytest

import prequel

pytest.importorskip("river")

from river import checks, datasets, evaluate, metrics  # noqa: E402

from prequel.river import PrequelClassifier, PrequelRegressor  # noqa: E402


def all_checks():
    for estimator in (PrequelRegressor(), PrequelClassifier()):
        for i, check in enumerate(checks.yield_checks(estimator)):
            if check.__name__ in estimator._unit_test_skips():
                continue
            identity = f"{type(estimator).__name__}-{check.__name__}-{i}"
            yield pytest.param(estimator, check, id=identity)


@pytest.mark.parametrize(("estimator", "check"), list(all_checks()))
@pytest.mark.filterwarnings("ignore::prequel.FeatureLeftOut")
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


def likelihood(estimator):
    return estimator.remote.describe().config.likelihood.name


def test_two_labels_are_bernoulli_and_a_third_one_begins_anew(server):
    estimator = PrequelClassifier(seed=1)
    rng = np.random.default_rng(1)
    for x in rng.normal(size=1_200):
        estimator.learn_one({"x": x}, "high" if x > 0 else "low")
    assert likelihood(estimator) == "bernoulli"
    first = estimator.remote.name
    estimator.learn_many(*_three_labels(rng))
    assert likelihood(estimator) == "categorical"
    # The last 1,000 examples of two labels were learned again, and the model before is gone.
    assert estimator.remote.describe().revision == 1_001
    assert estimator.predict_one({"x": 2.0}) == "high"
    assert estimator.predict_one({"x": -2.0}) == "low"
    with pytest.raises(prequel.NotFound):
        server.client().model(first).describe()


def _three_labels(rng):
    pd = pytest.importorskip("pandas")
    x = rng.normal(size=300)
    y = np.where(x > 0.5, "high", np.where(x < -0.5, "low", "middle"))
    return pd.DataFrame({"x": x}), pd.Series(y)


def test_a_row_counts_as_often_as_it_is_said_to(server):
    twice, once = PrequelRegressor(), PrequelRegressor()
    for estimator, w in ((twice, 2.0), (once, 1.0)):
        for i in range(20):
            estimator.learn_one({"x": 1.0}, float(i % 2), w=w)
    assert (
        twice.remote.evaluation().cumulative.examples
        == 2 * once.remote.evaluation().cumulative.examples
    )
    labels = PrequelClassifier()
    labels.learn_one({"x": 1.0}, "a", w=3)
    labels.learn_one({"x": 1.0}, "b")
    proba = labels.predict_proba_one({"x": 1.0})
    assert proba["a"] > proba["b"]


def test_a_likelihood_that_is_given_stays(server):
    for options in ({"likelihood": "categorical"}, {"max_classes": 10}):
        estimator = PrequelClassifier(**options)
        estimator.learn_one({"x": 1.0}, True)
        assert likelihood(estimator) == "categorical"
    estimator = PrequelClassifier(likelihood="bernoulli")
    for y in (True, False):
        estimator.learn_one({"x": 1.0}, y)
    with pytest.raises(prequel.InvalidArgument, match="'c' is one more than the 2"):
        estimator.learn_one({"x": 1.0}, "c")


@pytest.mark.filterwarnings("ignore::prequel.FeatureLeftOut")
def test_features_that_emerge(server):
    estimator = PrequelRegressor(spare=1)
    for i in range(40):
        estimator.learn_one({"a": 1.0} if i < 5 else {"a": 1.0, "b": i % 2, "c": 9}, 5 * (i % 2))
    assert estimator.predict_one({"a": 1.0, "b": 1}) > estimator.predict_one({"a": 1.0, "b": 0}) + 3


def test_features_that_are_left_out_are_told_once(server):
    estimator = PrequelRegressor(spare=1)
    estimator.learn_one({"a": 1.0}, 1.0)
    late = {"a": 1.0, "b": 1, "c": 2, "d": 3, "wind": "N"}
    with pytest.warns(prequel.FeatureLeftOut) as told:
        estimator.learn_one(late, 2.0)
    texts = [str(warning.message) for warning in told]
    assert [text[:11] for text in texts] == ["feature 'c'", "feature 'd'", "feature 'wi"]
    assert "no column free" in texts[0] and "larger `spare`" in texts[0]
    assert "is text; learn an example that has it first" in texts[2]
    assert all(warning.filename == __file__ for warning in told)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator.learn_one(late, 2.0)
        estimator.predict_one({"e": 1.0})


def frame_of(rows):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({
        "x": np.arange(rows) % 10.0,
        "wind": pd.Categorical([None if i % 7 == 0 else "NSW"[i % 3] for i in range(rows)]),
        "count": pd.array([None if i % 5 == 0 else i for i in range(rows)], dtype="Int64"),
    }, index=range(100, 100 + rows))  # fmt: skip
    return frame, pd.Series(2 * frame.x + (frame.wind == "N"), index=frame.index)


def test_frames_of_values(server):
    X, y = frame_of(2_000)
    estimator = PrequelRegressor()
    assert estimator.predict_many(X).tolist() == [0.0] * 2_000
    assert estimator.learn_many(X, y) is None
    assert estimator.remote.describe().revision == 2
    predicted = estimator.predict_many(X)
    assert predicted.index.equals(X.index) and (predicted - y).abs().mean() < 0.5
    x = {"x": 3.0, "wind": "N", "count": 8}
    row = X.iloc[:1].assign(**x)
    assert math.isclose(estimator.predict_many(row).iloc[0], estimator.predict_one(x))
    estimator.learn_many(X[:0], y[:0])
    assert len(estimator.predict_many(X[:0])) == 0


def test_frames_of_classes(server):
    X, y = frame_of(600)
    labels = y.map(lambda value: "high" if value > 9 else "low")
    estimator = PrequelClassifier()
    assert estimator.predict_proba_many(X).shape == (600, 0)
    assert estimator.predict_many(X).tolist() == [None] * 600
    for first in range(0, 600, 100):
        estimator.learn_many(X[first : first + 100], labels[first : first + 100])
    proba = estimator.predict_proba_many(X)
    assert list(proba.columns) == ["low", "high"] and proba.index.equals(X.index)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (estimator.predict_many(X) == labels).mean() > 0.9
    with pytest.raises(prequel.InvalidArgument, match="one more than the 2"):
        PrequelClassifier(max_classes=2).learn_many(X[:3], ["a", "b", "c"])


def test_frames_whose_columns_come_and_go(server):
    """Many rows are learned much as one after the other is."""
    X, y = frame_of(400)
    X = X[["x", "count"]].astype(float)
    one, many = PrequelRegressor(), PrequelRegressor()
    for i, columns in enumerate((["x"], ["x", "count"], ["count", "x"], ["x"])):
        rows = slice(100 * i, 100 * (i + 1))
        many.learn_many(X[rows][columns], y[rows])
        for row, target in zip(X[rows][columns].to_dict("records"), y[rows]):
            one.learn_one(row, target)
    expected = [one.predict_one(row) for row in X[:50].to_dict("records")]
    np.testing.assert_allclose(many.predict_many(X[:50]), expected, atol=0.3)


def test_every_part_can_be_chosen(server):
    estimator = PrequelRegressor(robustness="imq", calibration="none", prior={"precision": 2.0})
    estimator.learn_one({"a": 1.0}, 1.0)
    config = estimator.remote.describe().config
    assert (config.robustness.name, config.calibration.name) == ("imq", "none")
    assert config.prior.options["precision"] == 2
    with pytest.raises(prequel.InvalidArgument, match="is of classes, which PrequelClassifier"):
        PrequelRegressor(likelihood="bernoulli").learn_one({"a": 1.0}, 1.0)


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
    with pytest.raises(prequel.InvalidArgument, match=r"'a': \[1\] is neither a number nor text"):
        estimator.learn_one({"a": [1]}, "x")
