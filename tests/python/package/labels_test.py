"""Labels are the same however they are given, and come back as what they were given as."""

import numpy as np
import pytest

from prequel import v1
from prequel.data.column import column_of
from prequel.data.labels import AS_THEY_LOOK, label_type_of, typed_labels


@pytest.fixture
def separated(rng):
    """Inputs of which the first tells three classes apart."""
    place = rng.integers(0, 3, size=600)
    return np.column_stack([4.0 * place - 4, rng.normal(size=600)]), place


@pytest.mark.parametrize(
    "names",
    [
        np.array([0, 1, 2]),
        np.array([7, -3, 40]),
        np.array([0.0, 1.0, 2.0]),
        np.array([0.5, 1.5, 2.5]),
        np.array(["a", "b", "c"], dtype=object),
        np.array(["1", "2", "3"], dtype=object),
        np.array(["1.0", "2.0", "3.0"], dtype=object),
        np.array(["007", "008", "009"], dtype=object),
        np.array([2**53, 2**53 + 1, 2**53 + 2]),
    ],
    ids=str,
)
def test_labels_come_back_as_they_were_given(client, name, separated, names):
    X, place = separated
    y = names[place]
    model = client.create(name, X, y, likelihood="categorical", seed=1)
    model.learn(X, y)
    answer = model.predict(X)
    assert (answer.label == y).mean() > 0.95
    assert type(answer.label.tolist()[0]) is type(y.tolist()[0])
    assert type(answer.sample(3, seed=1)[0].tolist()[0]) is type(y.tolist()[0])
    assert set(names.tolist()) <= set(answer.labels)
    fresh = client.model(name).predict(X)  # knows nothing but the server's configuration
    assert (fresh.label == y).mean() > 0.95


@pytest.mark.parametrize("given", [[False, True], [0, 1], ["no", "yes"], ["False", "True"]])
def test_two_labels_come_back_too(client, name, rng, given):
    x = rng.normal(size=(400, 1))
    y = np.array(given, dtype=object)[(x[:, 0] > 0).astype(int)]
    y = y.astype(bool) if given[0] is False else y
    model = client.create(name, x, y, seed=1)
    model.learn(x, y)
    answer = model.predict(x)
    label = answer.label
    assert (label == y).mean() > 0.9
    if isinstance(given[0], str):
        with pytest.raises(AttributeError, match="a model of classes has proba"):
            _ = answer.mean
    else:
        np.testing.assert_array_equal(answer.mean, answer.proba[:, 1])
    assert type(label.tolist()[0]) is type(given[0])


def test_a_label_is_the_same_class_however_it_is_given(client, name, separated):
    X, place = separated
    model = client.create(name, inputs=2, target="y", likelihood="categorical", classes=3, seed=1)
    for y in (place, place.astype(float), place.astype(str), np.char.add(place.astype(str), ".0")):
        result = model.learn(X, y)
        assert result.refused_rows == 0
    assert model.describe().labels == ("0", "1", "2")
    assert (model.predict(X).label == place).mean() > 0.95


def test_truth_values_are_one_thing_however_they_are_spelled(client, name, rng):
    truth = rng.random(400) < 0.5
    y = np.where(truth, 3.0, -3.0) + rng.normal(size=400)
    model = client.create(name, {"b": truth}, y, seed=1)
    for spelled in (truth, np.where(truth, "true", "FALSE"), truth.astype(int)):
        model.learn({"b": spelled}, y)
        mean = model.predict({"b": spelled}).mean
        assert mean[truth].mean() > 2 and mean[~truth].mean() < -2
    numeric = client.create(f"{name}-n", inputs=["b"], target="y")
    numeric.learn({"b": np.where(truth, "True", "False")}, y)


def test_the_type_of_labels():
    assert typed_labels(("0", "1"), AS_THEY_LOOK) == (0, 1)
    assert typed_labels(("0.5", "1"), AS_THEY_LOOK) == (0.5, 1.0)
    assert typed_labels(("true", "False"), AS_THEY_LOOK) == (True, False)
    for texts in (("007", "1"), ("a", "1"), ("1e3", "1")):
        assert typed_labels(texts, AS_THEY_LOOK) == texts
    assert typed_labels(("1", "0"), v1.Target.LABEL_TYPE_BOOL) == (True, False)
    assert typed_labels(("1.0", "b"), v1.Target.LABEL_TYPE_INTEGER) == (1.0, "b")
    missing = column_of("y", np.array([1.0, np.nan, 3.0]))
    assert label_type_of(missing) == v1.Target.LABEL_TYPE_INTEGER
    assert label_type_of(np.zeros((2, 2))) == AS_THEY_LOOK


def test_room_for_labels_keeps_its_names(client, name, rng):
    x = rng.normal(size=(300, 1))
    y = np.array(["low", "mid", "high"], dtype=object)[np.digitize(x[:, 0], [-0.5, 0.5])]
    model = client.create(name, inputs=1, target="y", likelihood="categorical", classes=5)
    model.learn(x, y)
    answer = model.predict(x)
    assert sorted(answer.labels[:3]) == ["high", "low", "mid"]
    assert answer.labels[3:] == ("new", "new_2")
