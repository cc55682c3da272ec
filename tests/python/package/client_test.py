"""Models of a server: made, asked, moved, removed."""

import pickle

import numpy as np
import pytest

import prequel
from prequel import v1
from prequel.answers.info import ModelInfo
from prequel.answers.joint import correlation_of
from prequel.config import replaced


def test_a_model_and_its_life(line, client, name, tmp_path):
    model, X, y = line
    assert client.serving()
    result = model.learn(X, y)
    assert (result.rows, result.minibatches, result.revision) == (640, 10, 10)
    assert result.scores.examples == 576  # the first minibatch has no predictive
    info = model.describe()
    assert (info.revision, info.examples, info.serving) == (10, 640, True)
    assert f"models/{name}" in str(info) and "gaussian" in str(info)
    assert name in " ".join(other.name for other in client.models())
    evaluation = model.evaluation()
    assert evaluation.cumulative["rmse"] < 0.3
    assert evaluation.unscored_rows == 64
    assert repr(info) == f"<ModelInfo models/{name}: linear gaussian, revision 10, 640 examples>"
    assert repr(evaluation).startswith("<Evaluation at revision 10: window=Scores(")
    lines = str(evaluation).splitlines()
    assert lines[0] == "revision 10" and lines[1].split() == ["all", "last", "~1,000"]
    assert lines[3].split()[:2] == ["nll", f"{evaluation.cumulative['nll']:.4f}"]
    assert "64 rows unscored: learned again, or before a predictive existed" in lines
    assert [line.split()[0] for line in lines if line.startswith("last ")] == ["last", "last"]
    assert ["drift", "rate", "intercept", "weight"] in [line.split() for line in lines]

    before = model.predict(X).mean
    path = tmp_path / "line.model"
    model.export(path)
    assert list(tmp_path.iterdir()) == [path]
    other = client.import_model(f"{name}-imported", path)
    np.testing.assert_array_equal(other.predict(X).mean, before)

    past = model.predict(X, revision=3)
    assert past.revision == 3
    fork = model.fork(f"{name}-fork", revision=3)
    np.testing.assert_array_equal(fork.predict(X).mean, past.mean)
    model.snapshot()
    kept = model.revisions()
    assert kept.newest == 10 and 10 in [snapshot.revision for snapshot in kept.snapshots]
    assert model.rollback(3).revision == 11
    np.testing.assert_array_equal(model.predict(X).mean, past.mean)

    model.delete()
    with pytest.raises(prequel.NotFound, match=r"Client.models\(\) lists"):
        model.describe()


def test_a_model_that_starts_has_no_revision():
    message = v1.Model(name="models/m", state=v1.Model.STATE_STARTING, problem="is being replayed")
    message.config.model.name, message.config.likelihood.name = "mlp", "poisson"
    message.replay.folded, message.replay.records = 1200, 5000
    info = ModelInfo.of(message)
    assert (info.state, info.serving) == ("starting", False)
    assert (info.revision, info.examples) == (None, None)
    assert info.replayed == (1200, 5000)
    assert repr(info) == "<ModelInfo models/m: mlp poisson, starting>"
    lines = str(info).splitlines()
    assert lines[-1] == "state       starting: 1,200 of 5,000 records of its log folded again"
    message.state = v1.Model.STATE_FAILED
    assert str(ModelInfo.of(message)).endswith("state       failed: is being replayed")


def test_a_model_may_be_there_already(client, name):
    made = client.create(name, inputs=["a"], target="y", rule="rvga", seed=3)
    with pytest.raises(prequel.AlreadyExists):
        client.create(name, inputs=["a"], target="y", rule="rvga")
    again = client.create(name, inputs=["a"], target="y", rule="rvga", exist_ok=True)
    assert again.name == made.name and again.notes == ()
    with pytest.warns(prequel.InferenceNote, match="has another features, rule than is asked for"):
        other = client.create(name, inputs=["b"], target="y", rule="von", exist_ok=True)
    assert other.describe().config.rule.name == "rvga"


