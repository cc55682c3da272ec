"""Estimators for scikit-learn."""

import copy
import gc
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import prequel

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_diabetes, load_iris  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import SplineTransformer  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from prequel.sklearn import PrequelClassifier, PrequelRegressor  # noqa: E402


@pytest.mark.parametrize("kind", [PrequelRegressor, PrequelClassifier])
@pytest.mark.filterwarnings("ignore")
def test_sklearns_own_checks(kind, server):
    # Rows that are repeated make other minibatches, and time passes by rows.
    expected = {"check_sample_weight_equivalence_on_dense_data": "to rounding, and it is not"}
    results = check_estimator(kind(), on_fail=None, expected_failed_checks=expected)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert not failed
    assert sum(r["status"] == "passed" for r in results) >= 45


def test_a_row_counts_as_often_as_it_is_said_to(server):
    X = np.array([[-1.0], [0.0], [1.0], [2.0]] * 10)
    y = 2 * X[:, 0] + np.array([0.1, -0.1, 0.2, -0.2] * 10)
    weights = np.array([1, 2, 0, 3] * 10)
    one_minibatch = {"dynamics": "static", "batch_size": 1000}
    weighed = PrequelRegressor(**one_minibatch).fit(X, y, sample_weight=weights)
    repeated = PrequelRegressor(**one_minibatch).fit(X.repeat(weights, 0), y.repeat(weights))
    np.testing.assert_allclose(weighed.predict(X), repeated.predict(X), atol=0.02)
    labels = np.where(y > 1, "high", "low")
    favoured = PrequelClassifier().fit(X, labels, sample_weight=np.where(labels == "low", 9, 1))
    plain = PrequelClassifier().fit(X, labels)
    assert favoured.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean()


# Each pass counts a part of each row: three of them are no more rows than one.
def test_passes_do_not_make_a_model_surer(server):
    X, y = load_diabetes(return_X_y=True)
    stds = []
    for passes in (1, 4):
        estimator = PrequelRegressor(dynamics="static", passes=passes).fit(X, y)
        prediction = estimator.remote_.predict(X)
        stds.append(np.median(prediction.epistemic_std))
    assert 0.8 < stds[1] / stds[0] < 1.2


# A rule that is told how many rows there are counts that many, by as many passes as it takes.
def test_passes_of_a_dataset_rule(server):
    X, y = load_diabetes(return_X_y=True)
    plain = PrequelRegressor(dynamics="static").fit(X, y)
    usual = np.median(plain.remote_.predict(X).epistemic_std)
    rule = {"name": "von", "mode": "dataset", "dataset_size": len(X)}
    estimator = PrequelRegressor(rule=rule, posterior="full", passes=20).fit(X, y)
    std = np.median(estimator.remote_.predict(X).epistemic_std)
    assert 0.8 < std / usual < 1.25
    assert estimator.score(X, y) > 0.45
    with pytest.warns(prequel.DatasetSizeContradicted, match="442"):
        PrequelRegressor(rule={**rule, "dataset_size": 1000}).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", prequel.DatasetSizeContradicted)
        PrequelRegressor(rule=rule).partial_fit(X[:100], y[:100])


def test_regression(server):
    X, y = load_diabetes(return_X_y=True)
    estimator = PrequelRegressor(passes=3).fit(X, y)
    assert estimator.score(X, y) > 0.45
    mean, std = estimator.predict(X, return_std=True)
    assert mean.shape == std.shape == y.shape
    lower, upper = estimator.predict_interval(X, 0.8)
    assert 0.7 < np.mean((lower < y) & (y < upper)) < 0.9
    np.testing.assert_array_equal(estimator.predict_quantile(X, 0.1) <= upper, True)
    with pytest.raises(prequel.InvalidArgument, match=r"did you mean 0\.9\?"):
        estimator.predict_interval(X, 90)


