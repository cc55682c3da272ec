"""Scores of rows that are not learned."""

import asyncio

import numpy as np
import pytest

import prequel
from prequel import operations, v1


def test_scores_are_those_of_the_predictions(line):
    model, X, y = line
    model.learn(X[:320], y[:320])
    before = model.evaluation()
    scores = model.score(X[320:], y[320:])
    assert isinstance(scores, prequel.Scores)
    assert scores.examples == 320 and scores.revision == model.describe().revision
    prediction = model.predict(X[320:])
    errors = y[320:] - prediction.mean
    assert scores["rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)), rel=1e-12)
    assert scores["mae"] == pytest.approx(np.mean(np.abs(errors)), rel=1e-12)
    lower, upper = prediction.interval(0.9)
    covered = np.mean((y[320:] >= lower) & (y[320:] <= upper))
    assert scores["coverage90"] == pytest.approx(covered, abs=1e-12)
    assert str(model.evaluation()) == str(before)
    assert model.score(X[:5], y[:5], revision=0).unscored_rows == 5


def test_more_rows_than_one_request_takes(line, monkeypatch):
    model, X, y = line
    model.learn(X, y)
    whole = model.score(X, y)
    monkeypatch.setattr(operations, "_PIECE_ROWS", 100)
    first = model.describe().revision

    def learning(name, minibatch, revision, min_revision, score=operations.score):
        if revision is not None:  # of the requests that follow the first
            model.learn(X[:50], y[:50] + 9)
        return score(name, minibatch, revision, min_revision)

    monkeypatch.setattr(operations, "score", learning)
    pieces = model.score(X, y)
    assert pieces.revision == first < model.describe().revision
    assert pieces.examples == whole.examples == 640
    assert dict(pieces) == pytest.approx(dict(whole), rel=1e-12)


def test_of_classes_and_what_is_not_scored(client, name, rng):
    pd = pytest.importorskip("pandas")
    size = 300
    frame = pd.DataFrame({"x": rng.normal(size=size), "wind": rng.choice(["N", "S"], size)})
    frame["sort"] = np.where(frame.x > 0, "high", "low")
    model = client.create(name, frame, target="sort")
    assert model.learn(frame).unseen_categories == 0
    assert model.learn(frame.head(3).assign(wind=["E", "E", "N"])).unseen_categories == 2
    assert model.evaluation().unseen_categories == 2
    assert "of a category that was new" in str(model.evaluation())
    asked = frame.head(10).assign(wind=["SE", "W", *frame.wind[2:10]])
    asked.loc[9, "sort"] = "neither"
    with pytest.warns(prequel.RowsRefused, match="1 row not scored, whose label is no class"):
        scores = model.score(asked)
    (refused,) = scores.first_refused_rows
    assert (refused.minibatch, refused.row, refused.label) == (0, 9, '"neither"')
    assert repr(scores).startswith("BatchScores(9 examples: nll=")
    assert repr(scores).endswith("; 1 refused, 2 values of unseen categories)")
    assert (scores.examples, scores.refused_rows, scores.unseen_categories) == (9, 1, 2)
    prediction = model.predict(asked)
    known = (prediction.label == asked.sort).to_numpy()[:9]
    assert scores["accuracy"] == pytest.approx(np.mean(known))
    assert 0 <= scores["ece"] <= 1
    assert "neither" not in model.describe().labels
    fresh = client.create(f"{name}-fresh", frame, target="x").score(frame)
    assert (fresh.examples, fresh.unscored_rows) == (0, size)


def test_bad_arguments(line):
    model, X, y = line
    with pytest.raises(prequel.InvalidArgument, match="no rows to score"):
        model.score(X[:0], y[:0])
    with pytest.raises(prequel.InvalidArgument):
        model.score(X)
    with pytest.raises(prequel.InvalidArgument, match="revision"):
        model.score(X, y, revision=-1)


def test_a_server_of_before_predicts():
    answer = v1.PredictResponse(revision=1)
    answer.predictions.labels.append("a")
    with pytest.raises(prequel.Unimplemented, match="too old to score"):
        operations._scored(answer)


def test_asynchronously(server, line):
    sync, X, y = line
    sync.learn(X, y)

    async def scored():
        async with prequel.AsyncClient(server.address) as client:
            return await client.model(sync.name).score(X, y)

    scores = asyncio.run(scored())
    assert dict(scores) == dict(sync.score(X, y))