def test_ids_are_hashed_where_that_is_asked_for(client, name):
    data = {"user": [11, 12, 13, 11], "a": [1.0, 2.0, 3.0, 4.0]}
    model = client.create(name, data, [0.5, 1.5, 2.5, 3.5], hash_buckets={"user": 64})
    user, a = model.describe().config.features
    assert (user.kind, user.hash_buckets) == (v1.Feature.KIND_CATEGORICAL, 64)
    assert a.hash_buckets == 0
    model.learn(data, [0.5, 1.5, 2.5, 3.5])
    with pytest.raises(prequel.InvalidArgument, match="hash_buckets: no input 'nobody'"):
        client.create(f"{name}-b", inputs=["a"], target="y", hash_buckets={"nobody": 8})


def test_a_fork_differs_in_what_its_config_names(client, name, rng):
    X = rng.normal(size=(320, 3))
    y = X @ [1.0, -2.0, 3.0] + 0.1 * rng.normal(size=320)
    model = client.create(name, X, y, dynamics=prequel.part("inflation", rate=1e-3), seed=7)
    model.learn(X, y)
    fork = model.fork(f"{name}-fork", config={"dynamics": {"name": "static"}, "seed": 0})
    whole = model.describe().config_dict()
    del whole["seed"]
    whole["dynamics"] = {"name": "static"}
    same = client.create(f"{name}-same", config=whole)
    same.learn(X, y)
    assert fork.describe().revision == 5
    assert fork.describe().config == same.describe().config != model.describe().config
    np.testing.assert_array_equal(fork.predict(X).std, same.predict(X).std)
    assert (fork.predict(X).epistemic_std < model.predict(X).epistemic_std).all()
    # With features nothing of the model's is kept.
    features = [{"name": name} for name in ("a", "b", "c")]
    config = {"features": features, "target": {"name": "z"}, "likelihood": {"name": "gaussian"}}
    other = model.fork(f"{name}-other", config=config).describe().config
    assert (other.target.name, other.seed) == ("z", 0)
    assert other.dynamics.name == "adaptive"


def test_a_part_is_replaced_with_its_options():
    base = v1.ModelConfig(
        features=[v1.Feature(name="a")],
        rule=prequel.part("rvga", passes=3),
        prior=prequel.part("isotropic", precision=2.0),
        seed=7,
    )
    changed = replaced(base, {"rule": {"name": "vb"}, "prior": {}})
    assert changed.rule == prequel.part("vb")
    assert changed.HasField("prior") and changed.prior == v1.Component()
    assert changed.features == base.features and changed.seed == 7
    assert replaced(base, {"seed": 0}).seed == 0
    assert replaced(base, v1.ModelConfig(rule=prequel.part("vb"))).rule == prequel.part("vb")
    assert replaced(base, {}) == base
    assert base.rule == prequel.part("rvga", passes=3)


def test_values(line):
    model, X, y = line
    model.learn(X, y)
    prediction = model.predict(X[:50])
    assert prediction.mean.shape == prediction.std.shape == (50,)
    np.testing.assert_allclose(prediction.mean, y[:50], atol=0.6)
    np.testing.assert_allclose(
        prediction.std**2, prediction.epistemic_std**2 + prediction.aleatoric_std**2
    )
    lower, upper = prediction.interval(0.8)
    np.testing.assert_array_equal(lower, prediction.quantile((1 - 0.8) / 2))
    assert (lower < prediction.quantile(0.5)).all() and (prediction.quantile(0.5) < upper).all()
    assert prediction.quantile([0.1, 0.2, 0.9]).shape == (50, 3)
    # Levels are asked of the revision that answered, though the model has gone on.
    median = model.predict(X[:50]).quantile(0.31)
    later = model.predict(X[:50])
    model.learn(X[:64], y[:64] + 5)
    np.testing.assert_array_equal(later.quantile(0.31), median)
    with pytest.raises(ValueError, match="not between 0 and 1"):
        prediction.quantile(1.0)
    with pytest.raises(prequel.NotAnswered, match="model of values"):
        prediction.proba