def test_copies_are_the_same_model_and_clones_are_not(server):
    X, y = load_diabetes(return_X_y=True)
    estimator = PrequelRegressor(batch_size=50).fit(X, y)
    before = estimator.predict(X)
    for made in (pickle.loads(pickle.dumps(estimator)), copy.deepcopy(estimator)):
        np.testing.assert_array_equal(made.predict(X), before)
        assert made.model_name_ == estimator.model_name_
    pickle.loads(pickle.dumps(estimator)).partial_fit(X, y + 100)
    assert (estimator.predict(X) > before).all()
    assert not hasattr(clone(estimator), "model_name_")
    first = estimator.model_name_
    estimator.fit(X, y)
    np.testing.assert_array_equal(estimator.predict(X), before)
    with server.client() as client, pytest.raises(prequel.NotFound):
        client.model(first).describe()
    estimator.delete()
    with pytest.raises(sklearn.exceptions.NotFittedError):
        estimator.predict(X)


def test_classes_of_any_kind(server):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    order = np.random.default_rng(0).permutation(len(y))
    estimator = PrequelClassifier(passes=5).fit(X[order], names[order])
    assert estimator.score(X, names) > 0.9
    proba = estimator.predict_proba(X)
    assert proba.shape == (150, 3)
    noise, ignorance = estimator.predict_entropy(X)
    assert (noise >= 0).all() and (ignorance >= -1e-9).all()
    with pytest.raises(ValueError, match="'rosa', which is not in classes_"):
        estimator.partial_fit(X[:1], ["rosa"])


def test_a_named_model_is_gone_on_with(server, name):
    X, y = load_diabetes(return_X_y=True)
    PrequelRegressor(name=name).partial_fit(X[:100], y[:100])
    other = PrequelRegressor(name=name).partial_fit(X[100:], y[100:])
    assert other.remote_.describe().examples == len(y)
    with pytest.raises(prequel.AlreadyExists):
        PrequelRegressor(name=name).fit(X, y)


def test_a_named_classifier_is_gone_on_with_by_its_classes(server, name):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    PrequelClassifier(name=name).partial_fit(X[::2], names[::2], classes=np.unique(names))
    other = PrequelClassifier(name=name).partial_fit(X[1::2], names[1::2], classes=np.unique(names))
    assert other.remote_.describe().examples == len(y)
    assert other.score(X, names) > 0.8
    with pytest.raises(ValueError, match=r"has the classes \['setosa', .*'rosa'.*same `classes`"):
        PrequelClassifier(name=name).partial_fit(X[:1], ["rosa"], classes=["rosa", "lily", "oak"])
    assert other.remote_.describe().examples == len(y)


def test_a_model_of_numbers_is_gone_on_with_by_numbers(server, name):
    X, y = load_iris(return_X_y=True)
    with server.client() as client:
        features = [prequel.v1.Feature(name="x", width=4, allow_missing=True)]
        target = prequel.v1.Target(name="y", num_classes=3)
        config = prequel.v1.ModelConfig(features=features, target=target)
        config.likelihood.name = "categorical"
        client.create(name, config=config)
    estimator = PrequelClassifier(name=name)
    for _ in range(5):
        estimator.partial_fit(X, y, classes=[0, 1, 2])
    assert estimator.score(X, y) > 0.9
    with pytest.raises(ValueError, match="whole numbers from 0"):
        PrequelClassifier(name=name).partial_fit(X[:1], [3], classes=[3, 5, 7])


def test_labels_stand_where_the_model_has_them(server, name):
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    with server.client() as client:
        features = [prequel.v1.Feature(name="x", width=4, allow_missing=True)]
        target = prequel.v1.Target(name="y", labels=["c", "a", "b"])
        config = prequel.v1.ModelConfig(features=features, target=target)
        config.likelihood.name = "categorical"
        client.create(name, config=config)
    estimator = PrequelClassifier(name=name)
    for _ in range(5):
        estimator.partial_fit(X, names, classes=["a", "b", "c"])
    assert estimator.score(X, names) > 0.9