def test_a_prediction_as_a_frame(line, client, name):
    pytest.importorskip("pandas")
    model, X, y = line
    model.learn(X, y)
    answer = model.predict(X[:3], quantiles=[0.05, 0.5])
    frame = answer.to_frame()
    assert list(frame) == ["mean", "sd", "epistemic_sd", "aleatoric_sd", "q0.05", "q0.5"]
    np.testing.assert_array_equal(frame.sd, answer.std)
    np.testing.assert_array_equal(frame["q0.05"], answer.quantile(0.05))
    two = client.create(f"{name}-2", X, np.stack([y, -y], axis=1))
    two.learn(X, np.stack([y, -y], axis=1))
    assert list(two.predict(X[:3], queries="moments").to_frame())[:4] == [
        "mean_0", "mean_1", "sd_0", "sd_1",
    ]  # fmt: skip
    classes = client.create(f"{name}-c", X, np.where(y > 0, "up", "down"))
    classes.learn(X, np.where(y > 0, "up", "down"))
    frame = classes.predict(X[:3]).to_frame()
    assert list(frame)[:3] == ["label", "p_down", "p_up"] and len(frame) == 3


def test_a_query_with_options_is_a_part(line):
    model, X, y = line
    model.learn(X, y)
    asked = model.predict(X[:2], queries=[prequel.part("quantiles", levels=[0.25])])
    np.testing.assert_array_equal(
        asked.outputs["quantiles"][..., 0, 0], model.predict(X[:2]).quantile(0.25)
    )


def test_samples_are_of_the_predictive(line):
    model, X, y = line
    model.learn(X, y)
    # Samples are of what quantiles say, which are calibrated; mean and std are the model's own.
    prediction = model.predict(X[:20], raw=True)
    samples = prediction.sample(4000, seed=0)
    assert samples.shape == (20, 4000)
    np.testing.assert_allclose(samples.mean(axis=1), prediction.mean, atol=0.02)
    np.testing.assert_allclose(samples.std(axis=1), prediction.std, rtol=0.2)  # heavy tails
    np.testing.assert_array_equal(prediction.sample(3, seed=5), prediction.sample(3, seed=5))
    between = np.corrcoef(prediction.sample(150, seed=1))[0, 1:]
    assert np.abs(between).max() < 0.35


# Both outputs of a network hang on the same hidden units.
def test_samples_of_several_targets_go_together(client, name, rng):
    X = rng.normal(size=(300, 2))
    y = np.stack([X[:, 0] - X[:, 1], X[:, 0] + X[:, 1]], axis=1) + 0.1 * rng.normal(size=(300, 2))
    hidden = prequel.part("mlp", hidden=[4])
    model = client.create(name, X, y, model=hidden, posterior="full")
    model.learn(X, y)
    far = np.array([[6.0, 6.0], [6.0, -6.0], [0.0, 0.0]])
    prediction = model.predict(far, queries=["moments", "quantiles", "logits"])
    samples = prediction.sample(4000, seed=0)
    assert samples.shape == (3, 2, 4000)
    told = correlation_of(
        prediction.outputs["logit_covariance"],
        prediction.outputs["epistemic_variance"],
        prediction.outputs["aleatoric_variance"],
    )
    assert np.abs(told[:, 0, 1]).max() > 0.1
    for row, correlation in zip(samples, told, strict=True):
        places = row.argsort(axis=1).argsort(axis=1)
        np.testing.assert_allclose(np.corrcoef(places), correlation, atol=0.06)
    one_by_one = prediction.quantile([0.1, 0.9])
    np.testing.assert_allclose((samples < one_by_one[..., :1]).mean(axis=2), 0.1, atol=0.02)
    np.testing.assert_allclose((samples < one_by_one[..., 1:]).mean(axis=2), 0.9, atol=0.02)