def test_pipelines_and_searches(server):
    X, y = load_diabetes(return_X_y=True)
    model = {"name": "mlp", "hidden": [8]}
    pipeline = make_pipeline(SplineTransformer(3), PrequelRegressor(passes=2, model=model))
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.3
    search = GridSearchCV(PrequelRegressor(), {"batch_size": [16, 128]}, cv=2).fit(X, y)
    assert search.best_estimator_.predict(X).shape == y.shape


def test_missing_values_and_frames(server):
    pd = pytest.importorskip("pandas")
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.1)
    estimator = PrequelRegressor(passes=2).fit(X, y)
    assert list(estimator.feature_names_in_) == list(X.columns)
    assert estimator.score(X, y) > 0.3
    assert isinstance(X, pd.DataFrame)


def mixed(rows, seed=3):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "x": rng.normal(size=rows),
        "town": pd.Categorical(rng.choice(["Bonn", "Ulm"], rows)),
        "code": pd.Categorical(rng.integers(1, 4, rows)),
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, rows), unit="D"),
    })  # fmt: skip
    effect = {1: 4.0, 2: -4.0, 3: 0.0}
    y = frame.x + 3.0 * (frame.town == "Bonn") + frame.code.map(effect).astype(float)
    return frame, y + rng.normal(0, 0.1, rows)


def test_frames_of_mixed_columns(server):
    X, y = mixed(600)
    estimator = PrequelRegressor(passes=2).fit(X, y)
    assert list(estimator.feature_names_in_) == list(X.columns) and estimator.n_features_in_ == 4
    assert estimator.score(*mixed(200, seed=4)) > 0.95
    with pytest.raises(ValueError, match="feature names"):
        estimator.predict(X.rename(columns={"town": "city"}))
    classes = PrequelClassifier().fit(X, y > 0)
    assert classes.score(X, y > 0) > 0.85
    assert cross_val_score(PrequelRegressor(), X, y, cv=2).mean() > 0.9
    late = PrequelRegressor()
    for first in range(0, 600, 100):
        late.partial_fit(X[first : first + 100], y[first : first + 100])
    assert late.score(X, y) > 0.9


def test_a_named_model_of_other_columns_is_left_alone(server, name):
    X, y = mixed(50)
    PrequelRegressor(name=name).fit(X, y)
    PrequelRegressor(name=name).partial_fit(X, y)
    with pytest.raises(prequel.InvalidArgument, match="has the features x, town, code, when:date"):
        PrequelRegressor(name=name).partial_fit(X.drop(columns="town"), y)


def test_arrays_of_dates_are_refused(server):
    X = np.array(["2024-01-31", "2024-02-01"], dtype="datetime64[D]").reshape(-1, 1)
    with pytest.raises(prequel.InvalidArgument, match="scikit-learn takes numbers"):
        PrequelRegressor().fit(X, [1.0, 2.0])


def test_what_is_masked_is_missing(server, rng):
    X = rng.normal(size=(400, 2))
    y = X @ [2.0, 1.0]
    mask = rng.random(X.shape) < 0.1
    masked = np.ma.array(np.where(mask, -9999.0, X), mask=mask)
    estimator = PrequelRegressor(passes=2).fit(masked, np.ma.array(y))
    assert estimator.score(X, y) > 0.9
    asked = estimator.predict(np.ma.array([[-9999.0, 0.0]], mask=[[True, False]]))
    assert abs(asked[0]) < 10
    with pytest.raises(ValueError, match="NaN"):
        PrequelRegressor().fit(X, np.ma.array(y, mask=y > 0))


def models(server):
    with server.client() as client:
        return {info.name for info in client.models()}