def test_classes(client, name, rng):
    X = rng.normal(size=(600, 2))
    y = np.where(X[:, 0] > 0.5, "high", np.where(X[:, 0] < -0.5, "low", "middle"))
    model = client.create(name, X, y)
    assert "with room for 1 new label" in model.notes[0]
    assert model.learn(X, y).scores["accuracy"] > 0.5
    prediction = model.predict(X)
    assert prediction.proba.shape == (600, 4)
    np.testing.assert_allclose(prediction.proba.sum(axis=1), 1)
    assert set(prediction.label) <= {"high", "low", "middle", "new"}
    draws = prediction.sample(2000, seed=0)
    assert (
        np.abs((draws[0] == "high").mean() - prediction.proba[0, prediction.labels.index("high")])
        < 0.05
    )
    for gone in ("mean", "std"):
        with pytest.raises(prequel.NotAnswered, match="proba"):
            getattr(prediction, gone)
    with pytest.raises(prequel.NotAnswered, match="classes have no quantiles"):
        prediction.quantile(0.5)


def test_many_rows_are_asked_in_pieces(line):
    model, X, y = line
    model.learn(X, y)
    many = np.tile(X, (20, 1))
    prediction = model.predict(many, quantiles=[0.1])
    assert prediction.mean.shape == (12_800,)
    np.testing.assert_array_equal(prediction.mean[-640:], model.predict(X).mean)
    assert prediction.quantile(0.1).shape == (12_800,)
    with pytest.raises(prequel.InvalidArgument, match="has no rows"):
        model.predict(np.zeros((0, 3)))


def test_several_targets(client, name, rng):
    X = rng.normal(size=(300, 2))
    Y = X @ np.array([[1.0, 2.0, 0.0], [0.0, 1.0, -1.0]])
    model = client.create(name, X, Y)
    model.learn(X, Y)
    prediction = model.predict(X[:5])
    assert prediction.mean.shape == (5, 3)
    assert prediction.quantile(0.5).shape == (5, 3)
    assert prediction.quantile([0.1, 0.5]).shape == (5, 3, 2)
    assert prediction.sample(7).shape == (5, 3, 7)


def test_predict_then_learn(line):
    model, X, y = line
    model.learn(X[:64], y[:64])
    expected = model.predict(X[64:128])
    prediction, ack = model.predict_then_learn(X[64:128], y[64:128])
    assert prediction.revision == 1 and ack.revision == 2 and ack.rows == 64
    # Those rows come one after the other, and the world may move between them.
    np.testing.assert_allclose(prediction.mean, expected.mean, rtol=0.02)
    assert ack.scores["rmse"] == pytest.approx(np.sqrt(np.mean((prediction.mean - y[64:128]) ** 2)))


def test_parts_and_config(client, name):
    model = client.create(
        name,
        inputs=["a", "b?", "wind:text", "p:4", "when:date"],
        target="y",
        likelihood="bernoulli",
        model=prequel.part("mlp", hidden=[4, 3], activation="relu"),
        rule=prequel.part("", passes=5),
        seed=7,
        window=500,
        clip=3.0,
    )
    assert "a, b?, wind:text, p:4, when:date:5" in str(model.describe())
    config = model.describe().config_dict()
    assert [f["name"] for f in config["features"]] == ["a", "b", "wind", "p", "when:date"]
    assert config["model"]["options"]["hidden"] == [4, 3]
    assert config["rule"]["options"]["passes"] == 5
    assert config["evaluation"]["window"] == 500
    copy = client.create(f"{name}-copy", config=config, seed=8)
    other = copy.describe().config_dict()
    assert other.pop("seed") == "8"
    config.pop("seed")
    assert other == config


def test_weights_travel_as_a_tensor(client, name):
    weights = np.array([1.0, -2.0, 0.5])
    model = client.create(
        name, inputs=2, target="y", likelihood="gaussian", standardize_inputs=False,
        standardize_targets=False, prior=prequel.part("imported", weights=weights),
    )  # fmt: skip
    assert model.describe().num_parameters == 3
    np.testing.assert_allclose(model.predict([[1.0, 1.0]]).mean, [-0.5])