def test_a_model_goes_with_its_estimator_unless_there_are_copies(server, name):
    X, y = load_diabetes(return_X_y=True)
    gone, copied, kept = PrequelRegressor(), PrequelRegressor(), PrequelRegressor(name=name)
    for estimator in (gone, copied, kept):
        estimator.fit(X[:20], y[:20])
    copy_of = pickle.loads(pickle.dumps(copied))
    first = gone.model_name_
    del gone, copied, kept, estimator
    gc.collect()
    last = PrequelRegressor().fit(X[:20], y[:20])
    assert first not in models(server)
    assert {copy_of.model_name_, f"models/{name}", last.model_name_} <= models(server)


def test_a_program_that_ends_takes_its_models_along(server):
    program = (
        "from prequel.sklearn import PrequelRegressor\n"
        "e = PrequelRegressor().fit([[1.0], [2.0]], [1.0, 2.0])\n"
        "print(e.model_name_)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr
    assert done.stdout.startswith("models/prequelregressor-")
    assert done.stdout.strip() not in models(server)


def test_a_part_that_is_wrong(server):
    with pytest.raises(prequel.InvalidArgument, match='no alternative is named "rvgaa"'):
        PrequelRegressor(rule="rvgaa").fit([[1.0], [2.0]], [1.0, 2.0])


def test_no_server():
    with pytest.raises(prequel.Unavailable, match="no answer from 127.0.0.1:1"):
        PrequelRegressor(server="127.0.0.1:1").fit([[1.0], [2.0]], [1.0, 2.0])


def test_a_named_model_of_another_kind_is_left_alone(server, name):
    X, y = load_diabetes(return_X_y=True)
    labels = (y > 100).astype(int)
    values, classes = f"{name}-values", f"{name}-classes"
    of_values = PrequelRegressor(name=values).fit(X[:50], y[:50])
    of_classes = PrequelClassifier(name=classes).fit(X[:50], labels[:50])
    wrong = PrequelClassifier(name=values)
    with pytest.raises(prequel.InvalidArgument, match="likelihood gaussian, and this PrequelClass"):
        wrong.partial_fit(X, labels, classes=[0, 1])
    with pytest.raises(prequel.InvalidArgument, match="likelihood bernoulli, .* another `name`"):
        PrequelRegressor(name=classes).partial_fit(X, labels)
    with pytest.raises(prequel.InvalidArgument, match="likelihood gaussian, .* is of poisson"):
        PrequelRegressor(name=values, likelihood="poisson").partial_fit(X, y)
    with pytest.raises(prequel.InvalidArgument, match="has 10 inputs, and X has 3 columns"):
        PrequelRegressor(name=values).partial_fit(X[:, :3], y)
    with pytest.raises(prequel.InvalidArgument, match=r"learns 1 target.*, and y has 2 column"):
        PrequelRegressor(name=values).partial_fit(X, np.stack([y, y], axis=1))
    for estimator in (of_values, of_classes):
        assert estimator.remote_.describe().examples == 50
    wrong.set_params(name=classes).partial_fit(X[50:], labels[50:], classes=[0, 1])
    assert of_classes.remote_.describe().examples == len(y)


def test_a_likelihood_of_the_other_estimator(server):
    for likelihood in ("bernoulli", {"name": "categorical"}):
        with pytest.raises(prequel.InvalidArgument, match="is of classes, which PrequelClassifier"):
            PrequelRegressor(likelihood=likelihood).fit([[1.0], [2.0]], [0.0, 1.0])
    with pytest.raises(prequel.InvalidArgument, match="is of values, which PrequelRegressor"):
        PrequelClassifier(likelihood="gaussian").fit([[1.0], [2.0]], [0, 1])


def test_every_part_can_be_chosen(server):
    estimator = PrequelRegressor(robustness={"name": "imq"}, calibration="none", rule="rvga").fit(
        [[1.0], [2.0]], [1.0, 2.0]
    )
    config = estimator.remote_.describe().config
    assert (config.robustness.name, config.calibration.name) == ("imq", "none")
    estimator.delete()