def test_what_is_wrong_is_named(client, name):
    with pytest.raises(prequel.InvalidArgument) as caught:
        client.create(name, inputs=["x"], target="y", rule=prequel.part("rvga", pases=5))
    error = caught.value
    assert error.violations[0].field == "config.rule.options.pases"
    assert 'did you mean "passes"' in str(error) and "[INVALID_ARGUMENT" in str(error)
    assert isinstance(error, ValueError) and error.from_call
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) and type(copy) is type(error)
    with pytest.raises(prequel.InvalidArgument, match="which inputs"):
        client.create(name, target="y")
    with pytest.raises(prequel.InvalidArgument, match="config: "):
        client.create(name, config={"feature": []})
    with pytest.raises(prequel.InvalidArgument, match=r"inputs: give a list of names, as \['a'"):
        client.create(name, inputs="a,b", target="y")
    for wrong in ({"seed": "x"}, {"seed": -1}, {"classes": "x"}, {"target_width": 1.5}):
        with pytest.raises(prequel.InvalidArgument, match=f"^{next(iter(wrong))}: "):
            client.create(name, inputs=1, target="y", **wrong)
    with pytest.raises(prequel.InvalidArgument, match="name: 5 is no text"):
        client.model(5)
    with pytest.raises(prequel.InvalidArgument, match="rulle: .* did you mean 'rule'"):
        client.create(name, inputs=1, target="y", rulle="rvga")
    with pytest.raises(prequel.InvalidArgument, match="config: has no features"):
        client.create(name, config={"model": {"name": "mlp"}})
    client.create(name, inputs=1, target="y", likelihood="gaussian")
    with pytest.raises(prequel.AlreadyExists, match="choose another name"):
        client.create(name, inputs=1, target="y", likelihood="gaussian")


def test_files_that_are_no_models(client, name, tmp_path):
    (tmp_path / "table.csv").write_text("a,y\n1,2\n")
    with pytest.raises(prequel.InvalidArgument) as caught:
        client.import_model(name, tmp_path / "table.csv")
    assert "is it one that Model.export wrote" in str(caught.value)
    assert "server's log" not in str(caught.value)
    with pytest.raises(prequel.NotFound, match=r"there is no file .*none\.model"):
        client.import_model(name, tmp_path / "none.model")


def test_what_is_asked_wrongly_is_named(line):
    model, X, y = line
    model.learn(X, y)
    one, several = model.predict(X[:2], quantiles=0.5), model.predict(X[:2], quantiles=[0.5])
    np.testing.assert_allclose(one.quantile(0.5), several.quantile(0.5))
    for samples in (-1, 10**12, 2.5):
        with pytest.raises(prequel.InvalidArgument, match=r"^samples: "):
            model.predict(X[:2], samples=samples)
    for revision in (-1, 1 << 63, "1"):
        with pytest.raises(prequel.InvalidArgument, match=r"^revision: .* no revision"):
            model.predict(X[:2], revision=revision)
    with pytest.raises(prequel.InvalidArgument, match=r"^min_revision: -1 is no revision"):
        model.predict(X[:2], min_revision=-1)
    for wrong, field in (
        (lambda: model.rollback("x"), "revision"),
        (lambda: model.learn_stream([], max_in_flight="5"), "max_in_flight"),
        (lambda: model.learn_stream([], producer=5), "producer"),
        (lambda: model.learn_stream([], retry="5"), "retry"),
        (lambda: model.fork("n", config={"modle": {"name": "mlp"}}), "config: .*modle"),
        (lambda: model.fork("n", config="mlp"), "config: a str is no mapping"),
        (lambda: prequel.Client(8081), "server: give HOST:PORT"),
        (lambda: prequel.Client(timeout="5"), "timeout"),
        (lambda: next(model.watch(interval="x")), "interval"),
    ):
        with pytest.raises(prequel.InvalidArgument, match=f"^{field}"):
            wrong()
    with pytest.raises(prequel.InvalidArgument, match="HOST:PORT of the gRPC port"):
        prequel.Client("http://127.0.0.1:8080")


def test_predictions_travel_without_their_connection(line):
    model, X, y = line
    model.learn(X, y)
    prediction = model.predict(X[:3])
    copy = pickle.loads(pickle.dumps(prediction))
    np.testing.assert_array_equal(copy.mean, prediction.mean)
    with pytest.raises(prequel.NotAnswered, match=r"predict\(X, quantiles="):
        copy.quantile(0.123)
